"""Firing schedules. Every worker does it; the store sees to it that each instant fires once."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from dibs.engine import events
from dibs.engine.loops.leading import Leadership
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.schedules.timetable import Handled
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import ScheduleConflict, ScheduleNotFound, StoreError
from dibs.kit.pauses import jittered

BATCH = 100
KEEP_FIRES = timedelta(days=90)
BETWEEN_PRUNES = 3600.0
PRUNED_AT_ONCE = 1_000
LEASE_NAME = "dibs:scheduler"
# How often everybody asks who looks, and how long one that died is waited for: their sum at most, whatever the poll.
CANDIDACY = timedelta(seconds=5)
LEAD = timedelta(seconds=15)


class Scheduling:
    """Looks from time to time for what is due. First of all it stores what the app declares."""

    def __init__(
        self,
        backend: Backend,
        reach: Reach,
        *,
        interval: timedelta,
        owner: str = "scheduler",
        declared: Sequence[Schedule] = (),
    ) -> None:
        self._timetable = backend.schedules
        self._leading = Leadership(backend, LEASE_NAME, owner, LEAD)
        self._reach = reach
        self._tell = reach.tell
        self._interval = interval
        self._undeclared = list(declared)
        self._prune_at = 0.0
        self._look_at = 0.0
        self._leads = False

    async def run(self) -> None:
        """Look until cancelled."""
        try:
            while True:
                await self.declare()
                await self._look_if_due()
                pause = min(self._interval, CANDIDACY) if self._leads else CANDIDACY
                await asyncio.sleep(jittered(pause).total_seconds())
        finally:
            await self._leading.give_up()

    async def _look_if_due(self) -> None:
        """The lead is kept more often than one looks, so that a long poll does not mean a long failover."""
        has_led, self._leads = self._leads, await self.lead()
        now = time.monotonic()
        if self._leads and (not has_led or now >= self._look_at):
            self._look_at = now + self._interval.total_seconds()
            await self.tick()

    async def lead(self) -> bool:
        """Tell whether this one looks. Only so that a hundred workers do not all ask: two that look do no harm."""
        try:
            return await self._leading.hold()
        except StoreError as error:
            self._reach.failed(error, Doing.SCHEDULING)
            return False

    async def tick(self) -> int:
        """Look once; tell how many jobs were stored."""
        stored = 0
        await self.declare()
        try:
            while handled := await self._timetable.fire_due(BATCH):
                stored += sum(self._report(one) for one in handled)
                if len(handled) < BATCH:
                    break
            await self._prune()
        except StoreError as error:
            self._reach.failed(error, Doing.SCHEDULING)
        else:
            self._reach.answered(Doing.SCHEDULING)
        return stored

    async def declare(self) -> None:
        """Store what the app declares. Every worker does, also one that does not look for what is due."""
        try:
            # Others who change or remove it in this very moment: the next look tries again.
            with suppress(ScheduleConflict, ScheduleNotFound):
                while self._undeclared:
                    await self._timetable.declare(self._undeclared[0])
                    del self._undeclared[0]
        except StoreError as error:
            self._reach.failed(error, Doing.SCHEDULING)

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
