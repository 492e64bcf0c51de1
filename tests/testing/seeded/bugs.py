"""Bugs that engines of this kind have had, planted in the memory backend one at a time. The suite must catch each."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import cast

from msgspec.structs import replace

from dibs.backends.memory import build_parts
from dibs.backends.memory.jobs import MemoryJobs
from dibs.backends.memory.leases import MemoryLeases
from dibs.backends.memory.world import World
from dibs.engine.audit.actions import JobAction
from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.states import UNFINISHED, State
from dibs.engine.store.moves import (
    CancelVerdict,
    ClaimRequest,
    Completion,
    Deferral,
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
from dibs.engine.store.protocols import NamedLease, Parts
from dibs.kit.clock import Clock, utc_now
from dibs.kit.codec import NULL

Plant = Callable[[World], MemoryJobs]
BUGS: dict[str, Plant] = {}
CATCHERS: dict[str, str] = {}


def bug(caught_by: str) -> Callable[[type[MemoryJobs]], type[MemoryJobs]]:
    """List a bug under its sentence, with the sentence of the suite that must fail."""

    def register(planted: type[MemoryJobs]) -> type[MemoryJobs]:
        BUGS[name := _sentence(planted)] = planted
        CATCHERS[name] = caught_by
        return planted

    return register


def _sentence(planted: type) -> str:
    return (planted.__doc__ or "").rstrip(".")


def _running(job: Job) -> Job:
    """What keeps a job from being seen twice in one look."""
    return replace(job, state=State.RUNNING)


class Buggy(MemoryJobs):
    """What the bugs have in common."""

    def running(self, lease: Lease) -> Job | None:
        """Find the job by its id and state alone."""
        job = self._world.jobs.get(lease.job_id)
        return job if job is not None and job.state is State.RUNNING else None


@bug("test_an_old_and_a_current_lease_of_one_job_can_stand_in_one_batch")
class NoTokenInComplete(Buggy):
    """Complete asks for the id and the state, not for the token."""

    def _complete_one(self, completion: Completion) -> bool:
        job = self.running(completion.lease)
        return job is not None and super()._complete_one(replace(completion, lease=job.lease))


@bug("test_a_late_write_is_refused_and_changes_nothing")
class NoStateInComplete(Buggy):
    """Complete asks for the token, not for the state."""

    def _complete_one(self, completion: Completion) -> bool:
        job = self._world.jobs.get(completion.lease.job_id)
        if job is not None and job.lease_token == completion.lease.token:
            self._world.put(replace(job, state=State.RUNNING))
        return super()._complete_one(completion)


@bug("test_a_late_write_is_refused_and_changes_nothing")
class NoTokenInFail(Buggy):
    """Fail asks for the id and the state, not for the token."""

    def _fail_one(self, failure: Failure) -> State | None:
        job = self.running(failure.lease)
        return None if job is None else super()._fail_one(replace(failure, lease=job.lease))


@bug("test_a_late_write_is_refused_and_changes_nothing")
class NoTokenInSnooze(Buggy):
    """Snooze asks for the id and the state, not for the token."""

    def _snooze_one(self, snooze: Deferral) -> bool:
        job = self.running(snooze.lease)
        return job is not None and super()._snooze_one(replace(snooze, lease=job.lease))


@bug("test_a_late_write_is_refused_and_changes_nothing")
class NoTokenInProgress(Buggy):
    """Progress asks for the id alone."""

    def _report_one(self, report: Progress) -> bool:
        job = self.running(report.lease)
        return job is not None and super()._report_one(replace(report, lease=job.lease))


@bug("test_a_late_heartbeat_revives_nothing")
class HeartbeatRevives(Buggy):
    """A heartbeat by id makes a reclaimed job run again."""

    def _renew_one(self, lease: Lease, duration: timedelta) -> bool:
        job = self._world.jobs.get(lease.job_id)
        if job is not None and job.state in UNFINISHED:
            self._world.put(replace(job, state=State.RUNNING, lease_token=lease.token))
        return super()._renew_one(lease, duration)


@bug("test_a_late_heartbeat_revives_nothing")
class HeartbeatExtendsTheNextHolder(Buggy):
    """A stale heartbeat extends the lease of the worker that holds the job now."""

    def _renew_one(self, lease: Lease, duration: timedelta) -> bool:
        job = self.running(lease)
        return job is not None and super()._renew_one(job.lease, duration)


@bug("test_claim_is_atomic")
class SelectThenUpdate(Buggy):
    """Claim reads first and writes later."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        with self._world:
            seen = []
            for job in self._world.take_due(request):
                seen.append(job)
                self._world.put(_running(job))
            for job in seen:
                self._world.put(job)
        await asyncio.sleep(0)
        with self._world:
            return [self._claim_one(job, request) for job in seen]


