"""A store as the rest of Dibs sees it: checks what comes in, asks the parts, and says clearly what did not work."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.schedules.timetable import Timetable
from dibs.engine.states import State
from dibs.engine.store.checks import moving, storing
from dibs.engine.store.checks.values import check_limit, check_names, check_span
from dibs.engine.store.governing import GuardedAdmission, GuardedSources
from dibs.engine.store.guards import GuardedAudit, GuardedLeases, GuardedReader, GuardedWorkers, check_connection
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
from dibs.errors import BadInput, JobConflict, JobNotFound, LeaseLost, StoreError, UniqueKeyTaken
from dibs.kit.codec import Json, encode_json
from dibs.kit.money import to_microcents
from dibs.settings import Settings, default_worker_id

DEFAULT_UNIQUE = UniqueRule()
# A notice to workers that jobs were cancelled. A queue of this name would merely make them look more often.
CANCEL_NOTICE = "dibs:cancelled"
# A claim that brings nothing for so long meets a store that is away; whatever it brings later, the reaper gives back.
GIVING_BACK_SECONDS = 1.0


class Backend:
    """One store of jobs. Open it with `dibs.open_backend(url)`.

    Verbs for one job raise when nothing moved; verbs for many tell what moved, in the order asked.
    """

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self.settings = settings
        self.transactions = parts.transactions
        self.examiner = parts.examiner
        self.renewal = parts.renewal
        self.roles = parts.roles
        self.lease_examiner = parts.lease_examiner
        self.capabilities = parts.capabilities
        self._use(parts, can_join=parts.capabilities.transactions)
        self._close = parts.close
        self._giving_back: set[asyncio.Task[None]] = set()

    def _use(self, parts: Parts, *, can_join: bool) -> None:
        largest = self.settings.max_payload_bytes
        self.jobs = parts.jobs
        self.notices = parts.notices
        self.schema = parts.schema
        self.reader = GuardedReader(parts.reader)
        self.leases = GuardedLeases(parts.leases)
        self.house_leases = GuardedLeases(parts.house_leases or parts.leases)
        self.workers = GuardedWorkers(parts.workers)
        self.admission = GuardedAdmission(parts.admission, self._hurry)
        self.sources = GuardedSources(parts.sources)
        self.audit = GuardedAudit(parts.audit, max_payload_bytes=largest, can_join=can_join)
        self.schedules = Timetable(
            parts.schedules,
            clock=self.reader.now,
            on_cancelled=lambda: self._hurry(CANCEL_NOTICE),
            max_payload_bytes=largest,
        )

    async def close(self) -> None:
        """Let go of connections, threads and files. Whatever is asked afterwards is refused."""
        if self._giving_back:
            await asyncio.wait(self._giving_back, timeout=GIVING_BACK_SECONDS)
        # First: a close that is refused, in another event loop say, must leave the handle to its rightful owner.
        await self._close()
        closed: Any = ClosedParts()
        # That it is closed is said first, also to who brings a connection.
        self._use(closed, can_join=True)

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
        [stored] = await self.store_jobs([job], unique=unique, delay=delay, connection=connection)
        return stored

    async def store_jobs(
        self,
        jobs: Sequence[Job],
        *,
        unique: UniqueRule = DEFAULT_UNIQUE,
        delay: timedelta | None = None,
        connection: Any = None,
    ) -> list[Job | None]:
        """Store all of these jobs, or none of them. With `connection`, inside the caller's transaction."""
        request = self._store_request(list(jobs), unique, delay, connection)
        return await self.jobs.store(request) if request.jobs else []

    def check_job(self, job: Job) -> Json:
        """Refuse a job that cannot be stored; give its input as JSON, for `store_checked`."""
        return storing.check_new_jobs([job], limit=self.settings.max_payload_bytes)[0]

    async def store_checked(self, jobs: Sequence[Job], inputs: Sequence[Json]) -> list[Job | None]:
        """Store jobs that `check_job` has let pass, all or none: of different ids, and without unique keys."""
        return await self.jobs.store(StoreRequest(jobs=jobs, inputs=inputs))

    async def copy_jobs(self, jobs: Sequence[Job], *, delay: timedelta | None = None) -> int:
        """Store many jobs by the fastest way the store has, all or none; unique keys are refused."""
        request = self._store_request(list(jobs), DEFAULT_UNIQUE, delay, None)
        keyed = next((job for job in request.jobs if job.unique_key is not None), None)
        if keyed is not None:
            message = f"job {keyed.id!r} has a unique key, which copy_jobs cannot enforce. Use store_jobs."
            raise BadInput(message)
        return await self.jobs.copy(request) if request.jobs else 0

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
            queues=as_names(queues, "queues"),
            job_types=as_names(job_types, "job_types"),
            tenant=tenant,
        )
        moving.check_claim(request)
        nothing_wanted = request.queues == () or request.job_types == ()
        return [] if nothing_wanted else await self._claim_safely(request)

    async def _claim_safely(self, request: ClaimRequest) -> list[Job]:
        """Let a claim that was sent come to its end; if its caller has left meanwhile, give back what it brings."""
        claiming = asyncio.ensure_future(self.jobs.claim(request))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            if not claiming.cancelled():
                giving_back = asyncio.create_task(self._give_back(claiming))
                self._giving_back.add(giving_back)
                giving_back.add_done_callback(self._giving_back.discard)
            raise

    async def _give_back(self, claiming: "asyncio.Future[list[Job]]") -> None:
        # If the store fails now, the leases lapse and the reaper does it.
        with suppress(StoreError):
            jobs = await claiming
            await self.release_jobs([job.lease for job in jobs])

    async def complete_job(
        self, lease: Lease, output: Any = None, *, cost_cents: Decimal | float = 0, connection: Any = None
    ) -> None:
        """Finish a running job. With `connection`, its completion commits with the caller's own writes."""
        completion = self.completion(lease, output, cost_cents=cost_cents)
        _check_held(lease, await self.complete_jobs([completion], connection=connection))

    def completion(self, lease: Lease, output: Any = None, *, cost_cents: Decimal | float = 0) -> Completion:
        """Check and encode what a handler returned, for `complete_jobs`."""
        encoded = encode_json(output, limit=self.settings.max_payload_bytes, what="output of job", of=lease.job_id)
        cost = to_microcents(cost_cents) if cost_cents else 0
        return Completion(lease=lease, output=encoded, cost_microcents=cost, is_checked=True)

    async def complete_jobs(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Finish running jobs; tells for each whether its lease still held."""
        moving.check_completions(completions)
        self._check_connection(connection)
        return await self.jobs.complete(completions, connection=connection) if completions else []

    async def fail_job(self, failure: Failure) -> State:
        """Record a handler's failure; tells whether the job will be tried again."""
        [state] = await self.fail_jobs([failure])
        if state is None:
            raise _lost(failure.lease)
        return state

    async def fail_jobs(self, failures: Sequence[Failure]) -> list[State | None]:
        """Record failures; tells for each where the job stands now, None where the lease was lost."""
        fitting = moving.fit_failures(failures)
        return await self.jobs.fail(fitting) if fitting else []

    async def snooze_job(self, lease: Lease, delay: timedelta, *, cost_cents: Decimal | float = 0) -> None:
        """Give a running job back, to be due again after `delay`; costs no attempt."""
        snooze = Deferral(lease=lease, delay=delay, cost_microcents=to_microcents(cost_cents))
        _check_held(lease, await self.snooze_jobs([snooze]))

    async def release_jobs(self, leases: Sequence[Lease]) -> list[bool]:
        """Hand running jobs back at once because this worker is leaving; costs no attempt."""
        return await self.snooze_jobs([Deferral(lease=lease, outcome=AttemptOutcome.RELEASED) for lease in leases])

    async def snooze_jobs(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Give running jobs back; tells for each whether its lease still held."""
        moving.check_deferrals(snoozes)
        return await self.jobs.snooze(snoozes) if snoozes else []

    async def drop_job(self, lease: Lease, reason: str = "", *, cost_cents: Decimal | float = 0) -> None:
        """Cancel a running job as its holder: it need not be done any more."""
        drop = Drop(lease=lease, reason=reason, cost_microcents=to_microcents(cost_cents))
        _check_held(lease, await self.drop_jobs([drop]))

    async def drop_jobs(self, drops: Sequence[Drop]) -> list[bool]:
        """Cancel running jobs as their holder; tells for each whether its lease still held."""
        fitting = moving.fit_drops(drops)
        return await self.jobs.drop(fitting) if fitting else []

    async def heartbeat_jobs(self, leases: Sequence[Lease], *, duration: timedelta | None = None) -> list[bool]:
        """Renew leases; tells for each whether it still holds."""
        moving.check_leases(leases)
        span = self.settings.lease if duration is None else duration
        check_span(span, "duration", least=moving.SHORTEST_LEASE)
        return await self.jobs.heartbeat(leases, span) if leases else []

    async def report_progress(self, lease: Lease, value: Any) -> None:
        """Keep how far a running job is."""
        encoded = encode_json(value, limit=self.settings.max_payload_bytes, what="progress of job", of=lease.job_id)
        moving.check_leases([lease])
        _check_held(lease, await self.jobs.report_progress([Progress(lease=lease, value=encoded)]))

    async def cancel_job(self, job_id: str, *, actor: str, reason: str) -> None:
        """Cancel an unfinished job as an operator; a running one's holder loses its lease."""
        [verdict] = await self.cancel_jobs([job_id], actor=actor, reason=reason)
        if verdict is CancelVerdict.MISSING:
            raise _missing(job_id)
        if verdict is CancelVerdict.ALREADY_FINAL:
            message = f"job {job_id!r} is finished already; there is nothing to cancel."
            raise JobConflict(message)

    async def cancel_jobs(self, job_ids: Sequence[str], *, actor: str, reason: str) -> list[CancelVerdict]:
        """Cancel jobs as an operator; tells what became of each."""
        act = moving.fit_act(OperatorAct(actor=actor, reason=reason))
        moving.check_ids(job_ids)
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
        [verdict] = await self.retry_jobs([job_id], actor=actor, reason=reason)
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
        act = moving.fit_act(OperatorAct(actor=actor, reason=reason))
        moving.check_ids(job_ids)
        return await self.jobs.retry(job_ids, act) if job_ids else []

    async def reap_jobs(self, limit: int = 500) -> list[Reclaimed]:
        """Take back jobs whose worker vanished."""
        check_limit(limit)
        request = ReapRequest(limit=limit, max_worker_deaths=self.settings.max_worker_deaths)
        return await self.jobs.reap(request)

    async def prune_jobs(self, request: PruneRequest) -> int:
        """Forget finished jobs; tells how many (with `dry_run`: how many it would)."""
        return await self.jobs.prune(moving.fit_prune(request))

    async def erase_jobs(self, job_ids: Sequence[str], *, actor: str, reason: str) -> list[bool]:
        """Forget finished jobs at once, whatever their age; tells for each whether it was there and finished."""
        act = moving.fit_act(OperatorAct(actor=actor, reason=reason))
        moving.check_ids(job_ids)
        return await self.jobs.erase(job_ids, act) if job_ids else []

    async def find_job(self, job_id: str) -> Job | None:
        """Read a job, or None."""
        [job] = await self.reader.find_jobs([job_id])
        return job

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
        if delay is not None:
            check_span(delay, "delay")
        inputs = storing.check_new_jobs(jobs, limit=self.settings.max_payload_bytes)
        fitting = unique if unique is DEFAULT_UNIQUE else storing.fit_unique_rule(unique)
        return StoreRequest(jobs=jobs, inputs=inputs, unique=fitting, delay=delay, connection=connection)

    def _check_connection(self, connection: Any) -> None:
        check_connection(connection, can_join=self.capabilities.transactions)


class ClosedParts:
    """What is left of a store that was closed: parts, each of which refuses whatever it is asked."""

    def __getattr__(self, name: str) -> "ClosedPart":
        return ClosedPart()


class ClosedPart:
    """One of them."""

    def __getattr__(self, name: str) -> Any:
        message = "this backend is closed. Open the store again with dibs.open_backend(url)."
        raise StoreError(message)


def as_names(names: Sequence[str] | None, field: str) -> tuple[str, ...] | None:
    """Give names once each; one bare name is refused, since it would be taken for its letters."""
    check_names(names, field)
    return None if names is None else tuple(dict.fromkeys(names))


def _check_held(lease: Lease, moved: Sequence[bool]) -> None:
    """Refuse to go on if the one move that was asked for was not made."""
    if not all(moved):
        raise _lost(lease)


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(
        f"job {lease.job_id!r} is not running under token {lease.token} any more:"
        " it was reclaimed, cancelled or finished. Stop working on it; nothing was written."
    )


def _missing(job_id: str) -> JobNotFound:
    return JobNotFound(f"no job has the id {job_id!r}. It may never have been stored, or it was pruned.")
