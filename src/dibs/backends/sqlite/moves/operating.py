"""What operators do to jobs from outside."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.governing.lanes import find_place
from dibs.backends.sqlite.governing.rulebook import find_book
from dibs.backends.sqlite.moves.keys import find_rival
from dibs.backends.sqlite.moves.records import end_attempt, finish, record, record_act
from dibs.backends.sqlite.rows import SEQ, to_job, to_text
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.audit.actions import ALL_JOBS, ALL_TENANTS, JobAction, state_change
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import REVIVABLE, State
from dibs.engine.store.moves import (
    CancelVerdict,
    OperatorAct,
    PayloadField,
    PruneRequest,
    RetryVerdict,
    Rewrite,
    UniqueRule,
)
from dibs.kit.clock import span_micros


def cancel(transaction: Transaction, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
    """Move unfinished jobs to cancelled."""
    return [_cancel_one(transaction, job_id, act) for job_id in job_ids]


def retry(transaction: Transaction, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
    """Move failed and cancelled jobs to pending."""
    return [_revive_one(transaction, job_id, act) for job_id in job_ids]


def prune(transaction: Transaction, request: PruneRequest) -> int:
    """Forget finished jobs."""
    chosen = [seq for _, seq in _find_old(transaction, request)]
    if request.dry_run:
        return len(chosen)
    text = msgspec.json.encode(chosen).decode()
    transaction.write("operating/forget_attempts", text)
    transaction.write("operating/forget_jobs", text)
    if request.act is not None:
        _record_purge(transaction, request.act, tenant=request.tenant, count=len(chosen))
    return len(chosen)


def erase(transaction: Transaction, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
    """Forget finished jobs by id, and what was called after them alone."""
    erased = [_erase_one(transaction, job_id, act) for job_id in job_ids]
    gone = [job for job in erased if job is not None]
    for lane in {(job.queue, job.job_type, job.tenant, job.source or "", job.concurrency_key or "") for job in gone}:
        transaction.write("operating/forget_empty_lanes", *lane)
    transaction.write("operating/forget_empty_parks")
    for queue in {job.queue for job in gone}:
        # Numbers only grow, also those of a name that comes again: else nobody would hear of its jobs.
        transaction.write("operating/keep_highest_notice", queue)
        transaction.write("operating/forget_notice", queue)
    return [job is not None for job in erased]


def _erase_one(transaction: Transaction, job_id: str, act: OperatorAct) -> Job | None:
    row = transaction.find("reading/find_job", job_id)
    if row is None or not to_job(row).is_final:
        return None
    text = msgspec.json.encode([row[SEQ]]).decode()
    transaction.write("operating/forget_attempts", text)
    transaction.write("operating/forget_jobs", text)
    record(transaction, JobAction.ERASED, to_job(row), actor=act.actor, reason=act.reason)
    return to_job(row)


def rewrite(transaction: Transaction, rewrites: Sequence[Rewrite]) -> list[bool]:
    """Put the same payload in another form where it still stands."""
    return [_rewrite_one(transaction, rewrite) for rewrite in rewrites]


def _rewrite_one(transaction: Transaction, rewrite: Rewrite) -> bool:
    before, after = rewrite.before.decode(), rewrite.after.decode()
    count = transaction.write("operating/rewrite_payload", rewrite.job_id, rewrite.field.value, before, after)
    if rewrite.field is PayloadField.ERROR:
        count += transaction.write("operating/rewrite_errors", rewrite.job_id, before, after)
    return count > 0


def _cancel_one(transaction: Transaction, job_id: str, act: OperatorAct) -> CancelVerdict:
    row = transaction.find("reading/find_job", job_id)
    if row is None:
        return CancelVerdict.MISSING
    seq, job = row[SEQ], to_job(row)
    if job.is_final:
        return CancelVerdict.ALREADY_FINAL
    if job.state is State.RUNNING:
        end_attempt(transaction, seq, job, AttemptOutcome.CANCELLED)
    cancelled = replace(job, state=State.CANCELLED, lease_token=transaction.next_token())
    finish(transaction, seq, cancelled, State.CANCELLED)
    _record_act(transaction, JobAction.CANCELLED, cancelled, act, before=job.state)
    return CancelVerdict.CANCELLED


def _revive_one(transaction: Transaction, job_id: str, act: OperatorAct) -> RetryVerdict:
    row = transaction.find("reading/find_job", job_id)
    if row is None:
        return RetryVerdict.MISSING
    job = to_job(row)
    if job.state not in REVIVABLE:
        return RetryVerdict.NOT_REVIVABLE
    if find_rival(transaction, job, UniqueRule()) is not None:
        return RetryVerdict.KEY_TAKEN
    revived = replace(job, state=State.PENDING, lease_token=transaction.next_token())
    place = find_place(transaction, find_book(transaction), job, row[SEQ], transaction.now)
    transaction.write("operating/revive_job", row[SEQ], transaction.now, revived.lease_token, *place)
    transaction.announce((job.queue,))
    _record_act(transaction, JobAction.RETRIED, revived, act, before=job.state)
    return RetryVerdict.RETRIED


def _record_act(transaction: Transaction, action: JobAction, job: Job, act: OperatorAct, *, before: State) -> None:
    record(transaction, action, job, actor=act.actor, reason=act.reason, detail=state_change(before, job.state))


def _find_old(transaction: Transaction, request: PruneRequest) -> list[Row]:
    """Find what finished first, state by state, because the index is ordered within each state only."""
    horizon = transaction.now - span_micros(request.older_than)
    job_types = None if request.job_types is None else to_text(request.job_types)
    wanted = (horizon, request.tenant, job_types, request.limit)
    old = [row for state in request.states for row in transaction.read("operating/list_old", state.value, *wanted)]
    return sorted(old)[: request.limit]


def _record_purge(transaction: Transaction, act: OperatorAct, *, tenant: str | None, count: int) -> None:
    told = ALL_TENANTS if tenant is None else tenant
    record_act(transaction, JobAction.PURGED, ALL_JOBS, act, tenant=told, detail={"count": count})
