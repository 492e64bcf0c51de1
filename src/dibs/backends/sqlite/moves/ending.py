"""How an execution ends otherwise: failed, given back, dropped, or lost with its worker."""

from collections.abc import Sequence

from msgspec.structs import replace

from dibs.backends.sqlite.governing.settling import pay
from dibs.backends.sqlite.moves.records import end_attempt, finish, put_back, record
from dibs.backends.sqlite.rows import SEQ, to_job
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.audit.actions import REAPER, JobAction
from dibs.engine.failure import FailureKind, quarantine_error
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.moves import Deferral, Drop, Failure, ReapRequest, Reclaimed
from dibs.kit.clock import span_micros, to_micros


def fail(transaction: Transaction, failures: Sequence[Failure]) -> list[State | None]:
    """Move running jobs to retryable, to failed, or, after a crash, to pending."""
    return [_fail_one(transaction, failure) for failure in failures]


def snooze(transaction: Transaction, snoozes: Sequence[Deferral]) -> list[bool]:
    """Move running jobs back to pending."""
    return [_snooze_one(transaction, snooze) for snooze in snoozes]


def drop(transaction: Transaction, drops: Sequence[Drop]) -> list[bool]:
    """Move running jobs to cancelled, by their holder."""
    return [_drop_one(transaction, drop) for drop in drops]


def reap(transaction: Transaction, request: ReapRequest) -> list[Reclaimed]:
    """Take jobs from workers that vanished."""
    lapsed = transaction.read("holding/list_lapsed", transaction.now, request.limit)
    return [_reclaim_one(transaction, row, request) for row in lapsed]


def _end_held(
    transaction: Transaction, move: Failure | Deferral | Drop, outcome: AttemptOutcome
) -> tuple[int, Job] | None:
    """End the attempt of a job that its holder still holds, and pay for it; None: the lease is lost.

    The row cannot change between this look and the writes, which share a write transaction.
    """
    row = transaction.find("holding/find_held_job", move.lease.job_id, move.lease.token)
    if row is None:
        return None
    seq, job = row[SEQ], to_job(row)
    end_attempt(transaction, seq, job, outcome, error=move.error if isinstance(move, Failure) else None)
    pay(transaction, job, move.cost_microcents)
    return seq, replace(job, cost_microcents=job.cost_microcents + move.cost_microcents)


def _fail_one(transaction: Transaction, failure: Failure) -> State | None:
    is_crash = failure.kind is FailureKind.CRASH
    ended = _end_held(transaction, failure, AttemptOutcome.CRASHED if is_crash else AttemptOutcome.ERRORED)
    if ended is None:
        return None
    seq, job = ended
    deaths = job.worker_deaths + is_crash
    job = replace(job, error=failure.error, attempts=job.attempts + 1, worker_deaths=deaths)
    return _bury(transaction, seq, job, failure) if is_crash else _retry_or_fail(transaction, seq, job, failure)


def _retry_or_fail(transaction: Transaction, seq: int, job: Job, failure: Failure) -> State:
    is_transient = failure.kind is FailureKind.TRANSIENT
    if is_transient and job.errors <= job.max_retries:
        _put_back_after(transaction, seq, job, State.RETRYABLE, failure)
        return State.RETRYABLE
    _give_up(transaction, seq, job, failure, JobAction.EXHAUSTED_RETRIES if is_transient else JobAction.FAILED)
    return State.FAILED


def _bury(transaction: Transaction, seq: int, job: Job, failure: Failure) -> State:
    if job.worker_deaths < failure.max_worker_deaths:
        _put_back_after(transaction, seq, job, State.PENDING, failure)
        return State.PENDING
    _give_up(transaction, seq, job, failure, JobAction.QUARANTINED)
    return State.FAILED


def _put_back_after(transaction: Transaction, seq: int, job: Job, state: State, failure: Failure) -> None:
    put_back(transaction, seq, job, state, run_at=transaction.now + span_micros(failure.retry_in))


def _give_up(transaction: Transaction, seq: int, job: Job, failure: Failure, action: JobAction) -> None:
    finish(transaction, seq, job, State.FAILED)
    record(transaction, action, job, actor=job.locked_by or "", reason=failure.error.type)


def _snooze_one(transaction: Transaction, snooze: Deferral) -> bool:
    ended = _end_held(transaction, snooze, snooze.outcome)
    if ended is None:
        return False
    seq, job = ended
    put_back(transaction, seq, job, State.PENDING, run_at=transaction.now + span_micros(snooze.delay))
    return True


def _drop_one(transaction: Transaction, drop: Drop) -> bool:
    ended = _end_held(transaction, drop, AttemptOutcome.CANCELLED)
    if ended is None:
        return False
    seq, job = ended
    finish(transaction, seq, job, State.CANCELLED)
    record(transaction, JobAction.DROPPED, job, actor=job.locked_by or "", reason=drop.reason)
    return True


def _reclaim_one(transaction: Transaction, row: Row, request: ReapRequest) -> Reclaimed:
    seq, job = row[SEQ], to_job(row)
    end_attempt(transaction, seq, job, AttemptOutcome.LOST)
    deaths = job.worker_deaths + 1
    taken = replace(job, lease_token=transaction.next_token(), attempts=job.attempts + 1, worker_deaths=deaths)
    state = State.PENDING if deaths < request.max_worker_deaths else State.FAILED
    if state is State.PENDING:
        put_back(transaction, seq, taken, state, run_at=_run_at(job, transaction))
    else:
        finish(transaction, seq, replace(taken, error=quarantine_error(deaths)), state)
    action = JobAction.RECLAIMED if state is State.PENDING else JobAction.QUARANTINED
    record(transaction, action, taken, actor=REAPER, detail={"locked_by": job.locked_by})
    return Reclaimed(lease=job.lease, worker=job.locked_by or "", state=state)


def _run_at(job: Job, transaction: Transaction) -> int:
    return transaction.now if job.run_at is None else to_micros(job.run_at)