@bug("test_tokens_only_ever_grow")
class AttemptAsToken(Buggy):
    """The attempt counter serves as the fence."""

    def _claim_one(self, job: Job, request: ClaimRequest) -> Job:
        claimed = replace(super()._claim_one(job, request), lease_token=job.attempts + 1)
        self._world.put(claimed)
        return claimed


@bug("test_a_reused_id_never_honours_an_old_token")
class TokenPerJob(Buggy):
    """A reused id begins again with token 1."""

    def _claim_one(self, job: Job, request: ClaimRequest) -> Job:
        claimed = replace(super()._claim_one(job, request), lease_token=job.lease_token + 1)
        self._world.put(claimed)
        return claimed


@bug("test_a_lapsed_claim_is_offered_again")
class ReclaimKeepsTheToken(Buggy):
    """A reclaim does not supersede the token."""

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        reclaimed = super()._reclaim_one(job, request)
        self._world.put(replace(self._world.jobs[job.id], lease_token=job.lease_token))
        return reclaimed


@bug("test_a_job_within_its_lease_is_left_alone")
class ReclaimWithoutLooking(Buggy):
    """The reaper takes jobs by the age of their claim, alive or not."""

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        for job in list(self._world.running.values()):
            claimed_at = job.locked_at or self._world.now
            self._world.put(replace(job, lease_expires_at=claimed_at + timedelta(seconds=300)))
        return await super().reap(request)


@bug("test_the_third_worker_death_quarantines_the_job")
class ReclaimCostsNothing(Buggy):
    """A reclaim counts neither an attempt nor a death."""

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        return super()._reclaim_one(
            replace(job, attempts=job.attempts - 1, worker_deaths=job.worker_deaths - 1), request
        )


@bug("test_worker_deaths_do_not_use_up_retries")
class DeathsUseUpRetries(Buggy):
    """A worker's death uses up a retry."""

    def _retry_or_fail(self, job: Job, failure: Failure) -> State:
        state = super()._retry_or_fail(job, failure)
        now = self._world.jobs[job.id]
        if state is State.RETRYABLE and now.attempts > now.max_retries:
            self._finish(now, State.FAILED)
            return State.FAILED
        return state


@bug("test_a_running_job_can_be_cancelled_and_its_attempt_is_kept")
class CancelKeepsTheToken(Buggy):
    """A cancel does not supersede the token."""

    def _cancel_one(self, job_id: str, act: OperatorAct) -> CancelVerdict:
        before = self._world.jobs.get(job_id)
        verdict = super()._cancel_one(job_id, act)
        if before is not None and verdict is CancelVerdict.CANCELLED:
            self._world.put(replace(self._world.jobs[job_id], lease_token=before.lease_token))
        return verdict


@bug("test_a_running_job_can_be_cancelled_and_its_attempt_is_kept")
class CancelOnlyWaiting(Buggy):
    """A running job cannot be cancelled."""

    def _cancel_one(self, job_id: str, act: OperatorAct) -> CancelVerdict:
        job = self._world.jobs.get(job_id)
        if job is not None and job.state is State.RUNNING:
            return CancelVerdict.ALREADY_FINAL
        return super()._cancel_one(job_id, act)


@bug("test_only_failed_and_cancelled_jobs_can_be_retried")
class RetryOfASuccess(Buggy):
    """An operator can retry a job that succeeded."""

    def _revive_one(self, job_id: str, act: OperatorAct) -> RetryVerdict:
        job = self._world.jobs.get(job_id)
        if job is not None and job.state is State.SUCCEEDED:
            self._world.jobs[job_id] = replace(job, state=State.FAILED)
        return super()._revive_one(job_id, act)


@bug("test_a_retry_onto_a_taken_key_is_refused")
class RetryOntoATakenKey(Buggy):
    """An operator's retry ignores the unique key."""

    def _find_rival(self, new: Job, rule: UniqueRule) -> Job | None:
        return None if new.id in self._world.jobs else super()._find_rival(new, rule)


