"""The parts of a backend that people use directly, with their questions checked first."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from dibs.engine.audit.sealing import AuditLog, NewEntry, Seal, SealedEntry
from dibs.engine.job import Attempt, Job
from dibs.engine.states import State
from dibs.engine.store.checks import asking, logging
from dibs.engine.store.checks.values import check_batch, check_limit, check_name, check_span, is_name
from dibs.engine.store.protocols import JobReader, NamedLease, NamedLeases, WorkerCard, WorkerRegistry
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest
from dibs.errors import NotSupported

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

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count the unfinished jobs of each queue, by state; all of them, or those of a tenant."""
        if tenant is not None:
            check_name(tenant, "tenant")
        return await self._reader.count_queues(tenant)

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


class GuardedAudit:
    """The audit log, beside what every move appends to it."""

    def __init__(self, log: AuditLog, *, max_payload_bytes: int, can_join: bool) -> None:
        self._log = log
        self._limit = max_payload_bytes
        self._can_join = can_join

    async def append(self, entries: Sequence[NewEntry], *, connection: Any = None) -> None:
        """Add entries of an app, all or none; with `connection`, inside the caller's transaction."""
        for entry in entries:
            logging.check_action(entry)
        await self.append_own(entries, connection=connection)

    async def append_own(self, entries: Sequence[NewEntry], *, connection: Any = None) -> None:
        """Add entries of the engine itself, which has words of its own."""
        fitting = [logging.fit_entry(entry, limit=self._limit) for entry in entries]
        check_connection(connection, can_join=self._can_join)
        if fitting:
            await self._log.append(fitting, connection=connection)

    async def list_unsealed(self, limit: int = 1_000) -> list[AuditEntry]:
        """Read entries that no seal covers yet, the oldest first."""
        check_limit(limit)
        return await self._log.list_unsealed(limit)

    async def count_unsealed(self, tenant: str | None = None) -> int:
        """Count them."""
        return await self._log.count_unsealed(tenant)

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant."""
        return await self._log.list_heads()

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals of one tenant right behind its last one; False when somebody was quicker."""
        logging.check_seals(seals)
        return await self._log.seal(seals) if seals else True

    async def list_sealed(self, tenant: str, after: int = 0, limit: int = 1_000) -> list[SealedEntry]:
        """Read a tenant's seals behind a position, with their entries."""
        check_limit(limit)
        return await self._log.list_sealed(tenant, after, limit)

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget a tenant's entries up to a position."""
        return await self._log.forget_sealed(tenant, through)


def check_connection(connection: Any, *, can_join: bool) -> None:
    """Refuse a caller's connection where the store cannot join its transaction."""
    if connection is not None and not can_join:
        message = "this backend cannot join a transaction (capabilities.transactions is False). Leave out connection."
        raise NotSupported(message)


def _check_lease(name: str, owner: str, ttl: timedelta) -> None:
    check_name(name, "name")
    check_name(owner, "owner")
    check_span(ttl, "ttl", least=SHORTEST_TTL)
