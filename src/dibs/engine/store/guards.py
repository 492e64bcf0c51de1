"""The parts of a backend that people use directly, with their questions checked first."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from dibs.engine.job import Attempt, Job
from dibs.engine.states import State
from dibs.engine.store.checks import asking
from dibs.engine.store.checks.values import check_batch, check_name, check_span, is_name
from dibs.engine.store.protocols import JobReader, NamedLease, NamedLeases, WorkerCard, WorkerRegistry
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest

SHORTEST_TTL = timedelta(milliseconds=1)


class GuardedReader:
    """Reads. What cannot be an id is not found, without asking."""

    def __init__(self, reader: JobReader) -> None:
        self._reader = reader

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id, in the order asked."""
        check_batch(job_ids)
        asked = [job_id for job_id in job_ids if is_name(job_id)]
        found = dict(zip(asked, await self._reader.find_jobs(asked), strict=True)) if asked else {}
        return [found.get(job_id) for job_id in job_ids]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        asking.check_job_filter(wanted)
        asking.check_page(page)
        return await self._reader.list_jobs(wanted, page)

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state."""
        asking.check_job_filter(wanted)
        return await self._reader.count_jobs(wanted)

    async def count_queues(self) -> dict[str, dict[State, int]]:
        """Count the unfinished jobs of each queue, by state."""
        return await self._reader.count_queues()

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job, oldest attempt first."""
        return await self._reader.list_attempts(job_id) if is_name(job_id) else []

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        asking.check_audit_filter(wanted)
        asking.check_page(page)
        return await self._reader.list_audit(wanted, page)

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""
        return await self._reader.now()


class GuardedLeases:
    """Locks by name."""

    def __init__(self, leases: NamedLeases) -> None:
        self._leases = leases

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        _check_lease(name, owner, ttl)
        return await self._leases.acquire(name, owner, ttl)

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        _check_lease(lease.name, lease.owner, ttl)
        return await self._leases.renew(lease, ttl)

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        _check_lease(lease.name, lease.owner, SHORTEST_TTL)
        return await self._leases.release(lease)

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        check_name(name, "name")
        return await self._leases.find(name)


class GuardedWorkers:
    """Who is at work."""

    def __init__(self, workers: WorkerRegistry) -> None:
        self._workers = workers

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card."""
        check_name(card.worker_id, "worker_id")
        check_span(ttl, "ttl", least=SHORTEST_TTL)
        await self._workers.announce(card, ttl)

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away."""
        check_name(worker_id, "worker_id")
        await self._workers.withdraw(worker_id)

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh, those shown first first."""
        return await self._workers.list_workers()


def _check_lease(name: str, owner: str, ttl: timedelta) -> None:
    check_name(name, "name")
    check_name(owner, "owner")
    check_span(ttl, "ttl", least=SHORTEST_TTL)
