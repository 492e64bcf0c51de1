"""Schedules and their fires in a SQLite file."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec

from dibs.backends.sqlite.moves import operating, storing
from dibs.backends.sqlite.moves.records import record_act
from dibs.backends.sqlite.rows import instant
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot, Transaction
from dibs.engine.audit.actions import SCHEDULER, schedule_subject
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct, describe_change, find_saved
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.store.moves import CancelVerdict, OperatorAct
from dibs.kit.clock import span_micros, to_micros

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Schedule).decode


class SqliteSchedules:
    """Each write is one transaction, and checks in it what it expects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it, if the stored one has the version that this one carries."""
        return await self._database.write(partial(_save, schedule=schedule, act=act))

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""
        return await self._database.read(partial(_find, tenant=tenant, name=name))

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant, by tenant and name."""
        rows = await self._database.read(lambda snapshot: snapshot.read("schedules/list_schedules", tenant))
        return [_decode(text) for (text,) in rows]

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        """Forget it; its fires and its jobs stay."""
        return await self._database.write(partial(_remove, tenant=tenant, name=name, act=act, version=version))

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the time, and which are due."""
        now, rows = await self._database.read(partial(_list_due, limit=limit))
        return instant(now), [_decode(text) for (text,) in rows]

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""
        return await self._database.write(partial(_fire, request=request))

    async def list_fires(self, tenant: str, name: str, limit: int) -> list[Fire]:
        """Read the fires, the latest instant first."""
        asked = (tenant, name, limit)
        return [
            _to_fire(row) for row in await self._database.read(lambda one: one.read("schedules/list_fires", *asked))
        ]

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        """Forget fires, the oldest first."""
        return await self._database.write(
            lambda transaction: transaction.write(
                "schedules/forget_fires", transaction.now - span_micros(older_than), limit
            )
        )

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        """Forget fires of one schedule."""
        asked = (tenant, name, limit)
        return await self._database.write(lambda transaction: transaction.write("schedules/forget_fires_of", *asked))


def _find(snapshot: Snapshot, tenant: str, name: str) -> Schedule | None:
    row = snapshot.find("schedules/find_schedule", tenant, name)
    return None if row is None else _decode(row[0])


def _list_due(snapshot: Snapshot, limit: int) -> tuple[int, list[Row]]:
    return snapshot.now, snapshot.read("schedules/list_due", snapshot.now, limit)


def _save(transaction: Transaction, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
    before, now = _find(transaction, schedule.tenant, schedule.name), instant(transaction.now)
    saved = find_saved(schedule, before, now)
    if saved is None:
        return None
    _keep(transaction, saved)
    _record(transaction, act, before, saved)
    return _find(transaction, schedule.tenant, schedule.name)


def _remove(transaction: Transaction, tenant: str, name: str, act: ScheduleAct, version: int | None) -> bool:
    before = _find(transaction, tenant, name)
    if before is None or version not in (None, before.version):
        return False
    transaction.write("schedules/forget_schedule", tenant, name)
    _record(transaction, act, before, None)
    return True


def _fire(transaction: Transaction, request: FireRequest) -> FireVerdict:
    before = _find(transaction, request.tenant, request.name)
    if before is None or before.version != request.version:
        return FireVerdict(status=FireStatus.SUPERSEDED)
    new = request.only(_find_new(transaction, request))
    cancelled = _cancel_rivals(transaction, new) if new.is_cancelling else ()
    fires = _fire_new(transaction, new) if new.instants else ()
    after = new.advance(before, instant(transaction.now))
    _keep(transaction, after)
    if request.act is not None:
        _record(transaction, request.act, before, after, fires)
    is_news = bool(fires) or not request.instants
    status = FireStatus.FIRED if is_news else FireStatus.ALREADY_FIRED
    return FireVerdict(status=status, fires=fires, cancelled=cancelled)


def _find_new(transaction: Transaction, request: FireRequest) -> list[int]:
    """Find the places of the instants that have neither fired nor have a job."""
    asked = [(to_micros(one), job.id) for one, job in zip(request.instants, request.store.jobs, strict=True)]
    listed = _encode(asked).decode()
    known = {row[0] for row in transaction.read("schedules/list_known", request.tenant, request.name, listed)}
    return [place for place in range(len(asked)) if place not in known]


def _cancel_rivals(transaction: Transaction, request: FireRequest) -> tuple[str, ...]:
    keys = {(job.unique_key, job.job_type, job.tenant) for job in request.store.jobs if job.unique_key}
    rivals = [row[0] for key in sorted(keys) for row in transaction.read("schedules/list_rivals", *key)]
    act = OperatorAct(actor=SCHEDULER, reason=f"{schedule_subject(request.name)} fires again")
    verdicts = operating.cancel(transaction, rivals, act)
    return tuple(one for one, verdict in zip(rivals, verdicts, strict=True) if verdict is CancelVerdict.CANCELLED)


def _fire_new(transaction: Transaction, request: FireRequest) -> tuple[Fire, ...]:
    stored = storing.answers(request.store, storing.store(transaction, request.store))
    rows = [
        (request.tenant, request.name, to_micros(one), transaction.now, None if job is None else job.id)
        for one, job in zip(request.instants, stored, strict=True)
    ]
    transaction.write_many("schedules/add_fire", rows)
    return tuple(map(_to_fire, rows))


def _keep(transaction: Transaction, schedule: Schedule) -> None:
    next_at = None if schedule.next_at is None else to_micros(schedule.next_at)
    kept = (schedule.tenant, schedule.name, schedule.version, next_at, _encode(schedule).decode())
    transaction.write("schedules/keep_schedule", *kept)


def _record(
    transaction: Transaction,
    act: ScheduleAct,
    before: Schedule | None,
    after: Schedule | None,
    fires: Sequence[Fire] = (),
) -> None:
    schedule = after or before
    if schedule is not None:
        detail = describe_change(before, after, fires)
        record_act(transaction, act.action, schedule_subject(schedule.name), act, tenant=schedule.tenant, detail=detail)


def _to_fire(row: Row) -> Fire:
    tenant, name, at, fired_at, job_id = row
    return Fire(tenant=tenant, name=name, instant=instant(at), fired_at=instant(fired_at), job_id=job_id)
