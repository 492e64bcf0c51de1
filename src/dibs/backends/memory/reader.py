"""Looking at the memory backend."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from dibs.backends.memory.world import World
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest

Item = TypeVar("Item")


class MemoryReader:
    """Answers from what the world holds right now."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        return [self._world.jobs.get(job_id) for job_id in job_ids]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        newest_first = (job for job in reversed(self._world.jobs.values()) if wanted.fits(job))
        return _page(newest_first, page, lambda job: self._world.sequence[job.id])

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state."""
        counts = dict.fromkeys(wanted.states or State, 0)
        for job in self._world.jobs.values():
            if wanted.fits(job):
                counts[job.state] += 1
        return counts

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job. The last success and the running attempt are told by the job's own row."""
        job = self._world.jobs.get(job_id)
        if job is None:
            return []
        ended = self._world.attempts[job_id]
        if job.state is State.RUNNING:
            return [*ended, self._world.current_attempt(job, AttemptOutcome.RUNNING, ended_at=None)]
        if job.state is State.SUCCEEDED:
            last = self._world.current_attempt(job, AttemptOutcome.SUCCEEDED, ended_at=job.finished_at)
            return [*ended, last]
        return list(ended)

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        newest_first = (entry for entry in reversed(self._world.audit) if wanted.fits(entry))
        return _page(newest_first, page, lambda entry: entry.sequence)

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""
        with self._world:
            return self._world.now


def _page(newest_first: Iterable[Item], page: PageRequest, key: Callable[[Item], int]) -> Page[Item]:
    items: list[Item] = []
    for item in newest_first:
        if page.cursor is not None and key(item) >= page.cursor:
            continue
        if len(items) == page.limit:
            return Page(items=items, next_cursor=key(items[-1]))
        items.append(item)
    return Page(items=items)
