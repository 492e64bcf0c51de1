"""The jobs that a worker holds right now, seen by its loops and by the thread that renews their leases."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from dibs.engine.job import Job, Lease
from dibs.engine.tasks.context import Facts

# How often a handler that runs past its time is told to stop before the worker goes on without it.
MOST_INSISTING = 3


class StopReason(StrEnum):
    """Why a handler is told to stop."""

    TIMEOUT = "timeout"
    LOST = "lost"
    LEAVING = "leaving"
    GATED = "gated"


def _nothing() -> None:
    """There is nothing to give up yet."""


class Held:
    """One job in this worker's hands, from its claim until the store has acknowledged its end."""

    __slots__ = (
        "_deadline",
        "_insisted",
        "began_at",
        "facts",
        "give_up",
        "has_begun",
        "is_over",
        "job",
        "lease",
        "reason",
        "seconds",
        "stop_reason",
        "work",
    )

    def __init__(self, job: Job) -> None:
        self.job = job
        self.lease = job.lease
        self.began_at = time.monotonic()
        self.seconds = 0.0
        self.has_begun = False
        self.reason = ""
        self.is_over = False
        self.give_up: Callable[[], None] = _nothing
        self._insisted = 0
        self.facts: Facts | None = None
        self.work: asyncio.Task[None] | None = None
        self.stop_reason: StopReason | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def begin(self) -> bool:
        """The handler is about to start; False when it was told to stop before."""
        self.has_begun = True
        return self.stop_reason is None

    def stop(self, reason: StopReason) -> None:
        """Tell the handler to stop; the first reason counts."""
        self.stop_reason = self.stop_reason or reason
        if self.facts is not None:
            self.facts.cancel()
        # A task that is cancelled before its first step would end without a word.
        if self.work is not None and self.has_begun:
            self.work.cancel()

    def stop_after(self, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        """Tell the handler to stop when its time is up, and again each second if it does not listen."""
        self._deadline = loop.call_later(seconds, self._insist, loop)

    def _insist(self, loop: asyncio.AbstractEventLoop) -> None:
        self.stop(StopReason.TIMEOUT)
        self._insisted += 1
        if self._insisted > MOST_INSISTING:
            self.give_up()
        else:
            self.stop_after(1.0, loop)

    def end(self) -> None:
        """The handler has ended: note how long it took, and stop nothing any more."""
        self.is_over = True
        self.note_time()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def note_time(self) -> None:
        """Note how long the handler has run so far."""
        self.seconds = time.monotonic() - self.began_at

    def describe(self) -> dict[str, Any]:
        """Tell which job it is and how long its handler ran, for events."""
        job = self.job
        facts = {
            "job_id": job.id,
            "job_type": job.job_type,
            "queue": job.queue,
            "tenant": job.tenant,
            "attempt": job.attempts + 1,
            "seconds": self.seconds,
        }
        return {**facts, "reason": self.reason} if self.reason else facts


class Holdings:
    """All of them. Changed by the event loop only; the renewing thread reads copies."""

    def __init__(self) -> None:
        self._held: dict[Lease, Held] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, job: Job) -> Held:
        """Take a claimed job in hand."""
        held = Held(job)
        with self._lock:
            self._held[held.lease] = held
        return held

    def remove(self, leases: Sequence[Lease]) -> None:
        """Let go of jobs whose end is acknowledged, or that are lost."""
        with self._lock:
            for lease in leases:
                self._held.pop(lease, None)

    def leases(self) -> list[Lease]:
        """Copy the leases; any thread may ask."""
        with self._lock:
            return list(self._held)

    def all(self) -> list[Held]:
        """Copy what is held; any thread may ask."""
        with self._lock:
            return list(self._held.values())

    def find(self, lease: Lease) -> Held | None:
        """Find one by its lease."""
        return self._held.get(lease)
