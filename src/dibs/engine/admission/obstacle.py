"""What stands between a waiting job and a worker: the one place where admission is decided.

A claim asks for the first obstacle, `dibs jobs why` for all of them. The stores that decide in Python call this; those
that decide in SQL or Lua are tested against it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from dibs.engine.admission.gate import Gate, find_shut_gate
from dibs.engine.admission.rules import DEFAULT_KEY_LIMIT, TenantRule
from dibs.engine.admission.source import Source, find_wait
from dibs.engine.job import Job
from dibs.kit.clock import utc_day, utc_month


class ObstacleKind(StrEnum):
    """The ways in which a job can be held back."""

    GATE = "gate"
    SOURCE_DISABLED = "source_disabled"
    SOURCE_PAUSED = "source_paused"
    SOURCE_PROBING = "source_probing"
    SOURCE_LIMITED = "source_limited"
    SOURCE_QUOTA = "source_quota"
    SOURCE_AWAITED = "source_awaited"
    KEY_LIMIT = "key_limit"
    TENANT_CAP = "tenant_cap"
    DAILY_BUDGET = "daily_budget"
    MONTHLY_BUDGET = "monthly_budget"


class Obstacle(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that holds a job back. `until`: when it ends by itself, None when only an event ends it."""

    kind: ObstacleKind
    name: str = ""
    until: datetime | None = None
    gate: Gate | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides whether one job may run, as its store knows it at one instant.

    Only what concerns the job is filled in. Counted are other running jobs: those of its source (`reserved_permits`,
    `is_probing`), those of its tenant with its key, and, if its tenant has a rule, those of its tenant.
    """

    gates: tuple[Gate, ...] = ()
    source: Source | None = None
    reserved_permits: int = 0
    is_probing: bool = False
    key_limit: int = DEFAULT_KEY_LIMIT
    key_running: int = 0
    tenant: TenantRule | None = None
    tenant_running: int = 0
    reserved_microcents: int = 0
    spent_today_microcents: int = 0
    spent_this_month_microcents: int = 0


def find_obstacle(job: Job, standing: Standing, now: datetime) -> Obstacle | None:
    """Find the first thing that holds a job back; None: it may run."""
    return next(find_obstacles(job, standing, now), None)


def find_obstacles(job: Job, standing: Standing, now: datetime) -> Iterator[Obstacle]:
    """Find everything that holds a job back, in the order in which a claim asks."""
    yield from _at_gate(job, standing, now)
    yield from _at_source(standing, now)
    if job.concurrency_key is not None and standing.key_running >= standing.key_limit:
        yield Obstacle(kind=ObstacleKind.KEY_LIMIT, name=job.concurrency_key)
    if standing.tenant is not None:
        yield from _at_tenant(job, standing.tenant, standing, now)


def _at_gate(job: Job, standing: Standing, now: datetime) -> Iterator[Obstacle]:
    gate = find_shut_gate(standing.gates, job, now)
    if gate is not None:
        yield Obstacle(kind=ObstacleKind.GATE, name=gate.key, until=gate.expires_at, gate=gate)


def _at_source(standing: Standing, now: datetime) -> Iterator[Obstacle]:
    if standing.source is None:
        return
    wait = find_wait(standing.source, now, reserved=standing.reserved_permits, is_probing=standing.is_probing)
    if wait is not None:
        yield Obstacle(kind=ObstacleKind(f"source_{wait.why}"), name=standing.source.name, until=wait.until)


def _at_tenant(job: Job, rule: TenantRule, standing: Standing, now: datetime) -> Iterator[Obstacle]:
    if rule.max_running is not None and standing.tenant_running >= rule.max_running:
        yield Obstacle(kind=ObstacleKind.TENANT_CAP, name=rule.name)
    asked = standing.reserved_microcents + job.max_cost_microcents
    daily, monthly = rule.daily_budget_microcents, rule.monthly_budget_microcents
    if daily is not None and standing.spent_today_microcents + asked > daily:
        until = utc_day(now) + timedelta(days=1)
        yield Obstacle(kind=ObstacleKind.DAILY_BUDGET, name=rule.name, until=until)
    if monthly is not None and standing.spent_this_month_microcents + asked > monthly:
        yield Obstacle(kind=ObstacleKind.MONTHLY_BUDGET, name=rule.name, until=utc_month(now, ahead=1))
