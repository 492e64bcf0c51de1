"""What a store must do with schedules, and what it is asked.

Rules that hold for every backend:

* A schedule is known by tenant and name. Its `version` grows with every write, also with every fire. A write that
  expects another version than the stored one changes nothing, and says so.
* An instant of a schedule fires once, for ever: `(tenant, name, instant)` is unique among the fires, and they stay when
  the schedule is removed. An instant whose job id is stored already counts as fired, too.
* A fire stores its jobs, moves `next_at` and writes its fires in one transaction.
* What a person does is in the audit log, in the same transaction, with `describe_change` as its detail.
* The store dates: `created_at`, `updated_at`, `fired_at` and what is due come from its clock.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from dibs.engine.audit.actions import ScheduleAction
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.store.moves import StoreRequest

_UNTOLD = frozenset({"version", "created_at", "updated_at"})


class ScheduleAct(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody does to a schedule, who, and why."""

    action: ScheduleAction
    actor: str
    reason: str


class FireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Fire these instants of the schedule that has this version; `store.jobs` are their jobs, one each, in order.

    `is_cancelling`: first cancel the unfinished jobs that hold the unique key of the new ones, as the scheduler. With
    an `act`, the fire is somebody's doing, and goes into the audit log.
    """

    tenant: str
    name: str
    version: int
    instants: tuple[datetime, ...]
    store: StoreRequest
    next_at: datetime | None
    is_cancelling: bool = False
    act: ScheduleAct | None = None

    def only(self, places: Sequence[int]) -> "FireRequest":
        """Leave out what has fired before: keep the instants at these places, and their jobs."""
        store = replace(
            self.store,
            jobs=[self.store.jobs[place] for place in places],
            inputs=[self.store.inputs[place] for place in places],
        )
        return replace(self, instants=tuple(self.instants[place] for place in places), store=store)

    def advance(self, schedule: Schedule, now: datetime) -> Schedule:
        """Give the schedule as it is after this fire, of the instants that are new."""
        fired = [instant for instant in (schedule.last_fired_at, *self.instants) if instant is not None]
        last = max(fired, default=None)
        return replace(schedule, next_at=self.next_at, last_fired_at=last, version=schedule.version + 1, updated_at=now)


def find_saved(schedule: Schedule, before: Schedule | None, now: datetime) -> Schedule | None:
    """Give a schedule as it is saved over the stored one; None if it carries another version than that."""
    if schedule.version != (before.version if before else 0):
        return None
    return replace(
        schedule,
        version=schedule.version + 1,
        last_fired_at=before.last_fired_at if before else None,
        created_at=before.created_at if before else now,
        updated_at=now,
    )


class FireStatus(StrEnum):
    """What became of a fire."""

    FIRED = "fired"
    ALREADY_FIRED = "already_fired"
    SUPERSEDED = "superseded"


class FireVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """`fired`: at least one instant was new, or none was asked for. `already_fired`: none was new; `next_at` has moved.

    `superseded`: the schedule is gone or has another version; nothing has changed. `fires` are the new ones, in order.
    """

    status: FireStatus
    fires: tuple[Fire, ...] = ()
    cancelled: tuple[str, ...] = ()


class Schedules(Protocol):
    """Schedules and their fires in a store."""

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it, if the stored one has the version that this one carries (0: there is none).

        Gives it as stored, a version higher; None if the version is another. `last_fired_at` and `created_at` stay.
        """

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant, by tenant and name."""

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        """Forget it; its fires and its jobs stay. False: there is none, or none of the version that is named."""

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the store's time, and those that are due by it: `next_at` not after now, the earliest first."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""

    async def list_fires(self, tenant: str, name: str, limit: int) -> list[Fire]:
        """Read the fires, the latest instant first."""

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        """Forget at most `limit` fires that fired longer ago than that, the oldest first; tell how many."""

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        """Forget at most `limit` fires of one schedule, whether it is still there or not; tell how many."""


def describe_change(before: Schedule | None, after: Schedule | None, fires: Sequence[Fire] = ()) -> dict[str, Any]:
    """Describe an act for the audit log: the fields that it changed, as they were and as they are.

    Of an input only a fingerprint is told: it may be about a person, and the log is kept for ever.
    """
    old, new = _tell(before), _tell(after)
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    detail: dict[str, Any] = {
        "before": None if before is None else {name: old[name] for name in changed},
        "after": None if after is None else {name: new[name] for name in changed},
    }
    if fires:
        instants = [msgspec.to_builtins(fire.instant) for fire in (fires[0], fires[-1])]
        detail["fires"] = {"count": len(fires), "first": instants[0], "last": instants[1]}
    return detail


def _tell(schedule: Schedule | None) -> dict[str, Any]:
    if schedule is None:
        return {}
    told = {name: value for name, value in msgspec.to_builtins(schedule).items() if name not in _UNTOLD}
    told["input"] = hashlib.sha256(msgspec.json.encode(schedule.input, order="sorted")).hexdigest()[:16]
    return told
