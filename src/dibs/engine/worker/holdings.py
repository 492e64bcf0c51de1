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


class Held:
    """One job in this worker's hands, from its claim until the store has acknowledged its end."""

    __slots__ = (
        "_deadline",
        "_insisted",
        "began_at",
        "ended",
        "facts",
        "is_asked",
        "is_over",
        "job",
        "lease",
        "reason",
        "seconds",
        "stop_reason",
        "work",
    )

    def __init__(self, job: Job, ended: Callable[[], None]) -> None:
        self.job = job
        self.lease = job.lease
        self.ended = ended
        self.began_at = 0.0
        self.seconds = 0.0
        self.reason = ""
        self.is_asked = False
        self.is_over = False
        self._insisted = 0
        self.facts: Facts | None = None
        self.work: asyncio.Task[Any] | None = None
        self.stop_reason: StopReason | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def begin(self) -> bool:
        """The handler is about to start, in the present task; False when it was told to stop before."""
        self.began_at = time.monotonic()
        self.work = asyncio.current_task()
        return self.stop_reason is None

    @property
    def is_handing_back(self) -> bool:
        """Whether the handler was asked to, and knows it."""
        return self.is_asked and self.facts is not None and self.facts.was_heard

    def ask(self) -> None:
        """Ask the handler to hand its job back, because of a gate.

        One that cannot be interrupted keeps its job until it has ended: handed back before, it would run twice at once.
        """
        if self.facts is None or self.facts.can_be_interrupted:
            self.stop(StopReason.GATED)
        else:
            self.is_asked = True
            self.facts.ask()

    def stop(self, reason: StopReason) -> None:
        """Tell the handler to stop; the first reason counts."""
        self.stop_reason = self.stop_reason or reason
        if self.facts is not None:
            self.facts.cancel()
        # Before the handler begins, and after it has ended, its task is not its own.
        if self.work is not None:
            self.work.cancel()

    def stop_after(self, seconds: float, give_up: "Callable[[Held], None]") -> None:
        """Tell the handler to stop when its time is up, again each second if it does not listen, then give it up."""
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._insist, give_up)

    def _insist(self, give_up: "Callable[[Held], None]") -> None:
        self.stop(StopReason.TIMEOUT)
        self._insisted += 1
        if self._insisted > MOST_INSISTING:
            give_up(self)
        else:
            self.stop_after(1.0, give_up)

    def end(self) -> None:
        """The handler has ended: note how long it took, and stop nothing any more."""
        self.is_over = True
        self.work = None
        self.note_time()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def note_time(self) -> None:
        """Note how long the handler has run so far."""
        if self.began_at:
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

    def add(self, many: Sequence[Held]) -> None:
        """Take claimed jobs in hand."""
        with self._lock:
            self._held.update((held.lease, held) for held in many)

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
