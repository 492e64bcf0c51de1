"""Schedules and their fires."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from asyncpg.pool import PoolConnectionProxy
from msgspec.structs import replace

from dibs.backends.postgres.moves import PostgresJobs
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.audit.actions import SCHEDULER, schedule_subject
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct, describe_change, find_saved
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.store.moves import CancelVerdict
from dibs.kit.clock import span_micros

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Schedule).decode


class PostgresSchedules:
    """Each write is one transaction, and whoever writes to a schedule waits for those who do so before him."""

    def __init__(self, connections: Connections, statements: Statements, jobs: PostgresJobs) -> None:
        self._connections = connections
        self._sql = statements
        self._jobs = jobs

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it, if the stored one has the version that this one carries."""
        return await self._connections.work(lambda connection: self._save(connection, schedule, act))

    async def _save(self, connection: PoolConnectionProxy, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        before, now = await self._open(connection, schedule.tenant, schedule.name)
        saved = find_saved(schedule, before, now)
        if saved is None:
            return None
        await self._keep(connection, saved)
        await self._record(connection, act, before, saved)
        return _decode(_encode(saved))

    async def _open(self, connection: PoolConnectionProxy, tenant: str, name: str) -> tuple[Schedule | None, datetime]:
        """Keep others from writing to a schedule, read it as it is now, and tell the time."""
        await connection.execute(self._sql["schedules/lock"], tenant, name)
        text = await connection.fetchval(self._sql["schedules/find"], tenant, name)
        now: datetime = await connection.fetchval(self._sql["reading/now"])
        return None if text is None else _decode(text), now

    async def _keep(self, connection: PoolConnectionProxy, schedule: Schedule) -> None:
        kept = (schedule.tenant, schedule.name, schedule.version, schedule.next_at, _encode(schedule).decode())
        await connection.execute(self._sql["schedules/keep"], *kept)

    async def _record(
        self,
        connection: PoolConnectionProxy,
        act: ScheduleAct,
        before: Schedule | None,
        after: Schedule | None,
        fires: Sequence[Fire] = (),
    ) -> None:
        schedule = after or before
        if schedule is not None:
            detail = _encode(describe_change(before, after, fires)).decode()
            facts = (schedule.tenant, act.actor, act.action.value, schedule_subject(schedule.name), act.reason, detail)
            await connection.execute(self._sql["auditing/append"], *([fact] for fact in facts))

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""
        rows = await self._connections.read(self._sql["schedules/find"], tenant, name)
        return _decode(rows[0]["schedule"]) if rows else None

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant, by tenant and name."""
        return [_decode(row["schedule"]) for row in await self._connections.read(self._sql["schedules/list"], tenant)]

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        """Forget it; its fires and its jobs stay."""

        async def work(connection: PoolConnectionProxy) -> bool:
            before, _ = await self._open(connection, tenant, name)
            if before is None or version not in (None, before.version):
                return False
            await connection.execute(self._sql["schedules/forget"], tenant, name)
            await self._record(connection, act, before, None)
            return True

        return await self._connections.work(work)

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the time, and which are due."""
        rows = await self._connections.read(self._sql["schedules/list_due"], limit)
        return rows[0]["now"], [_decode(row["schedule"]) for row in rows if row["schedule"] is not None]

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""
        return await self._connections.work(lambda connection: self._fire(connection, request))

    async def _fire(self, connection: PoolConnectionProxy, request: FireRequest) -> FireVerdict:
        before, now = await self._open(connection, request.tenant, request.name)
        if before is None or before.version != request.version:
            return FireVerdict(status=FireStatus.SUPERSEDED)
        new = request.only(await self._find_new(connection, request))
        cancelled = await self._cancel_rivals(connection, new) if new.is_cancelling else ()
        fires = await self._fire_new(connection, new, now) if new.instants else ()
        after = new.advance(before, now)
        await self._keep(connection, after)
        if request.act is not None:
            await self._record(connection, request.act, before, after, fires)
        is_news = bool(fires) or not request.instants
        status = FireStatus.FIRED if is_news else FireStatus.ALREADY_FIRED
        return FireVerdict(status=status, fires=fires, cancelled=cancelled)

    async def _find_new(self, connection: PoolConnectionProxy, request: FireRequest) -> list[int]:
        """Find the places of the instants that have neither fired nor have a job."""
        ids = [job.id for job in request.store.jobs]
        values = (request.tenant, request.name, list(request.instants), ids)
        known = {row["place"] for row in await connection.fetch(self._sql["schedules/list_known"], *values)}
        return [place for place in range(len(ids)) if place not in known]

    async def _cancel_rivals(self, connection: PoolConnectionProxy, request: FireRequest) -> tuple[str, ...]:
        keys = sorted({(job.tenant, job.job_type, job.unique_key) for job in request.store.jobs if job.unique_key})
        columns = [list(column) for column in zip(*keys, strict=True)] or [[], [], []]
        # First the keys, then the rows, as everybody who decides about unique keys.
        await connection.execute(self._sql["schedules/lock_keys"], *columns)
        rivals = [row["id"] for row in await connection.fetch(self._sql["schedules/list_rivals"], *columns)]
        values = (rivals, SCHEDULER, f"{schedule_subject(request.name)} fires again")
        rows = await connection.fetch(self._sql["moves/cancel_jobs"], *values)
        cancelled = {row["place"] for row in rows if row["verdict"] == CancelVerdict.CANCELLED}
        return tuple(rival for place, rival in enumerate(rivals, start=1) if place in cancelled)

    async def _fire_new(self, connection: PoolConnectionProxy, request: FireRequest, now: datetime) -> tuple[Fire, ...]:
        stored = await self._jobs.store(replace(request.store, connection=connection))
        ids = [None if job is None else job.id for job in stored]
        values = (request.tenant, request.name, now, list(request.instants), ids)
        await connection.execute(self._sql["schedules/add_fires"], *values)
        return tuple(
            Fire(tenant=request.tenant, name=request.name, instant=instant, fired_at=now, job_id=job_id)
            for instant, job_id in zip(request.instants, ids, strict=True)
        )

    async def list_fires(self, tenant: str, name: str, limit: int) -> list[Fire]:
        """Read the fires, the latest instant first."""
        rows: Sequence[Any] = await self._connections.read(self._sql["schedules/list_fires"], tenant, name, limit)
        return [Fire(**dict(row)) for row in rows]

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        """Forget fires, the oldest first."""
        values = (span_micros(older_than), limit)
        return len(await self._connections.write(self._sql["schedules/forget_fires"], *values))

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        """Forget fires of one schedule."""
        return len(await self._connections.write(self._sql["schedules/forget_fires_of"], tenant, name, limit))
