"""What every ended attempt and every final move leaves behind."""

from typing import Any

from dibs.backends.sqlite.governing.lanes import find_place, leave_lane
from dibs.backends.sqlite.governing.rulebook import find_book
from dibs.backends.sqlite.governing.settling import free
from dibs.backends.sqlite.rows import to_text
from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.audit.actions import JobAction, job_subject
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.schedules.keeping import ScheduleAct
from dibs.engine.states import State
from dibs.engine.store.moves import OperatorAct
from dibs.kit.clock import to_micros


def end_attempt(
    transaction: Transaction, seq: int, job: Job, outcome: AttemptOutcome, *, error: ErrorInfo | None = None
) -> None:
    """Write the running attempt of a job into its history."""
    started_at = transaction.now if job.locked_at is None else to_micros(job.locked_at)
    told = (job.lease_token, job.locked_by or "", started_at, transaction.now, outcome.value, to_text(error))
    transaction.write("records/add_attempt", seq, *told)


def record(
    transaction: Transaction, action: JobAction, job: Job, *, actor: str, reason: str = "", detail: Any = None
) -> None:
    """Append what happened to a job to the audit log."""
    told = (job.tenant, actor, action.value, job_subject(job.id), reason, job.lease_token, to_text(detail))
    transaction.write("records/add_audit", transaction.now, *told)


def record_act(
    transaction: Transaction,
    action: str,
    subject: str,
    act: OperatorAct | ScheduleAct,
    *,
    tenant: str,
    detail: Any = None,
) -> None:
    """Append what was done to something else than a job."""
    told = (tenant, act.actor, action, subject, act.reason, None, to_text(detail))
    transaction.write("records/add_audit", transaction.now, *told)


def finish(transaction: Transaction, seq: int, job: Job, state: State) -> None:
    """Move an unfinished job to a final state, keeping who held it last."""
    kept = (to_text(job.error), job.cost_microcents, job.attempts, job.worker_deaths, job.lease_token)
    leave_lane(transaction, seq)
    transaction.write("ending/finish_job", seq, state.value, transaction.now, *kept)
    free(transaction, job)


def put_back(transaction: Transaction, seq: int, job: Job, state: State, *, run_at: int) -> None:
    """Let a job wait again, without a holder."""
    place = find_place(transaction, find_book(transaction), job, seq, run_at)
    kept = (to_text(job.error), job.cost_microcents, job.attempts, job.worker_deaths, job.lease_token)
    transaction.write("ending/put_back_job", seq, state.value, *place, run_at, *kept)
    if transaction.is_due(run_at):
        transaction.announce((job.queue,))
    free(transaction, job)
