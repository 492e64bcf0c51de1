"""Bugs that schedulers have had, planted in the memory backend one at a time. The suite must catch each."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast

from msgspec.structs import replace

from dibs.backends.memory import build_parts
from dibs.backends.memory.jobs import MemoryJobs
from dibs.backends.memory.schedules import MemorySchedules
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.store.protocols import Parts
from dibs.kit.clock import Clock

SCHEDULE_BUGS: dict[str, type[MemorySchedules]] = {}
SCHEDULE_CATCHERS: dict[str, str] = {}


def bug(caught_by: str) -> Callable[[type[MemorySchedules]], type[MemorySchedules]]:
    """List a bug under its sentence, with the sentence of the suite that must fail."""

    def register(planted: type[MemorySchedules]) -> type[MemorySchedules]:
        name = (planted.__doc__ or "").rstrip(".")
        SCHEDULE_BUGS[name] = planted
        SCHEDULE_CATCHERS[name] = caught_by
        return planted

    return register


def plant_in_schedules(name: str, clock: Clock) -> Parts:
    """Make a memory store with one bug in its schedules."""
    parts = build_parts(clock)
    jobs = cast("MemoryJobs", parts.jobs)
    return replace(parts, schedules=SCHEDULE_BUGS[name](jobs._world, jobs))


class Buggy(MemorySchedules):
    """What the bugs have in common."""

    def current(self, tenant: str, name: str) -> int:
        found = self._get(tenant, name)
        return found.version if found else 0


@bug("test_a_scheduler_that_comes_late_is_superseded")
class FireUnderAnyVersion(Buggy):
    """A fire does not look at the version."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        return await super().fire(replace(request, version=self.current(request.tenant, request.name)))


@bug("test_a_pause_stops_a_fire_that_was_planned_before_it")
class PauseWithoutVersion(Buggy):
    """A pause leaves the version alone."""

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        saved = await super().save(schedule, act)
        if saved is not None and saved.paused:
            self._put(replace(saved, version=saved.version - 1))
        return saved


@bug("test_an_instant_fires_once_it_has_come")
class FireWithoutVersion(Buggy):
    """A fire leaves the version alone."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        verdict = await super().fire(request)
        found = self._get(request.tenant, request.name)
        if found is not None and verdict.status is FireStatus.FIRED:
            self._put(replace(found, version=found.version - 1))
        return verdict


@bug("test_a_removed_and_recreated_one_does_not_fire_its_instants_again")
class FiresGoWithTheirSchedule(Buggy):
    """Removing a schedule forgets its fires."""

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        self._fires = {key: fire for key, fire in self._fires.items() if key[:2] != (tenant, name)}
        return await super().remove(tenant, name, act, version)


@bug("test_a_changed_schedule_is_not_removed_by_who_has_not_seen_it")
class RemovalWithoutALook(Buggy):
    """Removing a schedule does not look at its version."""

    async def remove(self, tenant: str, name: str, act: ScheduleAct, version: int | None = None) -> bool:
        return await super().remove(tenant, name, act)


@bug("test_an_instant_whose_job_is_there_counts_as_fired")
class OnlyFiresCount(Buggy):
    """A job that is stored already does not make its instant a fired one."""

    def _is_new(self, request: FireRequest, place: int) -> bool:
        return (request.tenant, request.name, request.instants[place]) not in self._fires


@bug("test_of_several_instants_only_the_new_ones_fire")
class AllOrNothing(Buggy):
    """One instant that has fired keeps the others from firing."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        if not all(self._is_new(request, place) for place in range(len(request.instants))):
            request = request.only([])
        return await super().fire(request)


