"""Watching a worker's event loop from another thread: whether it turns, and what holds it up."""

import asyncio
import contextlib
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from dibs.engine import events
from dibs.engine.worker.health import Health
from dibs.engine.worker.reach import Reach
from dibs.errors import BadInput
from dibs.kit.log import get_logger

log = get_logger("dibs.pulse")

WATCH_SECONDS = 1.0
LAG_TO_TELL_SECONDS = 2.0


class WorkerLoop:
    """The event loop of a worker, as its other threads reach it. Make it on that loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def call_soon(self, act: Callable[[], object]) -> None:
        """Let something be done there; any thread may ask."""
        with contextlib.suppress(RuntimeError):
            # A loop that is closed has nobody left to tell.
            self._loop.call_soon_threadsafe(act)

    def find_place(self) -> str:
        """Tell which line it is at."""
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001 - the only way to see what blocks the loop
        return traceback.format_stack(frame)[-1].strip() if frame is not None else "unknown"


class Watching:
    """Asks the worker's loop for an answer again and again, and writes down how it is."""

    def __init__(self, loop: WorkerLoop, health: Health, reach: Reach, health_file: Path | None) -> None:
        self._loop = loop
        self._health = health
        self._reach = reach
        self._health_file = health_file
        self._told_at = 0.0

    def begin_file(self) -> None:
        """Refuse a file that cannot be written: whoever looks at its age would take the worker for dead."""
        try:
            if self._health_file is not None:
                self._health.write_file(self._health_file)
        except OSError as cause:
            message = f"cannot keep this worker's health in {self._health_file} ({cause.strerror})."
            raise BadInput(f"{message} Choose another health file.") from cause

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            asked_at = time.monotonic()
            answered = threading.Event()
            self._loop.call_soon(answered.set)
            while not answered.is_set():
                await asyncio.sleep(min(WATCH_SECONDS, 0.05 + (time.monotonic() - asked_at)))
                self._write_health()
                self._tell_lag(time.monotonic() - asked_at)
            self._health.saw_loop()
            self._write_health()
            await asyncio.sleep(WATCH_SECONDS)

    def _tell_lag(self, lag: float) -> None:
        now = time.monotonic()
        if lag < LAG_TO_TELL_SECONDS or now - self._told_at < LAG_TO_TELL_SECONDS:
            return
        self._told_at = now
        facts = {"seconds": round(lag, 1), "at": self._loop.find_place()}
        log.warning("engine.loop.lagged", **facts)
        self._loop.call_soon(lambda: self._reach.tell.emit(events.LOOP_LAGGED, **facts))

    def _write_health(self) -> None:
        if self._health_file is not None:
            with contextlib.suppress(OSError):
                self._health.write_file(self._health_file)
