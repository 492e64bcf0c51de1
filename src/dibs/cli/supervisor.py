"""Several worker processes that live and die together: a dead one is started again, a signal reaches all."""

import asyncio
import os
import signal
import sys
import threading
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import count

import msgspec

from dibs.cli.exits import Exit
from dibs.engine.worker.options import WorkerOptions
from dibs.kit.backoff import exponential
from dibs.kit.log import get_logger
from dibs.kit.pauses import jittered
from dibs.kit.waiting import wait_set

log = get_logger("dibs.supervisor")
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# Starting again does not help against these.
HOPELESS = frozenset({Exit.WRONG_USAGE, Exit.MISSING_EXTRA})
STOPPED_AS_TOLD = frozenset({Exit.DONE, Exit.INTERRUPTED, Exit.TERMINATED, -signal.SIGTERM, -signal.SIGINT})


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait before a dead child is started again: longer each time, until it lived for a while."""

    first: timedelta = timedelta(milliseconds=500)
    longest: timedelta = timedelta(seconds=30)
    forgiven_after: timedelta = timedelta(seconds=60)

    def pause(self, failures: int) -> timedelta:
        """The pause after this many failures in a row."""
        return jittered(exponential(self.first, factor=2, cap=self.longest, step=failures - 1))


class Supervisor:
    """Keeps so many children alive. `run` returns when all have left. `command` is asked for a child and its life."""

    def __init__(
        self, command: Callable[[int, int], Sequence[str]], children: int, patience: Patience | None = None
    ) -> None:
        self._command = command
        self._count = children
        self._patience = patience or Patience()
        self._children: dict[int, Process] = {}
        self._stopping = asyncio.Event()
        self._exit = 0

    async def run(self) -> int:
        """Start the children and wait for them."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.stop, number)
        try:
            await asyncio.gather(*(self._keep(number) for number in range(1, self._count + 1)))
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        return self._exit

    def stop(self, number: int) -> None:
        """Pass a signal on; at the second one, end every child at once. Their leases lapse."""
        is_hard = self._stopping.is_set()
        self._stopping.set()
        self._exit = 128 + number if is_hard else self._exit
        log.info("cli.supervisor.stopping", signal=signal.Signals(number).name, is_hard=is_hard)
        for child in self._children.values():
            _send(child, signal.SIGKILL if is_hard else number)

    async def _keep(self, number: int) -> None:
        failures = 0
        for life in count(1):
            if self._stopping.is_set():
                return
            started = time.monotonic()
            code = await self._run_child(number, life)
            if self._has_left(code):
                return
            lived = timedelta(seconds=time.monotonic() - started)
            failures = 1 if lived >= self._patience.forgiven_after else failures + 1
            pause = self._patience.pause(failures)
            log.warning("cli.child.died", child=number, code=code, restart_in=round(pause.total_seconds(), 2))
            await wait_set(self._stopping, pause.total_seconds())

    async def _run_child(self, number: int, life: int) -> int:
        # Its own process group: Ctrl-C reaches us alone, so that no child gets the signal twice.
        child = await asyncio.create_subprocess_exec(
            *self._command(number, life), stdin=asyncio.subprocess.PIPE, process_group=0
        )
        self._children[number] = child
        log.info("cli.child.started", child=number, pid=child.pid)
        if self._stopping.is_set():
            _send(child, signal.SIGTERM)
        try:
            return await child.wait()
        finally:
            del self._children[number]

    def _has_left(self, code: int) -> bool:
        """Whether a child is not to be started again; a hopeless one takes the others with it."""
        if self._stopping.is_set():
            if code not in STOPPED_AS_TOLD:
                self._exit = self._exit or Exit.NOT_DONE
            return True
        if code in HOPELESS:
            self.stop(signal.SIGTERM)
            self._exit = code
        return code == 0 or code in HOPELESS


def make_child_command(number: int, life: int, worker_id: str, options: WorkerOptions) -> list[str]:
    """Repeat our own command line for one child; of an option given twice, the last one counts."""
    own = ["--processes", "1", "--supervised", "--worker-id", name_life(worker_id, number, life)]
    if options.health_file is not None:
        file = options.health_file
        own += ["--health-file", str(file.with_name(f"{file.stem}-{number}{file.suffix}"))]
    if options.health_port is not None:
        own += ["--health-port", str(options.health_port + number - 1)]
    return [sys.executable, "-m", "dibs.cli", *sys.argv[1:], *own]


def name_life(worker_id: str, number: int, life: int) -> str:
    """Name a child, from its second life on with the number of that life: whoever held a job must be one of them."""
    return f"{worker_id}-{number}" if life == 1 else f"{worker_id}-{number}.{life}"


def obey_supervisor(stop: Callable[[], None]) -> None:
    """In a child: stop gently at a signal, however often it comes, and when the supervisor is gone.

    Service managers signal the whole group, so that a child hears each signal twice. Only the supervisor ends it hard.
    """
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop)

    def watch() -> None:
        # The supervisor holds the other end of this pipe, and never writes into it.
        while os.read(0, 1024):
            pass
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(stop)

    threading.Thread(target=watch, name="dibs-lifeline", daemon=True).start()


def _send(child: Process, number: int) -> None:
    with suppress(ProcessLookupError):
        child.send_signal(number)