@bug("test_an_instant_never_fires_again")
class StuckAtAFiredInstant(Buggy):
    """A fire of what has fired does not move on."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        before = self._get(request.tenant, request.name)
        verdict = await super().fire(request)
        if verdict.status is FireStatus.ALREADY_FIRED and before is not None:
            self._put(before)
        return verdict


@bug("test_a_save_under_an_old_version_changes_nothing")
class LastWriterWins(Buggy):
    """A save does not look at the version."""

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        return await super().save(replace(schedule, version=self.current(schedule.tenant, schedule.name)), act)


@bug("test_replacing_keeps_a_pause_and_the_dates")
class BornAgain(Buggy):
    """A change forgets when the schedule was created and fired last."""

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        saved = await super().save(schedule, act)
        if saved is not None:
            saved = replace(saved, created_at=self._world.now, last_fired_at=None)
            self._put(saved)
        return saved


@bug("test_a_backfill_fires_what_has_not_fired")
class BackfillTurnsBackTime(Buggy):
    """The instant fired last is taken for the latest one."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        verdict = await super().fire(request)
        found = self._get(request.tenant, request.name)
        if found is not None and verdict.fires:
            self._put(replace(found, last_fired_at=verdict.fires[-1].instant))
        return verdict


@bug("test_one_that_cancels_takes_the_place_of_unfinished_jobs")
class CancelNobody(Buggy):
    """Nothing is cancelled, so the new job is kept out."""

    async def _cancel_rivals(self, _: FireRequest) -> tuple[str, ...]:
        return ()


@bug("test_a_superseded_fire_cancels_nothing")
class CancelFirst(Buggy):
    """Unfinished jobs are cancelled before the version is looked at."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        cancelled = await self._cancel_rivals(request) if request.is_cancelling else ()
        return replace(await super().fire(request), cancelled=cancelled)


@bug("test_those_due_first_come_first")
class DueInAnyOrder(Buggy):
    """What is due comes in the order of names."""

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        now, due = await super().list_due(1_000)
        return now, sorted(due, key=lambda one: one.name)[:limit]


@bug("test_every_act_is_audited_with_before_and_after")
class SilentFires(Buggy):
    """What a person fires is not in the audit log."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        return await super().fire(replace(request, act=None))


@bug("test_every_act_is_audited_with_before_and_after")
class EveryFireAudited(Buggy):
    """The audit log is flooded with fires that nobody ordered."""

    async def fire(self, request: FireRequest) -> FireVerdict:
        verdict = await super().fire(request)
        if request.act is None and (found := self._get(request.tenant, request.name)) is not None:
            entry = self._world.audit[-1]
            self._world.audit.append(replace(entry, sequence=entry.sequence + 1, subject=f"schedule:{found.name}"))
        return verdict


@bug("test_old_fires_can_be_forgotten_in_batches")
class PruneEverythingAtOnce(Buggy):
    """Pruning fires ignores its limit."""

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        return await super().prune_fires(older_than, limit + 1_000)


@bug("test_a_fire_is_as_old_as_its_firing_and_not_as_its_instant")
class PruneByInstant(Buggy):
    """A fire is as old as its instant."""

    async def prune_fires(self, older_than: timedelta, limit: int) -> int:
        self._fires = {key: replace(fire, fired_at=fire.instant) for key, fire in self._fires.items()}
        return await super().prune_fires(older_than, limit)


@bug("test_the_fires_of_one_schedule_can_be_forgotten_also_when_it_is_gone")
class ForgetWhoeverIsCalledAlike(Buggy):
    """Fires of schedules whose names begin alike are forgotten, too."""

    async def forget_fires(self, tenant: str, name: str, limit: int) -> int:
        alike = {key[1] for key in self._fires if key[0] == tenant and key[1].startswith(name)}
        return sum([await super(ForgetWhoeverIsCalledAlike, self).forget_fires(tenant, one, limit) for one in alike])


@bug("test_one_that_skips_stores_nothing_while_a_job_is_unfinished")
class KeptOutIsForgotten(Buggy):
    """A fire whose job was kept out is not remembered."""

    async def _fire_new(self, request: FireRequest) -> tuple[Fire, ...]:
        fires = await super()._fire_new(request)
        self._fires = {key: fire for key, fire in self._fires.items() if fire.job_id is not None}
        return fires
