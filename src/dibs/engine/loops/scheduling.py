"""Firing schedules. Every worker does it; the store sees to it that each instant fires once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from dibs.engine import events
from dibs.engine.events import Events
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.schedules.timetable import Handled, Timetable
from dibs.errors import ScheduleConflict, ScheduleNotFound, StoreError
from dibs.kit.pauses import jittered

BATCH = 100
KEEP_FIRES = timedelta(days=90)
BETWEEN_PRUNES = 3600.0
PRUNED_AT_ONCE = 1_000


class Scheduling:
    """Looks from time to time for what is due. First of all it stores what the app declares."""

    def __init__(
        self, timetable: Timetable, tell: Events, *, interval: timedelta, declared: Sequence[Schedule] = ()
    ) -> None:
        self._timetable = timetable
        self._tell = tell
        self._interval = interval
        self._undeclared = list(declared)
        self._prune_at = 0.0

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.tick()
            await asyncio.sleep(jittered(self._interval).total_seconds())

    async def tick(self) -> int:
        """Look once; tell how many jobs were stored."""
        stored = 0
        try:
            await self._declare()
            while handled := await self._timetable.fire_due(BATCH):
                stored += sum(self._report(one) for one in handled)
                if len(handled) < BATCH:
                    break
            await self._prune()
        except StoreError as error:
            self._tell.emit(events.STORE_LOST, error=type(error).__name__, while_doing="scheduling")
        return stored

    async def _declare(self) -> None:
        # Others who change or remove it in this very moment: the next look tries again.
        with suppress(ScheduleConflict, ScheduleNotFound):
            while self._undeclared:
                await self._timetable.declare(self._undeclared[0])
                del self._undeclared[0]

    async def _prune(self) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._prune_at:
            while await self._timetable.prune_fires(KEEP_FIRES, limit=PRUNED_AT_ONCE) == PRUNED_AT_ONCE:
                pass
            self._prune_at = now + BETWEEN_PRUNES

    def _report(self, handled: Handled) -> int:
        facts = {"schedule": handled.schedule.name, "tenant": handled.schedule.tenant}
        if handled.failure is not None:
            self._tell.emit(events.SCHEDULE_BROKEN, **facts, error=handled.failure)
            return 0
        if handled.has_skipped and handled.schedule.next_at is not None:
            self._tell.emit(events.SCHEDULE_MISFIRED, **facts, since=handled.schedule.next_at.isoformat())
        for fire in handled.verdict.fires:
            self._report_fire(handled.schedule, fire)
        return sum(fire.job_id is not None for fire in handled.verdict.fires)

    def _report_fire(self, schedule: Schedule, fire: Fire) -> None:
        self._tell.emit(
            events.SCHEDULE_FIRED,
            schedule=fire.name,
            tenant=fire.tenant,
            instant=fire.instant.isoformat(),
            job_id=fire.job_id,
            late=(fire.fired_at - fire.instant).total_seconds(),
        )
        if fire.job_id is not None:
            facts = {"job_type": schedule.job_type, "queue": schedule.queue, "tenant": schedule.tenant}
            self._tell.emit(events.JOB_ENQUEUED, job_id=fire.job_id, **facts)
