"""What may happen to a job, written as plainly as it can be. The other backends are tested against this.

No method awaits anything, and each holds the world's lock, so each is one indivisible step at one instant.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.backends.memory.world import World, shown, unlocked
from dibs.engine.audit.actions import ALL_JOBS, ALL_TENANTS, REAPER, JobAction, state_change
from dibs.engine.failure import ErrorInfo, FailureKind, quarantine_error
from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.states import REVIVABLE, RUNNING, SUCCEEDED, UNFINISHED, WAITING, State
from dibs.engine.store.moves import (
    CancelVerdict,
    ClaimRequest,
    Completion,
    Deferral,
    Drop,
    Failure,
    OnConflict,
    OperatorAct,
    PayloadField,
    Progress,
    PruneRequest,
    ReapRequest,
    Reclaimed,
    RetryVerdict,
    Rewrite,
    StoreRequest,
    UniqueRule,
)
from dibs.errors import DuplicateJob


class MemoryJobs:
    """The moves of jobs, on a world."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs as pending."""
        with self._world:
            return [None if job is None else shown(job) for job in self._store_all(request)]

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs, and show none of them."""
        with self._world:
            return len(self._store_all(request))

    def _store_all(self, request: StoreRequest) -> list[Job | None]:
        self._refuse_known_ids(request.jobs)
        now = self._world.now
        new = [request.as_stored(place, now, encoded) for place, encoded in enumerate(request.inputs)]
        if any(job.unique_key is not None for job in new):
            return [self._store_one(job, request.unique) for job in new]
        self._world.add_all(new)
        return [*new]

    def _refuse_known_ids(self, jobs: Sequence[Job]) -> None:
        known = self._world.jobs
        for job in jobs:
            if job.id in known:
                raise DuplicateJob.of(job.id)

    def _store_one(self, new: Job, rule: UniqueRule) -> Job | None:
        rival = self._find_rival(new, rule)
        if rival is None:
            self._world.add_all([new])
            return new
        if rule.on_conflict is OnConflict.KEEP:
            return None
        if rule.on_conflict is OnConflict.REPLACE and rival.state in WAITING:
            rival = replace(rival, input=new.input, run_at=new.run_at, priority=new.priority)
            self._world.put(rival)
        return rival

    def _find_rival(self, new: Job, rule: UniqueRule) -> Job | None:
        """Find the job that holds the unique key; of several, the one stored last."""
        if new.unique_key is None:
            return None
        for job_id in reversed(self._world.keys[new.tenant, new.job_type, new.unique_key]):
            job = self._world.jobs[job_id]
            if rule.is_held_by(job, self._world.now):
                return job
        return None

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker."""
        with self._world:
            return [shown(self._claim_one(job, request)) for job in self._world.take_due(request)]

    def _claim_one(self, job: Job, request: ClaimRequest) -> Job:
        now = self._world.now
        claimed = replace(
            job,
            state=RUNNING,
            lease_token=self._world.next_token(),
            locked_by=request.worker,
            locked_at=now,
            heartbeat_at=now,
            lease_expires_at=now + request.lease,
            started_at=job.started_at or now,
        )
        self._world.put(claimed)
        self._world.books.take(claimed)
        return claimed

    def _find_held(self, lease: Lease) -> Job | None:
        """The fence: every write of a holder goes through here."""
        job = self._world.running.get(lease.job_id)
        return job if job is not None and job.lease_token == lease.token else None

    async def complete(
        self,
        completions: Sequence[Completion],
        *,
        connection: Any = None,  # noqa: ARG002 - refused before it comes here
    ) -> list[bool]:
        """Move running jobs to succeeded."""
        with self._world:
            return [self._complete_one(completion) for completion in completions]

    def _complete_one(self, completion: Completion) -> bool:
        job = self._find_held(completion.lease)
        if job is None:
            return False
        done = replace(
            self._paid(job, completion) if completion.cost_microcents else job,
            state=SUCCEEDED,
            output=completion.output,
            error=None,
            lease_expires_at=None,
            finished_at=self._world.now,
        )
        self._world.succeed(done)
        return True

    def _paid(self, job: Job, end: Completion | Failure | Deferral | Drop) -> Job:
        """Add what an attempt has cost to its job, and to what its tenant has spent."""
        if not end.cost_microcents:
            return job
        self._world.books.pay(job, end.cost_microcents, self._world.now)
        return replace(job, cost_microcents=job.cost_microcents + end.cost_microcents)

    def _finish(self, job: Job, state: State, **facts: Any) -> None:
        self._world.put(replace(job, state=state, finished_at=self._world.now, lease_expires_at=None, **facts))

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        with self._world:
            return [self._fail_one(failure) for failure in failures]

    def _fail_one(self, failure: Failure) -> State | None:
        job = self._find_held(failure.lease)
        if job is None:
            return None
        if failure.kind is FailureKind.CRASH:
            self._world.end_attempt(job, AttemptOutcome.CRASHED, error=failure.error)
            return self._bury(job, failure)
        self._world.end_attempt(job, AttemptOutcome.ERRORED, error=failure.error)
        return self._retry_or_fail(job, failure)

    def _retry_or_fail(self, job: Job, failure: Failure) -> State:
        errors = job.errors + 1
        job = replace(self._paid(job, failure), attempts=job.attempts + 1, error=failure.error)
        if failure.kind is FailureKind.TRANSIENT and errors <= job.max_retries:
            self._world.put(unlocked(job, state=State.RETRYABLE, run_at=self._world.now + failure.retry_in))
            return State.RETRYABLE
        exhausted = failure.kind is FailureKind.TRANSIENT
        action = JobAction.EXHAUSTED_RETRIES if exhausted else JobAction.FAILED
        self._finish(job, State.FAILED)
        self._world.record(action, job, actor=job.locked_by or "", reason=failure.error.type)
        return State.FAILED

    def _bury(self, job: Job, failure: Failure) -> State:
        job = replace(self._paid(job, failure), attempts=job.attempts + 1, error=failure.error)
        job = replace(job, worker_deaths=job.worker_deaths + 1)
        if job.worker_deaths < failure.max_worker_deaths:
            self._world.put(unlocked(job, state=State.PENDING, run_at=self._world.now + failure.retry_in))
            return State.PENDING
        self._finish(job, State.FAILED)
        self._world.record(JobAction.QUARANTINED, job, actor=job.locked_by or "", reason=failure.error.type)
        return State.FAILED

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending."""
        with self._world:
            return [self._snooze_one(snooze) for snooze in snoozes]

    def _snooze_one(self, snooze: Deferral) -> bool:
        job = self._find_held(snooze.lease)
        if job is None:
            return False
        self._world.end_attempt(job, snooze.outcome)
        run_at = self._world.now + snooze.delay
        self._world.put(unlocked(self._paid(job, snooze), state=State.PENDING, run_at=run_at))
        return True

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""
        with self._world:
            return [self._drop_one(drop) for drop in drops]

    def _drop_one(self, drop: Drop) -> bool:
        job = self._find_held(drop.lease)
        if job is None:
            return False
        self._world.end_attempt(job, AttemptOutcome.CANCELLED)
        self._finish(self._paid(job, drop), State.CANCELLED)
        self._world.record(JobAction.DROPPED, job, actor=job.locked_by or "", reason=drop.reason)
        return True

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""
        with self._world:
            return [self._renew_one(lease, duration) for lease in leases]

    def _renew_one(self, lease: Lease, duration: timedelta) -> bool:
        job = self._find_held(lease)
        if job is None:
            return False
        now = self._world.now
        self._world.put(replace(job, heartbeat_at=now, lease_expires_at=now + duration))
        return True

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        with self._world:
            return [self._report_one(report) for report in reports]

    def _report_one(self, report: Progress) -> bool:
        job = self._find_held(report.lease)
        if job is None:
            return False
        self._world.put(replace(job, progress=report.value))
        return True

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Move unfinished jobs to cancelled."""
        with self._world:
            return [self._cancel_one(job_id, act) for job_id in job_ids]

    def _cancel_one(self, job_id: str, act: OperatorAct) -> CancelVerdict:
        job = self._world.jobs.get(job_id)
        if job is None:
            return CancelVerdict.MISSING
        if job.state not in UNFINISHED:
            return CancelVerdict.ALREADY_FINAL
        if job.state is State.RUNNING:
            self._world.end_attempt(job, AttemptOutcome.CANCELLED)
        cancelled = replace(job, lease_token=self._world.next_token())
        self._finish(cancelled, State.CANCELLED)
        self._record_act(JobAction.CANCELLED, self._world.jobs[job_id], act, before=job.state)
        return CancelVerdict.CANCELLED

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Move failed and cancelled jobs to pending."""
        with self._world:
            return [self._revive_one(job_id, act) for job_id in job_ids]

    def _revive_one(self, job_id: str, act: OperatorAct) -> RetryVerdict:
        job = self._world.jobs.get(job_id)
        if job is None:
            return RetryVerdict.MISSING
        if job.state not in REVIVABLE:
            return RetryVerdict.NOT_REVIVABLE
        if self._find_rival(job, UniqueRule()) is not None:
            return RetryVerdict.KEY_TAKEN
        self._world.put(self._revived(job))
        self._record_act(JobAction.RETRIED, self._world.jobs[job_id], act, before=job.state)
        return RetryVerdict.RETRIED

    def _revived(self, job: Job) -> Job:
        fresh = unlocked(job, state=State.PENDING, run_at=self._world.now, lease_token=self._world.next_token())
        fresh = replace(fresh, attempts=0, worker_deaths=0, output=None, error=None, progress=None)
        return replace(fresh, started_at=None, finished_at=None)

    def _record_act(self, action: JobAction, job: Job, act: OperatorAct, *, before: State) -> None:
        self._world.record(action, job, actor=act.actor, reason=act.reason, detail=state_change(before, job.state))

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Take jobs from workers that vanished."""
        with self._world:
            now = self._world.now
            running = self._world.running.values()
            lapsed = [(job.lease_expires_at, job.lease_token, job) for job in running if _has_lapsed(job, now)]
            return [
                self._reclaim_one(job, request)
                for _, _, job in sorted(lapsed, key=lambda one: one[:2])[: request.limit]
            ]

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        self._world.end_attempt(job, AttemptOutcome.LOST)
        taken = replace(
            job,
            lease_token=self._world.next_token(),
            attempts=job.attempts + 1,
            worker_deaths=job.worker_deaths + 1,
        )
        state = State.PENDING if taken.worker_deaths < request.max_worker_deaths else State.FAILED
        if state is State.PENDING:
            self._world.put(unlocked(taken, state=State.PENDING))
        else:
            self._finish(replace(taken, error=quarantine_error(taken.worker_deaths)), State.FAILED)
        self._record_reclaim(taken, state)
        return Reclaimed(lease=job.lease, worker=job.locked_by or "", state=state)

    def _record_reclaim(self, job: Job, state: State) -> None:
        action = JobAction.RECLAIMED if state is State.PENDING else JobAction.QUARANTINED
        self._world.record(action, job, actor=REAPER, detail={"locked_by": job.locked_by})

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs."""
        with self._world:
            horizon = self._world.now - request.older_than
            old = [job for job in self._world.jobs.values() if request.meets(job, horizon)]
            old.sort(key=lambda job: (job.finished_at, self._world.sequence[job.id]))
            chosen = old[: request.limit]
            if not request.dry_run:
                for job in chosen:
                    self._world.forget(job)
                if request.act is not None:
                    self._record_purge(request, request.act, len(chosen))
            return len(chosen)

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id."""
        with self._world:
            return [self._erase_one(job_id, act) for job_id in job_ids]

    def _erase_one(self, job_id: str, act: OperatorAct) -> bool:
        job = self._world.jobs.get(job_id)
        if job is None or not job.is_final:
            return False
        self._world.forget(job)
        self._world.record(JobAction.ERASED, job, actor=act.actor, reason=act.reason)
        return True

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Put the same payload in another form where it still stands."""
        with self._world:
            return [self._rewrite_one(rewrite) for rewrite in rewrites]

    def _rewrite_one(self, rewrite: Rewrite) -> bool:
        if rewrite.field is PayloadField.ERROR:
            before, after = (msgspec.json.decode(text, type=ErrorInfo) for text in (rewrite.before, rewrite.after))
            return self._world.rewrite_error(rewrite.job_id, before, after)
        job = self._world.jobs.get(rewrite.job_id)
        if job is None or getattr(job, rewrite.field) != rewrite.before:
            return False
        self._world.rewrite(replace(job, **{rewrite.field.value: rewrite.after}))
        return True

    def _record_purge(self, request: PruneRequest, act: OperatorAct, count: int) -> None:
        tenant = request.tenant or ALL_TENANTS
        self._world.record_act(JobAction.PURGED, ALL_JOBS, act, tenant=tenant, detail={"count": count})


def _has_lapsed(job: Job, now: datetime) -> bool:
    return job.lease_expires_at is not None and job.lease_expires_at <= now
