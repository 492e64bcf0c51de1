"""The schedule, when it fires, and what becomes of fires that come late or too early."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from dibs.kit.clock import EPOCH

DEFAULT_GRACE = timedelta(seconds=60)
DEFAULT_CATCH_UP = 10
DEFAULT_BACKFILL = 1_000


class Cron(msgspec.Struct, frozen=True, kw_only=True, tag="cron"):
    """Fires when the clocks of a zone show certain times: `0 3 * * *` in `Europe/Berlin`."""

    expression: str
    zone: str = "UTC"


class Interval(msgspec.Struct, frozen=True, kw_only=True, tag="interval"):
    """Fires every so often, whatever clocks on walls do: at the anchor plus or minus whole multiples of `every`."""

    every: timedelta
    anchor: datetime = EPOCH


Timing = Cron | Interval


class Misfire(StrEnum):
    """What to do about fires that are late by more than the grace time, say because no worker was up."""

    SKIP = "skip"
    FIRE_ONCE = "fire_once"
    CATCH_UP = "catch_up"


class Overlap(StrEnum):
    """What to do when a fire comes while a job of an earlier one is unfinished."""

    ALLOW = "allow"
    SKIP = "skip"
    QUEUE_ONE = "queue_one"
    CANCEL_RUNNING = "cancel_running"


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Which job to store, and when. `next_at` None: nothing is due any more, or it is paused.

    `declared`: written in an app's code. The store alone writes what stands below `next_at`.
    """

    name: str
    job_type: str
    timing: Timing
    tenant: str = "default"
    input: Any = msgspec.field(default_factory=dict)
    instant_as: str | None = None
    queue: str = "default"
    priority: int = 0
    max_retries: int = 3
    source: str | None = None
    concurrency_key: str | None = None
    max_cost_microcents: int = 0
    misfire: Misfire = Misfire.FIRE_ONCE
    catch_up_limit: int = DEFAULT_CATCH_UP
    overlap: Overlap = Overlap.ALLOW
    grace: timedelta = DEFAULT_GRACE
    start_at: datetime | None = None
    end_at: datetime | None = None
    paused: bool = False
    declared: bool = False
    next_at: datetime | None = None

    last_fired_at: datetime | None = None
    version: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None


class Backfill(msgspec.Struct, frozen=True, kw_only=True):
    """Which past instants to fire: from `since` on and before `until`; more than `limit` of them are refused."""

    since: datetime
    until: datetime
    limit: int = DEFAULT_BACKFILL


class FireDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Which instants to fire now, oldest first, and when to look again.

    `has_skipped`: others were due, and are left out.
    """

    instants: tuple[datetime, ...]
    next_at: datetime | None
    has_skipped: bool = False


class Fire(msgspec.Struct, frozen=True, kw_only=True):
    """An instant that has fired: never again. `job_id` None: the overlap policy kept the job out."""

    tenant: str
    name: str
    instant: datetime
    fired_at: datetime
    job_id: str | None = None
