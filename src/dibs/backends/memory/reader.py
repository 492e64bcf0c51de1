"""Looking at the memory backend."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from dibs.backends.memory.world import World, shown
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import UNFINISHED, State
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest, collect_queues

Item = TypeVar("Item")


class MemoryReader:
    """Answers from what the world holds right now."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        with self._world:
            found = [self._world.jobs.get(job_id) for job_id in job_ids]
        return [None if job is None else shown(job) for job in found]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        with self._world:
            numbers = self._world.sequence
            floor = page.find_floor(min(numbers.values(), default=None), max(numbers.values(), default=None))
            near = (job for job in reversed(self._world.jobs.values()) if floor is None or numbers[job.id] >= floor)
            found = _page((job for job in near if wanted.fits(job)), page, lambda job: numbers[job.id])
            if found.next_cursor is None:
                found = replace(found, next_cursor=floor)
        return Page(items=[shown(job) for job in found.items], next_cursor=found.next_cursor)

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state."""
        counts = dict.fromkeys(State if wanted.states is None else wanted.states, 0)
        with self._world:
            for job in self._world.jobs.values():
                if wanted.fits(job):
                    counts[job.state] += 1
        return counts

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count unfinished jobs in each queue."""
        with self._world:
            jobs = [job for job in self._world.jobs.values() if tenant in (None, job.tenant)]
        return collect_queues((job.queue, job.state, 1) for job in jobs if job.state in UNFINISHED)

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job. The last success and the running attempt are told by the job's own row."""
        with self._world:
            job = self._world.jobs.get(job_id)
            return [] if job is None else [*self._world.attempts[job_id], *self._told_by_row(job)]

    def _told_by_row(self, job: Job) -> list[Attempt]:
        if job.state is State.RUNNING:
            return [self._world.current_attempt(job, AttemptOutcome.RUNNING, ended_at=None)]
        if job.state is State.SUCCEEDED:
            return [self._world.current_attempt(job, AttemptOutcome.SUCCEEDED, ended_at=job.finished_at)]
        return []

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        with self._world:
            log = self._world.audit
            floor = page.find_floor(log[0].sequence, log[-1].sequence) if log else None
            near = (entry for entry in reversed(log) if floor is None or entry.sequence >= floor)
            found = _page((entry for entry in near if wanted.fits(entry)), page, lambda entry: entry.sequence)
            return found if found.next_cursor is not None else replace(found, next_cursor=floor)

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
