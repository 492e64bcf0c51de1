"""Schedules over the wire."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from dibs.engine.schedules.keeping import FireStatus
from dibs.engine.schedules.schedule import Cron, Interval, Misfire, Overlap, Schedule, Timing
from dibs.kit.clock import EPOCH
from dibs.kit.money import to_microcents
from dibs.web.shapes.parts import WORD, Body, Cents, Instant, Name, Reason, Seconds

_TASKS_OWN = "Left out, it is the task's, where the server knows the task."

EXAMPLE: dict[str, JsonValue] = {
    "job_type": "PING",
    "timing": {"type": "cron", "expression": "0 3 * * *", "zone": "Europe/Berlin"},
    "reason": "a sign of life every night",
}


class CronBody(Body):
    """Fires when the clocks of a zone show certain times."""

    type: Literal["cron"] = Field(description="Says that it is this kind of timing.")
    expression: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        description="Minute, hour, day of month, month, day of week; or a word such as `@hourly`."
    )
    zone: Name = Field("UTC", description="The time zone whose clocks are meant.")


class IntervalBody(Body):
    """Fires every so often, counted from an anchor."""

    type: Literal["interval"] = Field(description="Says that it is this kind of timing.")
    every_seconds: Seconds = Field(description="At least 1.")
    anchor: Instant | None = Field(None, description="Counted from here; from the beginning of 1970 if left out.")


class ScheduleBody(Body):
    """A schedule as it is to be, and why."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [EXAMPLE]})

    job_type: Name = Field(description="The task that its jobs are for.")
    timing: Annotated[CronBody | IntervalBody, Field(discriminator="type")] = Field(description="When it fires.")
    reason: Reason
    input: Any = Field(default_factory=dict, description="The input of its jobs; `{}` if left out.")
    instant_as: Name | None = Field(None, description="The field of the input that gets the instant.")
    queue: Name | None = Field(None, description=_TASKS_OWN)
    priority: Annotated[int, Field(ge=-1000, le=1000)] | None = Field(None, description=_TASKS_OWN)
    max_retries: Annotated[int, Field(ge=0, le=1000)] | None = Field(None, description=_TASKS_OWN)
    source: Name | None = Field(None, description=_TASKS_OWN)
    concurrency_key: Name | None = Field(None, description=_TASKS_OWN)
    max_cost_cents: Cents | None = Field(None, description=_TASKS_OWN)
    misfire: Annotated[Misfire, WORD] = Field(Misfire.FIRE_ONCE, description="What becomes of missed instants.")
    catch_up_limit: Annotated[int, Field(ge=1, le=1000)] = Field(10, description="How many `catch_up` makes up for.")
    overlap: Annotated[Overlap, WORD] = Field(
        Overlap.ALLOW, description="What happens when it fires while a job of an earlier fire is unfinished."
    )
    grace_seconds: Seconds = Field(60, description="How late is still on time.")
    start_at: Instant | None = Field(None, description="No instant before this one.")
    end_at: Instant | None = Field(None, description="No instant from this one on.")

    def make_schedule(self, name: str, tenant: str, settings: dict[str, Any]) -> Schedule:
        """Make the record; `settings` are those of its task, for what is left out."""
        given = {field: getattr(self, field) for field in type(self).model_fields if field not in _OTHERWISE}
        said = {field: value for field, value in given.items() if value is not None}
        if self.max_cost_cents is not None:
            said["max_cost_microcents"] = to_microcents(self.max_cost_cents)
        grace = timedelta(seconds=self.grace_seconds)
        facts = {"input": self.input, **settings, **said}
        return Schedule(name=name, tenant=tenant, timing=_make_timing(self.timing), grace=grace, **facts)


_OTHERWISE = {"timing", "reason", "grace_seconds", "max_cost_cents"}


def _make_timing(body: CronBody | IntervalBody) -> Timing:
    if isinstance(body, CronBody):
        return Cron(expression=body.expression, zone=body.zone)
    return Interval(every=timedelta(seconds=body.every_seconds), anchor=body.anchor or EPOCH)


class BackfillBody(Body):
    """Which past instants to fire, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [{"since": "2026-11-01T00:00:00Z", "until": "2026-11-02T00:00:00Z", "reason": "was down"}]
        },
    )

    since: Instant = Field(description="The first instant that is meant.")
    until: Instant = Field(description="The first that is not.")
    reason: Reason
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(1_000, description="How many are fired at the most.")


class TimingShape(BaseModel):
    """When it fires."""

    type: Literal["cron", "interval"]
    expression: str | None = None
    zone: str | None = None
    every_seconds: float | None = None
    anchor: datetime | None = None


class ScheduleShape(BaseModel):
    """One schedule. `version` is its ETag."""

    name: str
    tenant: str
    job_type: str
    timing: TimingShape
    input: Any
    instant_as: str | None
    queue: str
    priority: int
    max_retries: int
    source: str | None
    concurrency_key: str | None
    max_cost_cents: float
    misfire: Misfire
    catch_up_limit: int
    overlap: Overlap
    grace_seconds: float
    start_at: datetime | None
    end_at: datetime | None
    paused: bool
    declared: bool
    next_at: datetime | None
    last_fired_at: datetime | None
    version: int
    created_at: datetime | None
    updated_at: datetime | None


class ScheduleList(BaseModel):
    """Schedules by tenant and name."""

    schedules: list[ScheduleShape]
    next_cursor: str | None


class FireShape(BaseModel):
    """An instant that has fired."""

    tenant: str
    name: str
    instant: datetime
    fired_at: datetime
    job_id: str | None


class FireList(BaseModel):
    """The last fires of a schedule, the latest first."""

    fires: list[FireShape]


class VerdictShape(BaseModel):
    """What came of firing by hand."""

    status: FireStatus
    fires: list[FireShape]
    cancelled: list[str]


class PreviewShape(BaseModel):
    """The next instants."""

    instants: list[datetime]
