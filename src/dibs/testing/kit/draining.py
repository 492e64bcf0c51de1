"""Running what is due, and what will be, until nothing is left."""

from collections import Counter
from datetime import datetime, timedelta

from dibs.engine.job import Job
from dibs.engine.states import UNFINISHED, State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import LARGEST_PAGE, JobFilter, PageRequest
from dibs.errors import BadInput

MOST_NAMED = 5


class Budget:
    """How many executions a drain may take. Handlers that enqueue themselves would keep it busy for ever."""

    def __init__(self, most: int) -> None:
        if most < 1:
            message = f"most={most} lets a drain run nothing. Give a positive number."
            raise BadInput(message)
        self._most = most
        self._ran: list[Job] = []

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may run."""
        return len(self._ran) == self._most

    def spend(self, job: Job) -> None:
        """Count one execution."""
        self._ran.append(job)

    def complain(self, next_job: Job) -> str:
        """Say what kept coming, and still does."""
        jobs = Counter((job.job_type, job.id) for job in self._ran)
        types = Counter(job.job_type for job in self._ran).most_common(MOST_NAMED)
        lines = [f"  {name}: {count} executions of {_jobs_of(name, jobs)}" for name, count in types]
        head = f"the drain did not end: {self._most} executions, and {next_job.job_type} {next_job.id!r} is due again."
        advice = "If that many are right, ask for more: drain(most=…)."
        return "\n".join([head, "What kept coming:", *lines, advice])


def _jobs_of(name: str, jobs: "Counter[tuple[str, str]]") -> str:
    ids = [job_id for (job_type, job_id), _ in jobs.most_common() if job_type == name]
    shown = ", ".join(repr(job_id) for job_id in ids[:MOST_NAMED])
    return f"job {shown}" if len(ids) == 1 else f"{len(ids)} jobs, among them {shown}"


def find_horizon(now: datetime, until: timedelta | datetime) -> datetime:
    """Say until when to follow what is scheduled."""
    horizon = now + until if isinstance(until, timedelta) else until
    if horizon.tzinfo is None:
        message = f"until={until} has no time zone. Give an aware datetime, or a timedelta from now."
        raise BadInput(message)
    return horizon


async def find_next_change(backend: Backend, job_types: frozenset[str], seen_at: datetime) -> datetime | None:
    """Tell when the next job becomes due, or the next lease of a vanished worker lapses; None: nothing is to come.

    `seen_at` is when due jobs were last looked for: what became due since then is still to come.
    """
    changes = [_changes_at(job) for job in await _list_unfinished(backend) if job.job_type in job_types]
    return min((instant for instant in changes if instant is not None and instant > seen_at), default=None)


async def _list_unfinished(backend: Backend) -> list[Job]:
    wanted, cursor = JobFilter(states=UNFINISHED), None
    jobs: list[Job] = []
    while True:
        page = await backend.reader.list_jobs(wanted, PageRequest(cursor=cursor, limit=LARGEST_PAGE))
        jobs += page.items
        cursor = page.next_cursor
        if cursor is None:
            return jobs


def _changes_at(job: Job) -> datetime | None:
    return job.lease_expires_at if job.state is State.RUNNING else job.run_at