@bug("test_a_key_counts_within_its_tenant_and_type_only")
class KeyAcrossTenants(Buggy):
    """A unique key keeps other tenants out."""

    def _find_rival(self, new: Job, rule: UniqueRule) -> Job | None:
        rivals = [
            super(KeyAcrossTenants, self)._find_rival(replace(new, tenant=name), rule) for name in ("default", "other")
        ]
        return next((rival for rival in rivals if rival), None)


@bug("test_a_batch_is_stored_whole_or_not_at_all")
class PartialBatch(Buggy):
    """A batch that is refused leaves its beginning behind."""

    def _refuse_known_ids(self, jobs: Sequence[Job]) -> None:
        for index, job in enumerate(jobs):
            super()._refuse_known_ids([job])
            if index == 0 and len(jobs) > 1:
                self._world.add_all([StoreRequest(jobs=[job], inputs=[NULL]).as_stored(0, self._world.now, NULL)])


@bug("test_a_completion_is_in_the_audit_log")
class NoAudit(Buggy):
    """A completion is not in the audit log."""

    def _complete_one(self, completion: Completion) -> bool:
        moved = super()._complete_one(completion)
        if moved:
            self._world.audit.pop()
        return moved


@bug("test_a_late_write_is_refused_and_changes_nothing")
class AuditOfNothing(Buggy):
    """A refused completion is in the audit log all the same."""

    def _complete_one(self, completion: Completion) -> bool:
        moved = super()._complete_one(completion)
        job = self._world.jobs.get(completion.lease.job_id)
        if job is not None and not moved:
            self._world.record(JobAction.SUCCEEDED, job, actor=job.locked_by or "")
        return moved


@bug("test_a_snoozed_job_comes_back_later_at_no_cost")
class SnoozeCostsAnAttempt(Buggy):
    """A snooze costs an attempt."""

    def _snooze_one(self, snooze: Deferral) -> bool:
        moved = super()._snooze_one(snooze)
        if moved:
            job = self._world.jobs[snooze.lease.job_id]
            self._world.put(replace(job, attempts=job.attempts + 1))
        return moved


@bug("test_a_reclaim_names_the_prior_holder_in_log_and_history")
class NoHistoryOfLosses(Buggy):
    """An attempt whose worker vanished is not in the history."""

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        reclaimed = super()._reclaim_one(job, request)
        self._world.attempts[job.id] = [
            one for one in self._world.attempts[job.id] if one.outcome is not AttemptOutcome.LOST
        ]
        return reclaimed


@bug("test_higher_priority_goes_first_then_the_one_stored_first")
class LastInFirstOut(Buggy):
    """Of two equal jobs the newer one goes first."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        return list(reversed(await super().claim(request)))


@bug("test_old_finished_jobs_are_forgotten_oldest_first")
class PruneForgetsTheUnfinished(Buggy):
    """Pruning ignores how old a job is."""

    async def prune(self, request: PruneRequest) -> int:
        return await super().prune(replace(request, older_than=timedelta(0)))


class LockForAnybody(MemoryLeases):
    """Anybody can release a named lease."""

    async def release(self, lease: NamedLease) -> bool:
        held = await self.find(lease.name)
        return held is not None and await super().release(held)


class LockWithoutGrowth(MemoryLeases):
    """The number of a named lease begins anew after a release."""

    async def release(self, lease: NamedLease) -> bool:
        released = await super().release(lease)
        if released:
            self._tokens.pop(lease.name)
        return released


LEASE_BUGS: dict[str, type[MemoryLeases]] = {
    _sentence(planted): planted for planted in (LockForAnybody, LockWithoutGrowth)
}
CATCHERS[_sentence(LockForAnybody)] = "test_only_the_owner_may_renew_or_release"
CATCHERS[_sentence(LockWithoutGrowth)] = "test_its_number_only_grows_across_expiry_and_release"
WRONG_CLOCK = "The worker's clock decides what is due"
CATCHERS[WRONG_CLOCK] = "test_with_clocks_apart_delays_last_as_long_as_they_say"
NO_BUG = "no bug"


def plant(name: str, clock: Clock) -> Parts:
    """Make a memory store with one bug in it."""
    parts = build_parts(utc_now if name == WRONG_CLOCK else clock)
    if name in BUGS:
        parts = replace(parts, jobs=BUGS[name](cast("MemoryJobs", parts.jobs)._world))
    if name in LEASE_BUGS:
        parts = replace(parts, leases=LEASE_BUGS[name](cast("MemoryJobs", parts.jobs)._world))
    return parts
