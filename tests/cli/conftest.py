"""The command line, called in this process or as the program that users start."""

import asyncio
import fcntl
import io
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import structlog

from dibs.assembly import open_backend
from dibs.cli.main import run
from dibs.engine.store.backend import Backend

PROGRAM = str(Path(sys.executable).with_name("dibs"))
PATIENCE = 60.0
SHOP = """
import asyncio
import os

import dibs
from dibs.assembly import Dibs

app = Dibs("sqlite:///jobs.db")


@app.task("GREET")
async def greet(name: str) -> dict:
    return {"greeting": f"Hello, {name}"}


@app.task("FAIL", max_retries=0, queue="risky")
def fail(why: str = "no reason") -> None:
    raise dibs.Permanent(why)


@app.task("SLEEP")
async def sleep(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "awake"
"""


class Result:
    """How a command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


@pytest.fixture
def room(tmp_path, monkeypatch):
    """An empty folder to work in, with a store to be made as its default."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("DIBS_URL", "sqlite:///jobs.db?synchronous=normal")
    for name in ("DIBS_APP", "DIBS_LEASES_URL", "WORKER_ID", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def dibs(room, capsys, monkeypatch) -> Iterator[Callable[..., Result]]:
    """Call the command line in this process."""

    def call(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(os.fsencode(stdin)), "utf-8"))
        capsys.readouterr()
        code = run(arguments)
        said = capsys.readouterr()
        return Result(code, said.out, said.err)

    yield call
    structlog.reset_defaults()


@pytest.fixture
def store(room) -> Callable[[Callable[[Backend], Awaitable[Any]]], Any]:
    """Do something to the store directly; the first time makes it."""

    def do(work: Callable[[Backend], Awaitable[Any]]) -> Any:
        async def on_backend() -> Any:
            async with await open_backend() as backend:
                return await work(backend)

        return asyncio.run(on_backend())

    async def nothing(_: Backend) -> None:
        return None

    do(nothing)
    return do


@pytest.fixture
def shop(room, monkeypatch):
    """An app of three tasks in a module called shop."""
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    (room / "shop.py").write_text(SHOP)
    return room


@pytest.fixture
def program(room) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the program as a user would; what is still alive at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([PROGRAM, *arguments], cwd=room, text=True, **{**streams, **options})
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run_program(program) -> Callable[..., Result]:
    """Run the program to its end."""

    def call(*arguments: str, **options: Any) -> Result:
        process = program(*arguments, **options)
        out, err = process.communicate(timeout=PATIENCE)
        return Result(process.returncode, out or "", err or "")

    return call


class Terminal:
    """The program on a terminal of 100 columns."""

    def __init__(self, arguments: tuple[str, ...], folder: Path, env: dict[str, str]) -> None:
        self._main, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=folder,
            env={**os.environ, "TERM": "xterm", **env},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        self.shown = ""

    def read_until(self, text: str) -> None:
        """Wait until the program has shown something."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown and time.monotonic() < deadline and self._read():
            pass
        assert text in self.shown, self.shown

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def finish(self) -> str:
        """Read on until the program has left; gives all that it showed."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"it does not leave, and shows: {self.shown[-1_000:]}"
        self.process.wait(PATIENCE)
        return self.shown

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self._main)
        self._main = -1

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if self._main >= 0:
            self.hang_up()

    def _read(self) -> bool:
        assert select.select([self._main], [], [], PATIENCE)[0], f"nothing more came after: {self.shown}"
        with suppress(OSError):
            piece = os.read(self._main, 65_536).decode()
            self.shown += piece
            return bool(piece)
        return False


@pytest.fixture
def terminal(room) -> Iterator[Callable[..., Terminal]]:
    """Start the program on a terminal."""
    opened: list[Terminal] = []

    def start(*arguments: str, env: dict[str, str] | None = None) -> Terminal:
        opened.append(Terminal(arguments, room, env or {}))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
