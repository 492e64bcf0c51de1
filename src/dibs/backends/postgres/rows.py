"""Rows of the store as records of the engine, and back."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.states import RUNNING

_jobs = msgspec.json.Decoder(Job)
_errors = msgspec.json.Decoder(ErrorInfo)
_any = msgspec.json.Decoder()
# Where the input, the error and the progress of a job stand in a row of claim_jobs.
CONTENT_COLUMNS = (5, 12, 13)
_CENTURY = datetime(2000, 1, 1, tzinfo=UTC)
_INSTANTS = ("run_at", "locked_at", "heartbeat_at", "lease_expires_at", "created_at", "started_at", "finished_at")

Record = TypeVar("Record", bound=msgspec.Struct)


def read_job(text: str) -> Job:
    """Read a row that the server wrote as JSON."""
    return in_utc(_jobs.decode(text), _INSTANTS)


def in_utc(record: Record, fields: Sequence[str]) -> Record:
    """The server writes instants in the session's time zone."""
    odd = {name: value.astimezone(UTC) for name in fields if _is_elsewhere(value := getattr(record, name))}
    return replace(record, **odd) if odd else record


def _is_elsewhere(instant: datetime | None) -> bool:
    return instant is not None and instant.tzinfo is not UTC


def claimed_jobs(rows: Sequence[Any], worker: str, lease: timedelta) -> list[Job]:
    """Read what claim_jobs answered in one call, so that all leases began at the same instant."""
    locked_at = _read_instant(rows[0][18])
    claim = Claim(worker, locked_at, locked_at + lease)
    created = read_instants(row[19] for row in rows)
    return [_claimed_job(row, claim, created[row[19]]) for row in rows]


class Claim(NamedTuple):
    """What all jobs of one claim share."""

    worker: str
    locked_at: datetime
    lease_expires_at: datetime


def read_instants(raw: Iterable[bytes]) -> dict[bytes, datetime]:
    """Read each instant once: many rows share one."""
    return {one: _read_instant(one) for one in set(raw)}


def _read_instant(raw: bytes) -> datetime:
    """Read an instant as the server sends it: microseconds of this century."""
    return _CENTURY + timedelta(microseconds=int.from_bytes(raw, "big", signed=True))


def _claimed_job(row: Any, claim: Claim, created_at: datetime) -> Job:
    """Read a row of claim_jobs; by position, for this is the hot path."""
    error, progress = row[12], row[13]
    return Job(
        id=row[0],
        job_type=row[1],
        tenant=row[2],
        queue=row[3],
        priority=row[4],
        input=_any.decode(row[5]),
        max_retries=row[6],
        run_at=row[7] or created_at,
        unique_key=row[8],
        concurrency_key=row[9],
        source=row[10],
        parent_id=row[11],
        state=RUNNING,
        error=None if error is None else _errors.decode(error),
        progress=None if progress is None else _any.decode(progress),
        cost_microcents=row[14],
        attempts=row[15],
        worker_deaths=row[16],
        lease_token=row[17],
        locked_by=claim.worker,
        locked_at=claim.locked_at,
        heartbeat_at=claim.locked_at,
        lease_expires_at=claim.lease_expires_at,
        created_at=created_at,
        started_at=row[20] or claim.locked_at,
        max_cost_microcents=row[21],
    )


def moved_at(count: int, rows: Sequence[Any]) -> list[bool]:
    """Turn the places that a function answered (from 1) into one answer for each of `count` requests."""
    moved = [False] * count
    for row in rows:
        moved[row[0] - 1] = True
    return moved


def as_lines(names: Iterable[str]) -> str:
    """Write names, which have no line breaks, as one text: the driver looks at each value of an array several times."""
    return "\n".join(names)


def unless_empty(values: list[Any]) -> list[Any] | None:
    """Leave out a column that no job has."""
    return values if any(value is not None for value in values) else None
