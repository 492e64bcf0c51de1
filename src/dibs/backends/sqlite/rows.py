"""Rows as jobs, attempts and audit entries. The order of columns is that of `statements.JOB_COLUMNS`."""

from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.transactions.transaction import Row
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import RUNNING, State
from dibs.engine.store.reading import AuditEntry
from dibs.engine.store.unreadable import find_detail, find_moment
from dibs.kit.clock import from_micros
from dibs.kit.codec import decode_json

SEQ, ID = 0, 1
WAITING_TENANT, WAITING_QUEUE, WAITING_JOB_TYPE, WAITING_PRIORITY = 2, 3, 4, 5
WAITING_HISTORY = 10
_PLAIN_HISTORY = "[null,null,"
_STATES = {state.value: state for state in State}
_encode = msgspec.json.Encoder().encode
_decode_error = msgspec.json.Decoder(ErrorInfo).decode

# Jobs of one batch share their instants.
instant = lru_cache(maxsize=4096)(from_micros)
_entry_instant = lru_cache(maxsize=4096)(find_moment)


def find_instant(micros: int | None) -> datetime | None:
    """Give an instant, or None."""
    return None if micros is None else instant(micros)


def find_json(text: str | None) -> Any:
    """Read JSON that may be absent."""
    return None if text is None else decode_json(text)


def find_error(text: str | None) -> ErrorInfo | None:
    """Read an error that may be absent."""
    return None if text is None else _decode_error(text)


def to_text(value: Any) -> str | None:
    """Write a value as JSON; None stays absent."""
    return None if value is None else _encode(value).decode()


def to_job(row: Row) -> Job:
    """Make the job that a row tells of."""
    return Job(
        id=row[1],
        tenant=row[2],
        queue=row[3],
        job_type=row[4],
        state=_STATES[row[5]],
        priority=row[6],
        run_at=instant(row[7]),
        max_retries=row[8],
        unique_key=row[9],
        concurrency_key=row[10],
        source=row[11],
        parent_id=row[12],
        cost_microcents=row[13],
        attempts=row[14],
        worker_deaths=row[15],
        lease_token=row[16],
        locked_by=row[17],
        locked_at=find_instant(row[18]),
        heartbeat_at=find_instant(row[19]),
        lease_expires_at=find_instant(row[20]),
        created_at=instant(row[21]),
        started_at=find_instant(row[22]),
        finished_at=find_instant(row[23]),
        error=find_error(row[24]),
        progress=find_json(row[25]),
        output=find_json(row[26]),
        input=decode_json(row[27]),
        max_cost_microcents=row[28],
    )


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """What a claim gives to all jobs of its batch; tokens are counted on from the first."""

    worker: str
    first_token: int
    locked_at: datetime
    lease_expires_at: datetime


def to_claimed_job(row: Row, token: int, holding: Holding) -> Job:
    """Make a claimed job of what its row told before, in the order of `statements.WAITING_COLUMNS`."""
    _, job_id, tenant, queue, job_type, priority, run_at, max_retries, created_at, encoded, history = row
    # Fields in the order of their definition: the constructor finds them sooner.
    job = Job(
        id=job_id,
        job_type=job_type,
        tenant=tenant,
        queue=queue,
        priority=priority,
        input=decode_json(encoded),
        max_retries=max_retries,
        run_at=instant(run_at),
        state=RUNNING,
        lease_token=token,
        locked_by=holding.worker,
        locked_at=holding.locked_at,
        heartbeat_at=holding.locked_at,
        lease_expires_at=holding.lease_expires_at,
        created_at=instant(created_at),
        started_at=holding.locked_at,
    )
    return job if history is None else _with_history(job, decode_json(history))


def names_source_or_key(row: Row) -> bool:
    """Tell, without reading it, whether what is rare of a waiting job begins with a concurrency key or a source."""
    history = row[WAITING_HISTORY]
    return history is not None and not history.startswith(_PLAIN_HISTORY)


def _with_history(job: Job, history: list[Any]) -> Job:
    concurrency_key, source, unique_key, parent_id, cost, attempts, deaths, started_at, error, progress, most = history
    return replace(
        job,
        unique_key=unique_key,
        concurrency_key=concurrency_key,
        source=source,
        parent_id=parent_id,
        max_cost_microcents=most,
        error=find_error(error),
        progress=find_json(progress),
        cost_microcents=cost,
        attempts=attempts,
        worker_deaths=deaths,
        started_at=find_instant(started_at) or job.started_at,
    )


def to_attempt(row: Row) -> Attempt:
    """Make the attempt that a row of the history tells of."""
    number, token, worker, started_at, ended_at, outcome, error = row
    return Attempt(
        number=number,
        token=token,
        worker=worker,
        started_at=instant(started_at),
        ended_at=instant(ended_at),
        outcome=AttemptOutcome(outcome),
        error=find_error(error),
    )


def to_audit_entry(row: Row) -> AuditEntry:
    """Make the entry that a row of the audit log tells of."""
    sequence, at, tenant, actor, action, subject, reason, token, detail = row
    return AuditEntry(
        sequence=sequence,
        at=_entry_instant(at),
        tenant=tenant,
        actor=actor,
        action=action,
        subject=subject,
        reason=reason,
        token=token,
        detail=find_detail(detail),
    )
