"""Queues, workers, sources, gates, limits and budgets over the wire."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from dibs.engine.admission.gate import GateMode, GateScope
from dibs.engine.admission.source import SourceRule
from dibs.engine.states import State
from dibs.web.shapes.parts import WORD, Body, Cents, Instant, Reason, Seconds, Version

Count = Annotated[int, Field(ge=1, le=1_000_000)]
REASON: dict[str, JsonValue] = {"reason": "the provider asked for it"}


def _example(**fields: JsonValue) -> ConfigDict:
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{**fields, **REASON}]})


class QueueShape(BaseModel):
    """How many jobs of a queue stand where."""

    name: str
    states: dict[State, int]


class QueueList(BaseModel):
    """The queues that have unfinished jobs."""

    queues: list[QueueShape]


class WorkerShape(BaseModel):
    """A worker that is alive."""

    worker_id: str
    host: str
    pid: int
    state: str
    job_types: list[str]
    queues: list[str] | None
    tenant: str | None
    slots: int
    held: int
    holding: list[str]
    started_at: datetime | None
    seen_at: datetime | None


class WorkerList(BaseModel):
    """The workers that are alive, those started first first."""

    workers: list[WorkerShape]


class SourceBody(Body):
    """What is declared of a source. Null: no limit."""

    model_config = _example(rate_limit_per_minute=60, burst=5)

    reason: Reason
    rate_limit_per_minute: Annotated[int, Field(ge=1, le=60_000_000)] | None = Field(
        None, description="How often it is asked at the most, by all workers together."
    )
    burst: Annotated[int, Field(ge=1, le=1_000_000)] = Field(1, description="How many requests may come at once.")
    daily_quota: Count | None = Field(None, description="How many requests it gets in a day, in UTC.")
    failure_limit: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        5, description="After so many of its faults in a row it is paused."
    )
    pause_seconds: Seconds = Field(300, description="For how long; then one job tries.")
    enabled: bool | None = Field(None, description="Left out, it stays as it is; a new source is enabled.")

    def make_rule(self, name: str) -> SourceRule:
        """Make the record."""
        kept = ("rate_limit_per_minute", "burst", "daily_quota", "failure_limit", "enabled")
        given = {field: getattr(self, field) for field in kept}
        return SourceRule(name=name, pause=timedelta(seconds=self.pause_seconds), **given)


class PauseBody(Body):
    """Until when to ask a source for nothing, and why."""

    model_config = _example(until="2026-12-01T00:00:00Z")

    reason: Reason
    until: Instant | None = Field(None, description="Until somebody resumes it if left out.")


class SourceRuleShape(BaseModel):
    """What is declared of a source."""

    name: str
    rate_limit_per_minute: int | None
    burst: int
    daily_quota: int | None
    failure_limit: int
    pause_seconds: float
    enabled: bool


class SourceShape(BaseModel):
    """A source as it stands."""

    rule: SourceRuleShape
    version: Version = Field(description="That of what is declared; how the source stands moves on under it.")
    failure_streak: int
    parser_streak: int
    host_streak: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    paused_until: datetime | None
    held_until: datetime | None
    next_free_at: datetime | None
    limited_until: datetime | None
    quota_day: datetime | None
    quota_used: int


class SourceList(BaseModel):
    """All sources, by name."""

    sources: list[SourceShape]


class GateBody(Body):
    """How far a gate is to be shut, and why."""

    model_config = _example(scope="queue", name="mail", mode="closed")

    scope: Annotated[GateScope, WORD] = Field(description="What it stands before.")
    mode: Annotated[GateMode, WORD] = Field(
        description="`drain`: nothing new starts. `closed`: running handlers are asked to hand back, too."
    )
    reason: Reason
    name: Annotated[str, Field(max_length=200)] = Field("", description="Of the tenant, queue, job type or source.")
    expires_at: Instant | None = Field(None, description="When it opens by itself; not together with `open`.")


class GateShape(BaseModel):
    """A gate."""

    scope: GateScope
    name: str
    mode: GateMode
    reason: str
    actor: str
    set_at: datetime | None
    expires_at: datetime | None
    version: Version


class GateList(BaseModel):
    """The gates that are shut."""

    gates: list[GateShape]


class QueueLimitBody(Body):
    """Whether the tenants of a queue take turns."""

    model_config = _example(fair=True)

    fair: bool = Field(description="True: they do, by their weights.")
    reason: Reason


class KeyLimitBody(Body):
    """How many jobs with a concurrency key may run at once."""

    model_config = _example(max_running=3)

    max_running: Count = Field(description="In each tenant.")
    reason: Reason


class QueueLimitShape(BaseModel):
    """The rule of a queue."""

    name: str
    fair: bool
    version: Version


class KeyLimitShape(BaseModel):
    """The rule of a concurrency key, or of a family of them."""

    name: str
    max_running: int
    version: Version


class LimitList(BaseModel):
    """The rules of queues and concurrency keys."""

    queues: list[QueueLimitShape]
    keys: list[KeyLimitShape]


class BudgetBody(Body):
    """How much a tenant may have. Null: no limit. All of it is set at once."""

    model_config = _example(max_running=20, daily_budget_cents=500)

    reason: Reason
    max_running: Count | None = Field(None, description="How many of its jobs run at once.")
    weight: Annotated[int, Field(ge=1, le=1_000)] = Field(1, description="Its share of fair queues.")
    daily_budget_cents: Cents | None = Field(None, description="What its jobs may cost in a day, in UTC.")
    monthly_budget_cents: Cents | None = Field(None, description="What its jobs may cost in a month, in UTC.")


class BudgetShape(BaseModel):
    """How much a tenant may have."""

    tenant: str
    max_running: int | None
    weight: int
    daily_budget_cents: float | None
    monthly_budget_cents: float | None
    version: Version


class BudgetList(BaseModel):
    """The tenants that have a rule."""

    budgets: list[BudgetShape]
