"""The book of what was enqueued during a test."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OnConflict, StoreRequest
from dibs.engine.store.protocols import JobStore

FindJobs = Callable[[Sequence[str]], list[Job | None]]


class Entry(msgspec.Struct, frozen=True):
    """A job as it was enqueued; `in_doubt` while only the caller's transaction knows whether it was."""

    job: Job
    in_doubt: bool = False


class Ledger:
    """Every job enqueued since the kit began, oldest first.

    Asking it needs no await: an assertion whose await was forgotten would hide a failure.
    """

    def __init__(self, find_jobs: FindJobs) -> None:
        self._find_jobs = find_jobs
        self._entries: dict[str, Entry] = {}

    def jobs(self) -> list[Job]:
        """Give them all, without those whose transaction was rolled back."""
        self._settle()
        return [entry.job for entry in self._entries.values() if not entry.in_doubt]

    def clear(self) -> None:
        """Begin a new page."""
        self._entries.clear()

    def record(self, request: StoreRequest, stored: Sequence[Job | None]) -> None:
        """Note what a store request brought in. A rival that was merely returned is nothing new."""
        replaces = request.unique.on_conflict is OnConflict.REPLACE
        for asked, job in zip(request.jobs, stored, strict=True):
            if job is not None and (job.id == asked.id or replaces):
                self._entries[job.id] = Entry(job, in_doubt=request.connection is not None)

    def _settle(self) -> None:
        doubtful = [job_id for job_id, entry in self._entries.items() if entry.in_doubt]
        if not doubtful:
            return
        for job_id, found in zip(doubtful, self._find_jobs(doubtful), strict=True):
            if found is not None:
                self._entries[job_id] = Entry(self._entries[job_id].job)

    def watch(self, backend: Backend) -> Backend:
        """Note everything that is stored through this handle."""
        backend.jobs = cast("JobStore", WatchedJobs(backend, self))
        return backend


class WatchedJobs:
    """The moves of jobs, with an eye on what is stored."""

    def __init__(self, backend: Backend, ledger: Ledger) -> None:
        self._jobs = backend.jobs
        self._reader = backend.reader
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store, and note it."""
        stored = await self._jobs.store(request)
        self._ledger.record(request, stored)
        return stored

    async def copy(self, request: StoreRequest) -> int:
        """Store many, and note them."""
        count = await self._jobs.copy(request)
        self._ledger.record(request, await self._reader.find_jobs([job.id for job in request.jobs]))
        return count
