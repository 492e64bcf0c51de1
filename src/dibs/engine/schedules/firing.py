"""The job of a fire."""

import hashlib
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from dibs.engine.job import Job
from dibs.engine.schedules.schedule import Overlap, Schedule
from dibs.engine.store.moves import UniqueRule, UniqueWhile
from dibs.kit.clock import to_micros
from dibs.kit.ids import id_from

_HOLDS = {Overlap.QUEUE_ONE: UniqueWhile.PENDING}


def job_of(schedule: Schedule, instant: datetime) -> Job:
    """Make the job of one fire. Its id follows from tenant, name and instant: whoever makes it, makes the same."""
    return Job(
        id=job_id_of(schedule.tenant, schedule.name, instant),
        job_type=schedule.job_type,
        tenant=schedule.tenant,
        queue=schedule.queue,
        priority=schedule.priority,
        input=_input_of(schedule, instant),
        max_retries=schedule.max_retries,
        run_at=instant,
        unique_key=None if schedule.overlap is Overlap.ALLOW else unique_key_of(schedule.name),
        concurrency_key=_concurrency_key_of(schedule),
        source=schedule.source,
        max_cost_microcents=schedule.max_cost_microcents,
    )


def job_id_of(tenant: str, name: str, instant: datetime) -> str:
    """Give the id of the job of a fire."""
    micros = to_micros(instant)
    # Names are printable: a line feed cannot be part of one.
    digest = hashlib.sha256(f"{tenant}\n{name}\n{micros}".encode()).digest()
    return id_from(micros // 1000, digest)


def unique_key_of(name: str) -> str:
    """Give the key by which the jobs of a schedule keep each other out."""
    return f"schedule:{name}"


def _concurrency_key_of(schedule: Schedule) -> str | None:
    """What is queued waits until the job before it has ended: where a worker has a free slot, only a key makes it."""
    if schedule.concurrency_key is None and schedule.overlap is Overlap.QUEUE_ONE:
        return unique_key_of(schedule.name)
    return schedule.concurrency_key


def unique_rule_of(schedule: Schedule) -> UniqueRule:
    """Give the rule for that key: `queue_one` lets one wait, the others let none be unfinished."""
    return UniqueRule(hold=_HOLDS.get(schedule.overlap, UniqueWhile.UNFINISHED))


def without_overlap_policy(schedule: Schedule) -> Schedule:
    """Give the schedule whose jobs do not keep each other out, as a backfill wants it."""
    return replace(schedule, overlap=Overlap.ALLOW)


def _input_of(schedule: Schedule, instant: datetime) -> Any:
    if schedule.instant_as is None:
        return schedule.input
    return {**schedule.input, schedule.instant_as: instant.isoformat().replace("+00:00", "Z")}
