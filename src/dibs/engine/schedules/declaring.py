"""Schedules written in code, beside the tasks that they name."""

import sys
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from dibs.engine.schedules.checks import fit_schedule
from dibs.engine.schedules.firing import job_of
from dibs.engine.schedules.schedule import Cron, Interval, Schedule, Timing
from dibs.engine.tasks.task import NO_OPTIONS, Task
from dibs.errors import BadInput
from dibs.kit.clock import EPOCH

_DECIDED_ELSEWHERE = {"name", "job_type", "timing", "input", "paused", "declared", "next_at"}
_DECIDED_ELSEWHERE |= {"last_fired_at", "version", "created_at", "updated_at"}
OPTIONS = tuple(name for name in Schedule.__struct_fields__ if name not in _DECIDED_ELSEWHERE)

TAKEN_FROM_TASK = ("queue", "priority", "max_retries", "source", "concurrency_key", "max_cost_microcents")


def make_timing(when: str | timedelta, *, timezone: str | None = None, anchor: datetime | None = None) -> Timing:
    """Make a cron timing of an expression, and an interval of a duration."""
    if isinstance(when, timedelta):
        if timezone is not None:
            message = f"an interval ({when}) counts real time in every zone. Leave out timezone."
            raise BadInput(message)
        return Interval(every=when, anchor=EPOCH if anchor is None else anchor)
    if anchor is not None:
        message = f"anchor goes with an interval, and {when!r} is a cron expression. Leave it out, or pass a timedelta."
        raise BadInput(message)
    return Cron(expression=when, zone="UTC" if timezone is None else timezone)


def declare_schedule(name: str, timing: Timing, task: Task[Any, Any] | str, given: Any, options: Any) -> Schedule:
    """Put a schedule together; what its options leave open, its task's settings say. Bad ones are refused here."""
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        message = f"a schedule has no option {unknown[0]!r}. It has: {', '.join(OPTIONS)}, timezone, anchor, input."
        raise BadInput(message)
    given = {} if given is None else given
    if isinstance(task, str):
        declared = Schedule(name=name, job_type=task, timing=timing, input=given, declared=True, **options)
        return _fit(declared)
    settings = {**take_settings(task, given), **options}
    declared = Schedule(name=name, job_type=task.name, timing=timing, declared=True, **settings)
    return check_input(replace(declared, input=given), task)


def take_settings(task: Task[Any, Any], given: Any) -> dict[str, Any]:
    """Read what a task says of its jobs, as an enqueue would: what holds others back holds a schedule's back, too."""
    job = task.make_job(given, NO_OPTIONS)
    return {field: getattr(job, field) for field in TAKEN_FROM_TASK}


def _fit(schedule: Schedule) -> Schedule:
    # The store that it will be kept in has a limit of its own, and checks it.
    return fit_schedule(schedule, limit=sys.maxsize)


def check_input(schedule: Schedule, task: Task[Any, Any]) -> Schedule:
    """Refuse a schedule whose jobs its task would refuse."""
    fitting = _fit(schedule)
    task.arguments.read(job_of(fitting, EPOCH).input)
    return fitting
