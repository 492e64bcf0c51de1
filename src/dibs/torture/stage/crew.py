"""Worker processes as users start them: `dibs worker`, under its own supervisor, which alone may start them again."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from dibs.torture.faults.namespace import make_command
from dibs.torture.history.records import CHAFF
from dibs.torture.stage import program

PROGRAM = f"{program.__name__}:app"
LEASE_SECONDS = 3.0
PATIENCE = 30.0
PLAIN_TYPES = ("COUNT", CHAFF, "FLAKY", "NAP", "LOCK", "HOLD", "BRINK", "SLOW", "BLOCK", "POISON")
POOL_TYPES = ("CRASH", "STARVE", "HUNGER", "SUM")
SKEWED_START = Path(__file__).parents[1] / "faults" / "skewed_start.py"


class CrewPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How many workers, what they take, and what they are told. `options` of the URL depend on the kind of store."""

    processes: int = 2
    types: tuple[str, ...] = PLAIN_TYPES
    concurrency: int = 10
    options: dict[str, dict[str, str]] = {}
    env: dict[str, str] = {}
    is_skewed: bool = False
    is_apart: bool = False


class Crew:
    """One `dibs worker`, with its children."""

    def __init__(self, name: str, url: str, folder: Path, plan: CrewPlan) -> None:
        self.name = name
        self.plan = plan
        self._url = url
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, env: dict[str, str]) -> None:
        """Start it."""
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                self._command(),
                env={**os.environ, **self._environment(), **env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def _environment(self) -> dict[str, str]:
        return {
            program.FOLDER: str(self._folder),
            "WORKER_ID": self.name,
            "JOB_LOCK_TIMEOUT_SECONDS": str(LEASE_SECONDS),
            "DIBS_LEASES_URL": "",
            "DIBS_MAX_WORKER_DEATHS": "20",
            **self.plan.env,
        }

    def _command(self) -> list[str]:
        begin = [str(SKEWED_START)] if self.plan.is_skewed else ["-m", "dibs.cli"]
        spans = ["--poll", "300ms", "--beat", "600ms", "--sweep", "700ms", "--grace", "5s", "--pool", "2"]
        sizes = ["--processes", str(self.plan.processes), "--concurrency", str(self.plan.concurrency)]
        types = [word for name in self.plan.types for word in ("--type", name)]
        names = ["--app", PROGRAM, "--url", self._url, "--worker-id", self.name, "--log-level", "warning"]
        command = [sys.executable, *begin, "worker", *names, *spans, *sizes, *types]
        return make_command(str(self.socket), command) if self.plan.is_apart else command

    @property
    def socket(self) -> Path:
        """Where a crew in a namespace of its own finds the way out."""
        return self._folder / f"{self.name}.sock"

    @property
    def pid(self) -> int | None:
        """The process that was started, while it is there."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    async def leave(self) -> int:
        """Stop it gently, and hard if need be; tells its exit code."""
        process = self._process
        if process is None:
            return 0
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.to_thread(process.wait, PATIENCE)
        except subprocess.TimeoutExpired:
            self.end()
            return process.wait()

    def end(self) -> None:
        """Kill what is left of it; its children share its fate when their lifeline breaks."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)


def send_signals(pids: Sequence[int], number: signal.Signals) -> list[int]:
    """Send a signal to processes; tells which of them were there."""
    reached = []
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
        reached.append(pid)
    return reached
