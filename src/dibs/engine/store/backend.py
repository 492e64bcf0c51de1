"""A store as the rest of Dibs sees it: checks what comes in, asks the parts, and says clearly what did not work."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.states import State
from dibs.engine.store import checks
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
    StoreRequest,
    UniqueRule,
)
from dibs.engine.store.protocols import Parts
from dibs.errors import BadInput, JobConflict, JobNotFound, LeaseLost, NotSupported, StoreError, UniqueKeyTaken
from dibs.kit.codec import encode_json
from dibs.kit.money import to_microcents
from dibs.kit.text import printable
from dibs.settings import Settings, default_worker_id

DEFAULT_UNIQUE = UniqueRule()
# A notice to workers that jobs were cancelled. A queue of this name would merely make them look more often.
CANCEL_NOTICE = "dibs:cancelled"


class Backend:
    """One store of jobs. Open it with `dibs.open_backend(url)`.

    Verbs for one job raise when nothing moved; verbs for many tell what moved, in the order asked.
    """

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self.settings = settings
        self.jobs = parts.jobs
        self.reader = parts.reader
        self.notices = parts.notices
        self.leases = parts.leases
        self.schema = parts.schema
        self.workers = parts.workers
        self.transactions = parts.transactions
        self.examiner = parts.examiner
        self.capabilities = parts.capabilities
        self._close = parts.close

    async def close(self) -> None:
        """Let go of connections, threads and files."""
        await self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def store_job(
        self,
        job: Job,
        *,
        unique: UniqueRule = DEFAULT_UNIQUE,
        delay: timedelta | None = None,
        connection: Any = None,
    ) -> Job | None:
        """Store one job. None: its unique key was taken, and the rule says to keep the other one."""
        return (await self.store_jobs([job], unique=unique, delay=delay, connection=connection))[0]

    async def store_jobs(
        self,
        jobs: Sequence[Job],
        *,
        unique: UniqueRule = DEFAULT_UNIQUE,
        delay: timedelta | None = None,
        connection: Any = None,
    ) -> list[Job | None]:
        """Store all of these jobs, or none of them. With `connection`, inside the caller's transaction."""
        request = self._store_request(jobs, unique, delay, connection)
        return await self.jobs.store(request) if jobs else []

    async def copy_jobs(self, jobs: Sequence[Job], *, delay: timedelta | None = None) -> int:
        """Store many jobs by the fastest way the store has, all or none; unique keys are refused."""
        keyed = next((job for job in jobs if job.unique_key is not None), None)
        if keyed is not None:
            message = f"job {keyed.id!r} has a unique key, which copy_jobs cannot enforce. Use store_jobs."
            raise BadInput(message)
        request = self._store_request(jobs, DEFAULT_UNIQUE, delay, None)
        return await self.jobs.copy(request) if jobs else 0

    async def claim_pending_job(self, job_types: Sequence[str] | None = None, **wanted: Any) -> Job | None:
        """Claim the most urgent due job, or None. Takes what `claim_pending_jobs` takes."""
        claimed = await self.claim_pending_jobs(1, job_types=job_types, **wanted)
        return claimed[0] if claimed else None

    async def claim_pending_jobs(
        self,
        limit: int,
        *,
        job_types: Sequence[str] | None = None,
        queues: Sequence[str] | None = None,
        tenant: str | None = None,
        worker: str | None = None,
        lease: timedelta | None = None,
    ) -> list[Job]:
        """Claim up to `limit` due jobs: higher priority first, then the one stored first."""
        request = ClaimRequest(
            worker=worker or self.settings.worker_id or default_worker_id(),
            limit=limit,
            lease=self.settings.lease if lease is None else lease,
            queues=None if queues is None else tuple(dict.fromkeys(queues)),
            job_types=None if job_types is None else tuple(dict.fromkeys(job_types)),
            tenant=tenant,
        )
        checks.check_claim(request)
        nothing_wanted = request.queues == () or request.job_types == ()
        return [] if nothing_wanted else await self.jobs.claim(request)

    async def complete_job(
        self, lease: Lease, output: Any = None, *, cost_cents: Decimal | float = 0, connection: Any = None
    ) -> None:
        """Finish a running job. With `connection`, its completion commits with the caller's own writes."""
        completion = self.completion(lease, output, cost_cents=cost_cents)
        _held([lease], await self.complete_jobs([completion], connection=connection))

    def completion(self, lease: Lease, output: Any = None, *, cost_cents: Decimal | float = 0) -> Completion:
        """Check and encode what a handler returned, for `complete_jobs`."""
        encoded = encode_json(output, limit=self.settings.max_payload_bytes, what=f"output of job {lease.job_id!r}")
        return Completion(lease=lease, output=encoded, cost_microcents=to_microcents(cost_cents))

    async def complete_jobs(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Finish running jobs; tells for each whether its lease still held."""
        checks.check_leases([completion.lease for completion in completions])
        self._check_connection(connection)
        return await self.jobs.complete(completions, connection=connection) if completions else []

    async def fail_job(self, failure: Failure) -> State:
        """Record a handler's failure; tells whether the job will be tried again."""
        state = (await self.fail_jobs([failure]))[0]
        _held([failure.lease], [state is not None])
        return state or State.FAILED

    async def fail_jobs(self, failures: Sequence[Failure]) -> list[State | None]:
        """Record failures; tells for each where the job stands now, None where the lease was lost."""
        checks.check_leases([failure.lease for failure in failures])
        for failure in failures:
            checks.check_span(failure.retry_in, "retry_in")
        return await self.jobs.fail(failures) if failures else []

    async def snooze_job(self, lease: Lease, delay: timedelta, *, cost_cents: Decimal | float = 0) -> None:
        """Give a running job back, to be due again after `delay`; costs no attempt."""
        snooze = Deferral(lease=lease, delay=delay, cost_microcents=to_microcents(cost_cents))
        _held([lease], await self.snooze_jobs([snooze]))

    async def release_jobs(self, leases: Sequence[Lease]) -> list[bool]:
        """Hand running jobs back at once because this worker is leaving; costs no attempt."""
        return await self.snooze_jobs([Deferral(lease=lease, outcome=AttemptOutcome.RELEASED) for lease in leases])

    async def snooze_jobs(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Give running jobs back; tells for each whether its lease still held."""
        checks.check_leases([snooze.lease for snooze in snoozes])
        for snooze in snoozes:
            checks.check_span(snooze.delay, "delay")
        return await self.jobs.snooze(snoozes) if snoozes else []

    async def drop_job(self, lease: Lease, reason: str = "", *, cost_cents: Decimal | float = 0) -> None:
        """Cancel a running job as its holder: it need not be done any more."""
        drop = Drop(
            lease=lease, reason=printable(reason, checks.LONGEST_REASON), cost_microcents=to_microcents(cost_cents)
        )
        _held([lease], await self.drop_jobs([drop]))

    async def drop_jobs(self, drops: Sequence[Drop]) -> list[bool]:
        """Cancel running jobs as their holder; tells for each whether its lease still held."""
        checks.check_leases([drop.lease for drop in drops])
        return await self.jobs.drop(drops) if drops else []

    async def heartbeat_jobs(self, leases: Sequence[Lease], *, duration: timedelta | None = None) -> list[bool]:
        """Renew leases; tells for each whether it still holds."""
        checks.check_leases(leases)
        span = self.settings.lease if duration is None else duration
        checks.check_span(span, "duration", least=checks.SHORTEST_LEASE)
        return await self.jobs.heartbeat(leases, span) if leases else []

    async def report_progress(self, lease: Lease, value: Any) -> None:
        """Keep how far a running job is."""
        encoded = encode_json(value, limit=self.settings.max_payload_bytes, what=f"progress of job {lease.job_id!r}")
        _held([lease], await self.jobs.report_progress([Progress(lease=lease, value=encoded)]))

    async def cancel_job(self, job_id: str, *, actor: str, reason: str) -> None:
        """Cancel an unfinished job as an operator; a running one's holder loses its lease."""
        verdict = (await self.cancel_jobs([job_id], actor=actor, reason=reason))[0]
        if verdict is CancelVerdict.MISSING:
            raise _missing(job_id)
        if verdict is CancelVerdict.ALREADY_FINAL:
            message = f"job {job_id!r} is finished already; there is nothing to cancel."
            raise JobConflict(message)

    async def cancel_jobs(self, job_ids: Sequence[str], *, actor: str, reason: str) -> list[CancelVerdict]:
        """Cancel jobs as an operator; tells what became of each."""
        act = OperatorAct(actor=actor, reason=reason)
        checks.check_act(act)
        checks.check_ids(job_ids)
        verdicts = await self.jobs.cancel(job_ids, act) if job_ids else []
        if CancelVerdict.CANCELLED in verdicts:
            await self._hurry(CANCEL_NOTICE)
        return verdicts

    async def _hurry(self, notice: str) -> None:
        """Let workers look at once. Without this they learn it at their next heartbeat."""
        with suppress(StoreError):
            await self.notices.wake([notice])

    async def retry_job(self, job_id: str, *, actor: str, reason: str) -> None:
        """Put a failed or cancelled job back as an operator."""
        verdict = (await self.retry_jobs([job_id], actor=actor, reason=reason))[0]
        if verdict is RetryVerdict.MISSING:
            raise _missing(job_id)
        if verdict is RetryVerdict.NOT_REVIVABLE:
            message = f"job {job_id!r} is neither failed nor cancelled. Only those can be retried by hand."
            raise JobConflict(message)
        if verdict is RetryVerdict.KEY_TAKEN:
            message = f"another unfinished job holds the unique key of job {job_id!r}. Wait for it, or cancel it first."
            raise UniqueKeyTaken(message)

    async def retry_jobs(self, job_ids: Sequence[str], *, actor: str, reason: str) -> list[RetryVerdict]:
        """Put jobs back as an operator; tells what became of each."""
        act = OperatorAct(actor=actor, reason=reason)
        checks.check_act(act)
        checks.check_ids(job_ids)
        return await self.jobs.retry(job_ids, act) if job_ids else []

    async def reap_jobs(self, limit: int = 500) -> list[Reclaimed]:
        """Take back jobs whose worker vanished."""
        checks.check_limit(limit)
        request = ReapRequest(limit=limit, max_worker_deaths=self.settings.max_worker_deaths)
        return await self.jobs.reap(request)

    async def prune_jobs(self, request: PruneRequest) -> int:
        """Forget finished jobs; tells how many (with `dry_run`: how many it would)."""
        checks.check_prune(request)
        return await self.jobs.prune(request)

    async def find_job(self, job_id: str) -> Job | None:
        """Read a job, or None."""
        return (await self.reader.find_jobs([job_id]))[0]

    async def get_job(self, job_id: str) -> Job:
        """Read a job that must exist."""
        job = await self.find_job(job_id)
        if job is None:
            raise _missing(job_id)
        return job

    def _store_request(
        self, jobs: Sequence[Job], unique: UniqueRule, delay: timedelta | None, connection: Any
    ) -> StoreRequest:
        self._check_connection(connection)
        checks.check_unique_rule(unique)
        if delay is not None:
            checks.check_span(delay, "delay")
        inputs = checks.check_new_jobs(jobs, limit=self.settings.max_payload_bytes)
        return StoreRequest(jobs=jobs, inputs=inputs, unique=unique, delay=delay, connection=connection)

    def _check_connection(self, connection: Any) -> None:
        if connection is not None and not self.capabilities.transactions:
            message = (
                "this backend cannot join a transaction (capabilities.transactions is False). Leave out connection."
            )
            raise NotSupported(message)


def _held(leases: Sequence[Lease], moved: Sequence[bool]) -> None:
    for lease, has_moved in zip(leases, moved, strict=True):
        if not has_moved:
            message = (
                f"job {lease.job_id!r} is not running under token {lease.token} any more:"
                " it was reclaimed, cancelled or finished. Stop working on it; nothing was written."
            )
            raise LeaseLost(message)


def _missing(job_id: str) -> JobNotFound:
    return JobNotFound(f"no job has the id {job_id!r}. It may never have been stored, or it was pruned.")
