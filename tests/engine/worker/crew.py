"""Worker processes under the hands of a test."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

PROGRAM = Path(__file__).with_name("program.py")
PATIENCE = 60.0


class Crew:
    """Starts worker processes and ends only those."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.effects = folder / "effects.txt"
        self.effects.touch()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers.values():
            if worker.poll() is None:
                worker.kill()
            worker.wait()

    def start(self, name: str, **env: str) -> None:
        """Start a worker process under a name."""
        settings = {"WORKER_ID": name, "JOB_LOCK_TIMEOUT_SECONDS": "1.5", **env}
        command = [sys.executable, str(PROGRAM), self.url, str(self.effects)]
        self._workers[name] = subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.DEVNULL)

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a worker."""
        self._workers[name].send_signal(number)

    async def ended(self, name: str) -> int:
        """Wait until a worker has left, and tell its exit code."""
        return await asyncio.to_thread(self._workers[name].wait, PATIENCE)

    def go_on(self) -> None:
        """Let handlers that hold their jobs go on."""
        self.effects.with_suffix(".go").touch()

    def notes(self) -> list[str]:
        """Read what handlers did."""
        return self.effects.read_text().splitlines()

    async def until(self, line: str) -> None:
        """Wait until a line begins like this."""
        async with asyncio.timeout(PATIENCE):
            while not any(note.startswith(line) for note in self.notes()):
                await asyncio.sleep(0.01)
