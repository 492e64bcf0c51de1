"""Schedules on Redis: a hash each, and their fires by instant."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.backends.redis.moves.storing import store_arguments, unique_name
from dibs.backends.redis.rows import instant, pack
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.audit.actions import SCHEDULER, schedule_subject
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct, describe_change
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.kit.clock import span_micros, to_micros

_decode = msgspec.json.Decoder(Schedule).decode
# What the store writes by itself stands beside the body.
_MOVING = {"next_at": None, "last_fired_at": None, "version": 0, "created_at": None, "updated_at": None}
_AFTER_SEPARATOR = chr(ord("\x1f") + 1)


class RedisSchedules:
    """Each move is one script. What an act changed is told from what was read; the version says if that still holds."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it, if the stored one has the version that this one carries."""
        before = await self.find(schedule.tenant, schedule.name)
        after = replace(schedule, last_fired_at=before.last_fired_at if before else None)
        body = msgspec.json.encode(replace(schedule, **_MOVING))
        args: list[Word] = [_name(schedule.tenant, schedule.name), schedule.version, body, _micros(schedule.next_at)]
        row = await self._lines.run("schedules/save", [*args, *_entry(act, after, describe_change(before, after))])
        return None if row is None else _build(row)

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""
        bound = f"[{_name(tenant, name)}"
        rows = await self._lines.run("schedules/list", [bound, bound], is_write=False)
        return _build(rows[0]) if rows else None

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant, by tenant and name."""
        bounds = ("-", "+") if tenant is None else (f"[{tenant}\x1f", f"({tenant}{_AFTER_SEPARATOR}")
        return [_build(row) for row in await self._lines.run("schedules/list", bounds, is_write=False)]

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        """Forget it; its fires and its jobs stay."""
        while (before := await self.find(tenant, name)) is not None and version in (None, before.version):
            entry = _entry(act, before, describe_change(before, None))
            if await self._lines.run("schedules/remove", [_name(tenant, name), before.version, *entry]) == 1:
                return True
        return False

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the time, and which are due."""
        stamp, rows = await self._lines.run("schedules/list_due", [limit], is_write=False)
        return instant(stamp), [_build(row) for row in rows]

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""
        while True:
            before = await self.find(request.tenant, request.name)
            if before is None or before.version != request.version:
                return FireVerdict(status=FireStatus.SUPERSEDED)
            new = await self._leave_out_fired(request)
            word, *facts = await self._lines.run("schedules/fire", _fire_arguments(new, before))
            if word == b"superseded":
                return FireVerdict(status=FireStatus.SUPERSEDED)
            if word == b"fired":
                return _build_verdict(request, new, *facts)

    async def _leave_out_fired(self, request: FireRequest) -> FireRequest:
        args: list[Word] = [_name(request.tenant, request.name)]
        for place, when in enumerate(request.instants):
            args += (to_micros(when), request.store.jobs[place].id)
        answers = await self._lines.run("schedules/find_new", args, is_write=False)
        return request.only([place for place, answer in enumerate(answers) if answer == 1])

    async def list_fires(self, tenant: str, name: str, limit: int) -> list[Fire]:
        """Read the fires, the latest instant first."""
        where = f"{self._lines.address.tag}:fires:{_name(tenant, name)}"
        members = await self._lines.ask("ZREVRANGE", where, 0, limit - 1)
        return [_build_fire(tenant, name, *member.decode().split(" ", 2)) for member in members]

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        """Forget fires, the oldest first."""
        count: int = await self._lines.run("schedules/prune_fires", [span_micros(older_than), limit])
        return count

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        """Forget fires of one schedule."""
        count: int = await self._lines.run("schedules/forget_fires", [_name(tenant, name), limit])
        return count


def _name(tenant: str, name: str) -> str:
    return f"{tenant}\x1f{name}"


def _micros(when: datetime | None) -> str:
    return "" if when is None else str(to_micros(when))


def _entry(act: ScheduleAct, schedule: Schedule, detail: dict[str, Any]) -> list[str]:
    told = msgspec.json.encode(detail).decode()
    return [act.action.value, schedule_subject(schedule.name), schedule.tenant, act.actor, act.reason, told]


def _build(row: Sequence[bytes | None]) -> Schedule:
    body, next_at, last_fired_at, version, created_at, updated_at = row
    return replace(
        _decode(body or b""),
        next_at=_find_instant(next_at),
        last_fired_at=_find_instant(last_fired_at),
        version=int(version or 0),
        created_at=_find_instant(created_at),
        updated_at=_find_instant(updated_at),
    )


def _find_instant(micros: bytes | None) -> datetime | None:
    return None if micros is None else instant(micros)


def _fire_arguments(request: FireRequest, before: Schedule) -> list[Word]:
    # When it was written is not told in the log; the script dates it.
    after = request.advance(before, before.updated_at or instant(0))
    head, jobs = store_arguments(request.store)
    return [*head, pack(_asked(request, before, after)), *jobs]


def _asked(request: FireRequest, before: Schedule, after: Schedule) -> dict[str, Any]:
    jobs = request.store.jobs if request.is_cancelling else []
    keys = {unique_name(job.tenant, job.job_type, job.unique_key) for job in jobs if job.unique_key}
    fires = [_new_fire(request, when, before.updated_at) for when in request.instants]
    entry = request.act and _entry(request.act, after, describe_change(before, after, fires))
    return {
        "name": _name(request.tenant, request.name),
        "version": request.version,
        "instants": [str(to_micros(when)) for when in request.instants],
        "next_at": _micros(after.next_at),
        "last_fired_at": _micros(after.last_fired_at),
        "cancel_keys": sorted(keys),
        "canceller": SCHEDULER,
        "cancel_reason": f"{schedule_subject(request.name)} fires again",
        "act": entry or False,
    }


def _new_fire(request: FireRequest, when: datetime, fired_at: datetime | None, job_id: str | None = None) -> Fire:
    return Fire(tenant=request.tenant, name=request.name, instant=when, fired_at=fired_at or instant(0), job_id=job_id)


def _build_verdict(
    request: FireRequest, new: FireRequest, stamp: bytes, ids: Sequence[bytes], cancelled: Sequence[bytes]
) -> FireVerdict:
    fires = tuple(
        _new_fire(new, when, instant(stamp), job_id.decode() or None)
        for when, job_id in zip(new.instants, ids, strict=True)
    )
    is_news = bool(fires) or not request.instants
    status = FireStatus.FIRED if is_news else FireStatus.ALREADY_FIRED
    return FireVerdict(status=status, fires=fires, cancelled=tuple(job_id.decode() for job_id in cancelled))


def _build_fire(tenant: str, name: str, when: str, fired_at: str, job_id: str) -> Fire:
    return Fire(
        tenant=tenant,
        name=name,
        instant=instant(int(when)),
        fired_at=instant(int(fired_at)),
        job_id=job_id or None,
    )
