"""What a store must do. Every backend implements these, and `dibs.testing.BackendSuite` proves that it does.

Rules that hold for every method:

* A batch is one transaction: all of it happens, or none.
* Writes of a holder carry a lease. They move a job only if it is running under that very token, and the check is part
  of the write. The answer has one entry for each request, in order: what happened, or that the lease is lost.
* Only the store's clock decides what is due and what has lapsed.
* A store that cannot be reached raises StoreUnavailable; a write whose fate is not known raises OutcomeUnknown.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Any, Protocol

import msgspec

from dibs.engine.admission.keeping import Admission, Sources
from dibs.engine.audit.sealing import AuditLog
from dibs.engine.job import Attempt, Job, Lease
from dibs.engine.schedules.keeping import Schedules
from dibs.engine.states import State
from dibs.engine.store.checkup import Examiner
from dibs.engine.store.moves import (
    CancelVerdict,
    ClaimRequest,
    Completion,
    Deferral,
    Drop,
    Failure,
    OperatorAct,
    Progress,
    PruneRequest,
    ReapRequest,
    Reclaimed,
    RetryVerdict,
    Rewrite,
    StoreRequest,
)
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest
from dibs.kit.encryption.renewed import Tally


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a backend can do. Ask this, never which backend it is."""

    durable: bool
    shared: bool
    transactions: bool


class JobStore(Protocol):
    """The moves of jobs."""

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs as pending; None where the unique key was taken and the rule says keep."""

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs by the fastest way there is; none of them has a unique key."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker: higher priority first, then the one stored first. Each gets a higher token."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, or to failed when the error lasts or no retry is left.

        A crash counts as a worker's death: to pending, or to failed at the limit of deaths.
        """

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending, due after a delay, at no cost."""

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Move unfinished jobs to cancelled; the token grows, so that a holder's later writes are refused."""

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Move failed and cancelled jobs to pending, due at once, with attempts counted from zero."""

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Move lapsed jobs to pending (failed at the limit of deaths); the token grows. Safe in parallel."""

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs and their attempts, never the audit log; tell how many."""

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id, and their attempts, each with an entry in the log; tell for each whether."""

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Put `after` where `before` still stands, and change nothing else. A batch has a job once."""


class JobReader(Protocol):
    """Reading for dashboards and operators. It never blocks a move."""

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state; every state that is meant has an entry."""

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count the unfinished jobs, or those of a tenant, in each queue that has any; each state has an entry."""

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job, oldest attempt first, the running one included."""

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""


class Subscription(Protocol):
    """Somebody waiting for news."""

    async def wait(self, timeout: timedelta) -> bool:
        """Wait until jobs may have become due in the queues subscribed to; False when the time is up."""


class Notices(Protocol):
    """Hints that jobs are waiting. They may be lost or come for nothing; nothing depends on them."""

    def subscribe(self, queues: Sequence[str] | None = None) -> AbstractAsyncContextManager[Subscription]:
        """Listen for jobs in these queues (None: all)."""

    async def wake(self, queues: Sequence[str]) -> None:
        """Tell those who listen to look."""


class NamedLease(msgspec.Struct, frozen=True, kw_only=True):
    """A lock with an owner and an end. `token` grows with every acquisition of the name, for ever."""

    name: str
    owner: str
    token: int
    expires_at: datetime


class NamedLeases(Protocol):
    """Locks by name, for everything that is not a job."""

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now; None when somebody else has taken it since, or it was released.

        One that merely expired, with nobody else there, is renewed.
        """

    async def release(self, lease: NamedLease) -> bool:
        """Give it up; False when it was not held any more under this token."""

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it; None when nobody does or it has expired."""


class LeaseParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a store of named leases alone consists of."""

    leases: NamedLeases
    examiner: Examiner
    close: Callable[[], Awaitable[None]]


class Transactions(Protocol):
    """Transactions that the backend itself opens, for handlers that want theirs to end with the job."""

    def begin(self) -> AbstractAsyncContextManager[Any]:
        """Open one: it gives a connection, commits at the end of the block, rolls back on an error."""


class WorkerCard(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker says of itself: who it is, what it takes, what it holds, since when."""

    worker_id: str
    host: str
    pid: int
    state: str
    job_types: tuple[str, ...]
    queues: tuple[str, ...] | None = None
    tenant: str | None = None
    slots: int = 0
    held: int = 0
    holding: tuple[str, ...] = ()
    started_at: datetime | None = None
    seen_at: datetime | None = None


class WorkerRegistry(Protocol):
    """Who is at work. A card that is not renewed in time is not shown any more."""

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card; the store dates it (`started_at` the first time, `seen_at` each time)."""

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away."""

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh, those shown first first."""


class SchemaState(msgspec.Struct, frozen=True, kw_only=True):
    """Which schema the store has, which one this code writes, and the oldest code that the store's schema serves."""

    found: int
    wanted: int
    oldest_code: int

    @property
    def is_usable(self) -> bool:
        """Whether this code can work on that schema."""
        return self.oldest_code <= self.wanted <= self.found


class Schema(Protocol):
    """The layout of the store, versioned."""

    async def state(self) -> SchemaState:
        """Look, without changing anything; `found` is 0 where nothing is installed."""

    async def migrate(self) -> list[int]:
        """Bring the store up to date; safe when many processes do it at once. Tells the versions it applied."""


class Roles(Protocol):
    """Rights in a store whose server knows roles."""

    async def grant(self, role: str) -> None:
        """Let a role store and work jobs; it may neither install nor change or delete what the audit log says."""


class Renewing(Protocol):
    """Writing what is encrypted anew, with the first key of today."""

    def renew_jobs(self, *, tenant: str | None = None, is_dry: bool = False) -> AsyncIterator[Tally]:
        """Go through all jobs once, page by page."""

    async def renew_schedules(self, act: OperatorAct, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Go through all schedules once."""


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What a backend consists of: one part a protocol, and how to let go of them all."""

    jobs: JobStore
    reader: JobReader
    notices: Notices
    leases: NamedLeases
    schema: Schema
    workers: WorkerRegistry
    admission: Admission
    sources: Sources
    audit: AuditLog
    schedules: Schedules
    roles: Roles | None = None
    transactions: Transactions | None = None
    examiner: Examiner | None = None
    lease_examiner: Examiner | None = None
    # What the house itself takes stays with the jobs, also where others' leases are kept elsewhere.
    house_leases: NamedLeases | None = None
    renewal: Renewing | None = None
    capabilities: Capabilities
    close: Callable[[], Awaitable[None]]
