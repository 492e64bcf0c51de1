"""Programs of an example, started as its reader would start them."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

EXAMPLES = Path(__file__).parents[2] / "examples"
BIN = Path(sys.executable).parent
PATIENCE = 60.0


def run(example: str, *arguments: str, folder: Path) -> str:
    """Run an example's script in an empty folder, and give what it prints."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / example / "main.py"), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Site:
    """A web server and a worker on one example. Ends both, and only those."""

    def __init__(self, example: str, *, web: str, worker: str, **env: str) -> None:
        self._folder = EXAMPLES / example
        self._env = _environment() | env
        self._web, self._worker = web, worker
        self._running: list[subprocess.Popen[bytes]] = []
        # It listens before the server runs: a request that comes early waits in line.
        self._socket = socket.create_server(("127.0.0.1", 0))
        port = self._socket.getsockname()[1]
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE)

    def __enter__(self) -> Self:
        fd = self._socket.fileno()
        self._start([BIN / "uvicorn", self._web, "--fd", str(fd), "--log-level", "warning"], fd)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        self._socket.close()
        for process in reversed(self._running):
            process.terminate()
        codes = [process.wait(PATIENCE) for process in self._running]
        assert set(codes) <= {0, -15}, codes

    def work(self) -> None:
        """Let a worker do what is there, and wait until it has left."""
        self.dibs("worker", "--app", self._worker, "--until-drained", "--log-level", "warning")

    def dibs(self, *arguments: str) -> None:
        """Run a command to its end."""
        subprocess.run([BIN / "dibs", *arguments], cwd=self._folder, env=self._env, check=True, timeout=PATIENCE)

    def _start(self, command: list[str | Path], fd: int) -> None:
        self._running.append(subprocess.Popen(command, cwd=self._folder, env=self._env, pass_fds=[fd]))


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("DIBS_")}
    return own | {"PYTHONDONTWRITEBYTECODE": "1"}
