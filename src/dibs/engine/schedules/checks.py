"""Refusing schedules that cannot work, before they reach a store."""

from datetime import UTC, timedelta
from enum import StrEnum
from typing import TypeVar, cast

from msgspec.structs import replace

from dibs.engine.schedules.firing import job_of
from dibs.engine.schedules.planning import MOST_AT_ONCE
from dibs.engine.schedules.schedule import Cron, Interval, Misfire, Overlap, Schedule, Timing
from dibs.engine.schedules.timing import simulate
from dibs.engine.schedules.zones import get_zone
from dibs.engine.store.checks.storing import check_new_jobs
from dibs.engine.store.checks.values import (
    EARLIEST,
    LONGEST_NAME,
    check_instant,
    check_name,
    check_span,
    check_whole_number,
    shown,
)
from dibs.errors import BadInput

SHORTEST_INTERVAL = timedelta(seconds=1)
# The unique key of its jobs is the name with a few letters before it.
LONGEST_SCHEDULE_NAME = LONGEST_NAME - 10
Words = TypeVar("Words", bound=StrEnum)


def fit_schedule(schedule: Schedule, *, limit: int) -> Schedule:
    """Refuse what cannot be stored or would never work; words are taken for what they mean."""
    if not isinstance(cast("object", schedule), Schedule):
        message = f"{shown(schedule)} is not a Schedule. Make one: Schedule(name=…, job_type=…, timing=Cron(…))."
        raise BadInput(message)
    check_schedule_name(schedule.name)
    timing = _fit_timing(schedule.timing)
    _check_bounds(schedule)
    check_span(schedule.grace, "grace")
    check_whole_number(schedule.catch_up_limit, "catch_up_limit", 1, MOST_AT_ONCE)
    fitting = replace(
        schedule,
        timing=timing,
        start_at=schedule.start_at and schedule.start_at.astimezone(UTC),
        end_at=schedule.end_at and schedule.end_at.astimezone(UTC),
        misfire=_read_word(Misfire, schedule.misfire, "misfire"),
        overlap=_read_word(Overlap, schedule.overlap, "overlap"),
    )
    _check_instant_as(fitting)
    check_new_jobs([job_of(fitting, EARLIEST)], limit=limit)
    return fitting


def check_schedule_name(name: object) -> None:
    """Refuse what is not a name, or too long for the keys made of it."""
    check_name(name, "schedule name")
    if len(str(name)) > LONGEST_SCHEDULE_NAME:
        message = f"schedule name {shown(name)} is too long. Use at most {LONGEST_SCHEDULE_NAME} characters."
        raise BadInput(message)


def _fit_timing(timing: Timing) -> Timing:
    if isinstance(timing, Cron):
        check_name(timing.expression, "cron expression")
        check_name(timing.zone, "time zone")
        simulate(timing)
        get_zone(timing.zone)
        return timing
    if not isinstance(cast("object", timing), Interval):
        message = f"timing {shown(timing)} is neither Cron(expression=…, zone=…) nor Interval(every=…)."
        raise BadInput(message)
    if isinstance(cast("object", timing.every), timedelta) and timedelta(0) < timing.every < SHORTEST_INTERVAL:
        message = f"an interval of {timing.every.total_seconds():g} s is too short. Use one second or more."
        raise BadInput(message)
    check_span(timing.every, "interval", least=SHORTEST_INTERVAL)
    check_instant(timing.anchor, "anchor")
    return replace(timing, anchor=timing.anchor.astimezone(UTC))


def _check_bounds(schedule: Schedule) -> None:
    for field in ("start_at", "end_at"):
        if getattr(schedule, field) is not None:
            check_instant(getattr(schedule, field), field)
    if schedule.start_at is not None and schedule.end_at is not None and schedule.start_at >= schedule.end_at:
        message = (
            f"the schedule ends at {schedule.end_at.isoformat()}, before it starts at {schedule.start_at.isoformat()}."
            " Let end_at come after start_at."
        )
        raise BadInput(message)


def _check_instant_as(schedule: Schedule) -> None:
    if schedule.instant_as is None:
        return
    check_name(schedule.instant_as, "instant_as")
    if not isinstance(schedule.input, dict):
        message = f"instant_as {schedule.instant_as!r} needs an input that is an object, not {shown(schedule.input)}."
        raise BadInput(message)


def _read_word(words: type[Words], value: object, field: str) -> Words:
    try:
        return words(str(value))
    except ValueError as cause:
        message = f"{field} {shown(value)} is unknown. Use one of {', '.join(words)}."
        raise BadInput(message) from cause
