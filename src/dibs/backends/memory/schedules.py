"""Schedules in a dictionary, kept as JSON: what a caller does to an input does not reach the store."""

from datetime import datetime, timedelta

import msgspec

from dibs.backends.memory.jobs import MemoryJobs
from dibs.backends.memory.world import World
from dibs.engine.audit.actions import SCHEDULER, schedule_subject
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct, describe_change, find_saved
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.states import UNFINISHED
from dibs.engine.store.moves import CancelVerdict, OperatorAct

Key = tuple[str, str]


class MemorySchedules:
    """One indivisible step each, like the moves of jobs."""

    def __init__(self, world: World, jobs: MemoryJobs) -> None:
        self._world = world
        self._jobs = jobs
        self._kept: dict[Key, bytes] = {}
        self._fires: dict[tuple[str, str, datetime], Fire] = {}

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it, if the stored one has the version that this one carries."""
        with self._world:
            before, now = self._get(schedule.tenant, schedule.name), self._world.now
            saved = find_saved(schedule, before, now)
            if saved is None:
                return None
            self._put(saved)
            self._record(act, before, saved)
            return self._get(schedule.tenant, schedule.name)

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""
        with self._world:
            return self._get(tenant, name)

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant, by tenant and name."""
        with self._world:
            return [_read(self._kept[key]) for key in sorted(self._kept) if tenant in (None, key[0])]

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        """Forget it; its fires and its jobs stay."""
        with self._world:
            before = self._get(tenant, name)
            if before is None or version not in (None, before.version):
                return False
            del self._kept[tenant, name]
            self._record(act, before, None)
            return True

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the time, and which are due."""
        with self._world:
            now = self._world.now
            due = [
                (one.next_at, key, one)
                for key, one in ((key, _read(kept)) for key, kept in self._kept.items())
                if one.next_at is not None and one.next_at <= now
            ]
            return now, [one for _, _, one in sorted(due, key=lambda entry: entry[:2])[:limit]]

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""
        with self._world:
            before = self._get(request.tenant, request.name)
            if before is None or before.version != request.version:
                return FireVerdict(status=FireStatus.SUPERSEDED)
            new = request.only([place for place in range(len(request.instants)) if self._is_new(request, place)])
            cancelled = await self._cancel_rivals(new) if new.is_cancelling else ()
            fires = await self._fire_new(new)
            after = new.advance(before, self._world.now)
            self._put(after)
            if request.act is not None:
                self._record(request.act, before, after, fires)
            is_news = bool(fires) or not request.instants
            status = FireStatus.FIRED if is_news else FireStatus.ALREADY_FIRED
            return FireVerdict(status=status, fires=fires, cancelled=cancelled)

    def _is_new(self, request: FireRequest, place: int) -> bool:
        has_fired = (request.tenant, request.name, request.instants[place]) in self._fires
        return not has_fired and request.store.jobs[place].id not in self._world.jobs

    async def _cancel_rivals(self, request: FireRequest) -> tuple[str, ...]:
        keys = {(job.tenant, job.job_type, job.unique_key) for job in request.store.jobs if job.unique_key}
        rivals = [job_id for key in keys for job_id in self._world.keys[key]]
        unfinished = [job_id for job_id in rivals if self._world.jobs[job_id].state in UNFINISHED]
        act = OperatorAct(actor=SCHEDULER, reason=f"{schedule_subject(request.name)} fires again")
        verdicts = await self._jobs.cancel(unfinished, act)
        return tuple(
            job_id for job_id, verdict in zip(unfinished, verdicts, strict=True) if verdict is CancelVerdict.CANCELLED
        )

    async def _fire_new(self, request: FireRequest) -> tuple[Fire, ...]:
        stored = await self._jobs.store(request.store)
        fires = tuple(
            Fire(
                tenant=request.tenant,
                name=request.name,
                instant=instant,
                fired_at=self._world.now,
                job_id=None if job is None else job.id,
            )
            for instant, job in zip(request.instants, stored, strict=True)
        )
        self._fires.update({(fire.tenant, fire.name, fire.instant): fire for fire in fires})
        return fires

    async def list_fires(self, tenant: str, name: str, limit: int) -> list[Fire]:
        """Read the fires, the latest instant first."""
        with self._world:
            fires = [fire for fire in self._fires.values() if (fire.tenant, fire.name) == (tenant, name)]
        return sorted(fires, key=lambda fire: fire.instant, reverse=True)[:limit]

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        """Forget fires, the oldest first."""
        with self._world:
            horizon = self._world.now - older_than
            old = sorted((fire.fired_at, key) for key, fire in self._fires.items() if fire.fired_at < horizon)[:limit]
            for _, key in old:
                del self._fires[key]
            return len(old)

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        """Forget fires of one schedule."""
        with self._world:
            gone = [key for key in self._fires if key[:2] == (tenant, name)][:limit]
            for key in gone:
                del self._fires[key]
            return len(gone)

    def _get(self, tenant: str, name: str) -> Schedule | None:
        kept = self._kept.get((tenant, name))
        return None if kept is None else _read(kept)

    def _put(self, schedule: Schedule) -> None:
        self._kept[schedule.tenant, schedule.name] = msgspec.json.encode(schedule)

    def _record(
        self, act: ScheduleAct, before: Schedule | None, after: Schedule | None, fires: tuple[Fire, ...] = ()
    ) -> None:
        schedule = after or before
        if schedule is not None:
            detail = describe_change(before, after, fires)
            self._world.record_act(
                act.action, schedule_subject(schedule.name), act, tenant=schedule.tenant, detail=detail
            )


def _read(kept: bytes) -> Schedule:
    return msgspec.json.decode(kept, type=Schedule)
