"""Jobs as they travel: packed for scripts, and built again from what scripts answer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Attempt, AttemptOutcome, Job, Lease
from dibs.engine.states import RUNNING, State
from dibs.kit.clock import EPOCH
from dibs.kit.codec import decode_json

pack = msgspec.msgpack.Encoder().encode
unpack = msgspec.msgpack.Decoder().decode
encode_error = msgspec.json.Encoder().encode
_decode_error = msgspec.json.Decoder(ErrorInfo).decode
LARGEST_TOKEN = 2**53
_NO_HISTORY = (None, None, None, None)
# A place in a line tells the priority and the number, see `parts/lines.lua`.
PLACES_A_PRIORITY, HIGHEST_PRIORITY = 2**42, 1000
# So long is a row of `moves/claim.lua` without history.
FIRST_TIME = 6
FIXED_FIELDS = ("tenant", "queue", "job_type", "max_retries", "unique_key", "concurrency_key", "source", "parent_id")


class Fixed(msgspec.Struct, array_like=True, frozen=True):
    """What never changes in a job. The scripts know the places. A cost of nothing is left out."""

    tenant: str
    queue: str
    job_type: str
    max_retries: int
    unique_key: str | None
    concurrency_key: str | None
    source: str | None
    parent_id: str | None
    max_cost_microcents: int = 0


_decode_fixed = msgspec.msgpack.Decoder(Fixed).decode


def pack_fixed(job: Job) -> bytes:
    """Pack what never changes in a job; `moves/claim.lua` knows by its last bytes that a plain job names nothing."""
    facts = (
        job.tenant,
        job.queue,
        job.job_type,
        job.max_retries,
        job.unique_key,
        job.concurrency_key,
        job.source,
        job.parent_id,
    )
    return pack((*facts, job.max_cost_microcents) if job.max_cost_microcents else facts)


def running_member(lease: Lease) -> str:
    """Name a lease as the sorted set of running jobs does: the token in 16 digits, then the id."""
    # A token that was never given out must not be mistaken for the beginning of an id.
    return f"{lease.token:016d}{lease.job_id}" if 0 <= lease.token < LARGEST_TOKEN else f"-{lease.job_id}"


def instant(micros: bytes | int) -> datetime:
    """Build an instant from microseconds."""
    return EPOCH + timedelta(microseconds=int(micros))


# Jobs that are claimed together were mostly stored together, and are of the same kind.
_recent_fixed = lru_cache(1024)(_decode_fixed)
_recent_instant = lru_cache(1024)(instant)


def build_job(row: Sequence[Any]) -> Job:
    """Build a job from a row of `parts/rows.lua`."""
    (fixed, encoded, state, priority, run_at, created_at, _, token, lock, *rest) = row
    (heartbeat_at, started_at, finished_at, attempts, deaths, cost, output, error, progress, expires_at, job_id) = rest
    locked_at, worker = split_lock(lock)
    return Job(
        **msgspec.structs.asdict(_decode_fixed(fixed)),
        id=job_id.decode(),
        state=State(state.decode()),
        input=decode_json(encoded),
        priority=int(priority),
        run_at=instant(run_at),
        created_at=instant(created_at),
        lease_token=int(token or 0),
        locked_by=worker,
        locked_at=locked_at,
        heartbeat_at=_find_instant(heartbeat_at) or locked_at,
        lease_expires_at=_find_instant(expires_at),
        started_at=_find_instant(started_at),
        finished_at=_find_instant(finished_at),
        attempts=int(attempts or 0),
        worker_deaths=int(deaths or 0),
        cost_microcents=int(cost or 0),
        output=_find_value(output),
        error=_find_error(error),
        progress=_find_value(progress),
    )


def sequence_of(row: Sequence[Any]) -> int:
    """Tell the place of a row in the order of storing."""
    return int(row[6])


class Hold(msgspec.Struct, frozen=True):
    """What all jobs of one claim have in common."""

    worker: str
    locked_at: datetime
    expires_at: datetime


def build_claimed(job_id: bytes, place: int, row: Sequence[Any], token: int, hold: Hold) -> Job:
    """Build a job that was just claimed from a row of `moves/claim.lua`; one never claimed before has no history."""
    packed, encoded, run_at, created_at, cost, started_at, *history = row
    attempts, deaths, error, progress = history or _NO_HISTORY
    fixed = _recent_fixed(packed)
    return Job(
        id=job_id.decode(),
        job_type=fixed.job_type,
        tenant=fixed.tenant,
        queue=fixed.queue,
        priority=HIGHEST_PRIORITY - place // PLACES_A_PRIORITY,
        input=decode_json(encoded),
        max_retries=fixed.max_retries,
        run_at=_recent_instant(run_at),
        unique_key=fixed.unique_key,
        concurrency_key=fixed.concurrency_key,
        source=fixed.source,
        parent_id=fixed.parent_id,
        max_cost_microcents=fixed.max_cost_microcents,
        state=RUNNING,
        error=_find_error(error),
        progress=_find_value(progress),
        cost_microcents=int(cost or 0),
        attempts=int(attempts or 0),
        worker_deaths=int(deaths or 0),
        lease_token=token,
        locked_by=hold.worker,
        locked_at=hold.locked_at,
        heartbeat_at=hold.locked_at,
        lease_expires_at=hold.expires_at,
        created_at=_recent_instant(created_at),
        started_at=_find_instant(started_at) or hold.locked_at,
    )


def build_attempt(number: int, packed: bytes) -> Attempt:
    """Build an ended attempt from an entry of the list."""
    token, worker, started_at, ended_at, outcome, error = unpack(packed)
    return Attempt(
        number=number,
        token=token,
        worker=worker,
        started_at=instant(started_at),
        ended_at=instant(ended_at),
        outcome=AttemptOutcome(outcome),
        error=_decode_error(error) if error else None,
    )


def split_lock(lock: bytes | None) -> tuple[datetime | None, str | None]:
    """Read the lock: when it was taken, and by whom."""
    if not lock:
        return None, None
    locked_at, _, worker = lock.decode().partition(" ")
    return instant(int(locked_at)), worker


def _find_instant(micros: bytes | None) -> datetime | None:
    return None if micros is None else instant(micros)


def _find_value(encoded: bytes | None) -> Any:
    return None if encoded is None else decode_json(encoded)


def _find_error(encoded: bytes | None) -> ErrorInfo | None:
    return None if encoded is None else _decode_error(encoded)
