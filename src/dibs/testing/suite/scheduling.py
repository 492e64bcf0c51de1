"""Schedules: kept in the store, changed under versions, and every act in the audit log."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from dibs.engine.audit.actions import ScheduleAction, schedule_subject
from dibs.engine.schedules.keeping import FireRequest, FireStatus, ScheduleAct
from dibs.engine.schedules.schedule import Backfill, Cron, Fire, Interval, Misfire, Overlap, Schedule
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput, ScheduleConflict, ScheduleNotFound, StoreError, VersionMoved
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, SECOND, Ground, audit_of

HOUR = timedelta(hours=1)
ACT: dict[str, Any] = {"actor": "olga", "reason": "asked by support"}
EVERY_MINUTE = Interval(every=MINUTE)


def make_schedule(name: str = "tidy", **fields: Any) -> Schedule:
    """Make a schedule that fires every minute."""
    return Schedule(**{"name": name, "job_type": "test", "timing": EVERY_MINUTE, **fields})


async def create(backend: Backend, name: str = "tidy", **fields: Any) -> Schedule:
    """Store a schedule that fires every minute, for the first time in half a minute."""
    timing = Interval(every=MINUTE, anchor=await backend.reader.now() + 30 * SECOND)
    return await backend.schedules.create(make_schedule(name, **{"timing": timing, **fields}), **ACT)


async def fire_due(backend: Backend) -> list[datetime]:
    """Fire what is due; tell the instants that were new."""
    return [fire.instant for one in await backend.schedules.fire_due(100) for fire in one.verdict.fires]


async def fire_next(backend: Backend, harness: StoreHarness, name: str = "tidy") -> list[datetime]:
    """Let the clock come to the next instant, and fire it."""
    schedule = await backend.schedules.get(name)
    assert schedule.next_at is not None
    await harness.advance(schedule.next_at - await backend.reader.now() + SECOND)
    return await fire_due(backend)


async def list_jobs(backend: Backend, **wanted: Any) -> list[str]:
    """Tell the ids of jobs, the one stored first first."""
    page = await backend.reader.list_jobs(JobFilter(**wanted), PageRequest(limit=1000))
    return [job.id for job in reversed(page.items)]


async def list_instants(backend: Backend, name: str = "tidy") -> list[datetime]:
    """Tell which instants have fired, the latest first."""
    return [fire.instant for fire in await backend.schedules.list_fires(name, limit=1000)]


def request_of(backend: Backend, schedule: Schedule, instants: list[datetime], **fields: Any) -> FireRequest:
    """Make the request that a scheduler would make, of any instants."""
    request = backend.schedules.make_request(schedule, instants, schedule.next_at)
    return replace(request, **fields)


def request_act(action: ScheduleAction) -> ScheduleAct:
    """Say who asks the store itself, and why."""
    return ScheduleAct(action=action, **ACT)


class Scheduling(Ground):
    """Create, replace, declare, pause, resume, run now, backfill, remove."""

    async def test_a_schedule_comes_back_as_it_was_stored(self, backend: Backend) -> None:
        now = await backend.reader.now()
        given = make_schedule(
            tenant="acme",
            timing=Cron(expression="30 2 * * MON-FRI", zone="Europe/Berlin"),
            input={"a": [1, None, "ü"], "b": {"c": 1.5}},
            instant_as="day",
            queue="night",
            priority=7,
            max_retries=1,
            misfire=Misfire.CATCH_UP,
            catch_up_limit=3,
            overlap=Overlap.QUEUE_ONE,
            grace=90 * SECOND,
            start_at=datetime(2020, 1, 1, tzinfo=UTC),
            end_at=datetime(2199, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        )
        saved = await backend.schedules.create(given, **ACT)
        assert saved.version == 1
        assert saved.next_at is not None
        assert saved.next_at > now
        assert saved.created_at is not None
        assert timedelta(0) <= saved.created_at - now < 5 * SECOND
        assert saved.updated_at == saved.created_at
        dated = {name: getattr(saved, name) for name in ("next_at", "version", "created_at", "updated_at")}
        assert saved == replace(given, **dated)
        assert await backend.schedules.find("tidy", tenant="acme") == saved
        assert await backend.schedules.find("tidy") is None

    async def test_a_name_is_taken_once_a_tenant(self, backend: Backend) -> None:
        first = await create(backend)
        with pytest.raises(ScheduleConflict):
            await create(backend, priority=5)
        assert await backend.schedules.get("tidy") == first
        await create(backend, tenant="acme")

    async def test_of_many_that_create_at_once_exactly_one_does(self, backend: Backend, harness: StoreHarness) -> None:
        handles = [await harness.open() for _ in range(4)]
        tries = [create(handles[number % 4], priority=number) for number in range(12)]
        done = await asyncio.gather(*tries, return_exceptions=True)
        for handle in handles:
            await handle.close()
        assert [type(one) for one in done].count(Schedule) == 1
        assert [type(one) for one in done].count(ScheduleConflict) == 11

    async def test_lists_are_in_order_of_tenant_and_name(self, backend: Backend) -> None:
        for tenant, name in (("b", "x"), ("a", "z"), ("b", "a"), ("a", "Z")):
            await create(backend, name, tenant=tenant)
        everything = await backend.schedules.list_schedules()
        assert [(one.tenant, one.name) for one in everything] == [("a", "Z"), ("a", "z"), ("b", "a"), ("b", "x")]
        assert [one.name for one in await backend.schedules.list_schedules(tenant="b")] == ["a", "x"]
        assert await backend.schedules.list_schedules(tenant="c") == []

    async def test_replacing_keeps_a_pause_and_the_dates(self, backend: Backend, harness: StoreHarness) -> None:
        first = await create(backend)
        await fire_next(backend, harness)
        paused = await backend.schedules.pause("tidy", **ACT)
        new = make_schedule(priority=9, timing=Interval(every=HOUR))
        changed = await backend.schedules.create(new, **ACT, is_replacing=True)
        assert (changed.priority, changed.paused, changed.next_at) == (9, True, None)
        assert (changed.created_at, changed.last_fired_at) == (first.created_at, paused.last_fired_at)
        assert changed.version == paused.version + 1

    async def test_a_change_is_made_to_the_version_that_it_names_and_to_no_other(self, backend: Backend) -> None:
        first = await create(backend)
        new = make_schedule(priority=9)
        changed = await backend.schedules.change(new, version=first.version, **ACT)
        assert (changed.priority, changed.version) == (9, first.version + 1)
        for version in (0, first.version, changed.version + 1):
            with pytest.raises(VersionMoved):
                await backend.schedules.change(make_schedule(priority=1), version=version, **ACT)
        with pytest.raises(ScheduleNotFound):
            await backend.schedules.change(make_schedule("other"), version=1, **ACT)
        assert await backend.schedules.list_schedules() == [changed]

    async def test_a_save_under_an_old_version_changes_nothing(self, backend: Backend) -> None:
        stale = await create(backend)
        current = await backend.schedules.pause("tidy", **ACT)
        act = request_act(ScheduleAction.CHANGED)
        kept = backend.schedules.kept
        assert await kept.save(replace(stale, priority=5), act) is None
        assert await kept.save(replace(stale, priority=5, version=0), act) is None
        assert await kept.save(make_schedule("other", version=3), act) is None
        assert await backend.schedules.list_schedules() == [current]

    async def test_declaring_is_idempotent_and_leaves_a_pause_alone(self, backend: Backend) -> None:
        declared = make_schedule(input={"n": 1})
        first = await backend.schedules.declare(declared)
        assert first.declared
        assert await backend.schedules.declare(declared) == first
        await backend.schedules.pause("tidy", **ACT)
        changed = await backend.schedules.declare(replace(declared, input={"n": 2}))
        assert (changed.input, changed.paused, changed.next_at) == ({"n": 2}, True, None)
        entries = await audit_of(backend, schedule_subject("tidy"))
        assert [entry.action for entry in entries] == ["SCHEDULE_CREATED", "SCHEDULE_PAUSED", "SCHEDULE_CHANGED"]

    async def test_many_processes_declare_one_schedule(self, backend: Backend, harness: StoreHarness) -> None:
        handles = [await harness.open() for _ in range(4)]
        declared = make_schedule(timing=Cron(expression="0 3 * * *", zone="Europe/Berlin"))
        done = await asyncio.gather(*(handles[number % 4].schedules.declare(declared) for number in range(12)))
        for handle in handles:
            await handle.close()
        assert {one.version for one in done} == {1}

    async def test_a_new_timing_counts_from_now(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.schedules.declare(make_schedule())
        await harness.advance(10 * MINUTE)
        now = await backend.reader.now()
        changed = await backend.schedules.declare(make_schedule(timing=Interval(every=HOUR)))
        assert changed.next_at is not None
        assert now < changed.next_at <= now + HOUR + SECOND
        assert await fire_due(backend) == []

    async def test_a_paused_one_is_never_due(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        paused = await backend.schedules.pause("tidy", **ACT)
        assert (paused.paused, paused.next_at) == (True, None)
        await harness.advance(HOUR)
        assert await fire_due(backend) == []

    async def test_a_resumed_one_does_not_make_up_for_its_pause(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, misfire=Misfire.CATCH_UP)
        await backend.schedules.pause("tidy", **ACT)
        await harness.advance(HOUR)
        now = await backend.reader.now()
        resumed = await backend.schedules.resume("tidy", **ACT)
        assert resumed.next_at is not None
        assert now < resumed.next_at
        assert not resumed.paused
        assert len(await fire_next(backend, harness)) == 1

    async def test_a_pause_stops_a_fire_that_was_planned_before_it(self, backend: Backend) -> None:
        seen = await create(backend)
        await backend.schedules.pause("tidy", **ACT)
        assert seen.next_at is not None
        verdict = await backend.schedules.kept.fire(request_of(backend, seen, [seen.next_at]))
        assert verdict.status is FireStatus.SUPERSEDED
        assert await list_jobs(backend) == []

    async def test_one_can_be_run_now_even_while_paused(self, backend: Backend) -> None:
        await create(backend)
        paused = await backend.schedules.pause("tidy", **ACT)
        before = await backend.reader.now()
        verdict = await backend.schedules.run_now("tidy", **ACT)
        (fire,) = verdict.fires
        assert timedelta(0) <= fire.instant - before < 5 * SECOND
        assert await list_jobs(backend) == [fire.job_id]
        after = await backend.schedules.get("tidy")
        assert (after.paused, after.next_at, after.last_fired_at) == (True, None, fire.instant)
        assert after.version == paused.version + 1

    async def test_running_now_leaves_the_next_instant_alone(self, backend: Backend) -> None:
        schedule = await create(backend)
        await backend.schedules.run_now("tidy", **ACT)
        assert (await backend.schedules.get("tidy")).next_at == schedule.next_at

    async def test_a_backfill_fires_what_has_not_fired(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, overlap=Overlap.SKIP)
        (instant,) = await fire_next(backend, harness)
        wanted = Backfill(since=instant - 3 * MINUTE, until=instant + SECOND)
        verdict = await backend.schedules.backfill("tidy", wanted, **ACT)
        assert [fire.instant for fire in verdict.fires] == [instant - number * MINUTE for number in (3, 2, 1)]
        assert all(fire.job_id is not None for fire in verdict.fires)
        assert len(await list_jobs(backend)) == 4
        again = await backend.schedules.backfill("tidy", wanted, **ACT)
        assert again.status is FireStatus.ALREADY_FIRED
        assert (await backend.schedules.get("tidy")).last_fired_at == instant

    async def test_a_backfill_that_is_too_large_fires_nothing(self, backend: Backend) -> None:
        await create(backend)
        now = await backend.reader.now()
        wanted = Backfill(since=now - 5 * HOUR, until=now - HOUR, limit=100)
        with pytest.raises(BadInput, match="more than 100 times"):
            await backend.schedules.backfill("tidy", wanted, **ACT)
        assert await list_instants(backend) == []

    async def test_what_is_removed_is_gone_but_its_jobs_stay(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        await fire_next(backend, harness)
        await backend.schedules.remove("tidy", **ACT)
        assert await backend.schedules.find("tidy") is None
        assert await backend.schedules.list_schedules() == []
        assert len(await list_jobs(backend)) == 1
        await harness.advance(HOUR)
        assert await fire_due(backend) == []
        with pytest.raises(ScheduleNotFound):
            await backend.schedules.remove("tidy", **ACT)

    async def test_a_changed_schedule_is_not_removed_by_who_has_not_seen_it(self, backend: Backend) -> None:
        seen = await create(backend)
        changed = await backend.schedules.pause("tidy", **ACT)
        with pytest.raises(VersionMoved):
            await backend.schedules.remove("tidy", version=seen.version, **ACT)
        assert await backend.schedules.find("tidy") == changed
        await backend.schedules.remove("tidy", version=changed.version, **ACT)
        with pytest.raises(ScheduleNotFound):
            await backend.schedules.remove("tidy", version=changed.version, **ACT)

    async def test_a_closed_store_keeps_no_schedules(self, backend: Backend, harness: StoreHarness) -> None:
        handle = await harness.open()
        await handle.close()
        with pytest.raises(StoreError, match="closed"):
            await handle.schedules.list_schedules()
        assert await backend.schedules.list_schedules() == []

    async def test_every_act_is_audited_with_before_and_after(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, tenant="acme", input={"to": "ada@example.org"})
        on = {"tenant": "acme", **ACT}
        await backend.schedules.pause("tidy", **on)
        await backend.schedules.resume("tidy", **on)
        verdict = await backend.schedules.run_now("tidy", **on)
        await harness.advance(MINUTE)
        await backend.schedules.fire_due(10)
        await backend.schedules.remove("tidy", **on)
        entries = await audit_of(backend, schedule_subject("tidy"))
        assert [entry.action for entry in entries] == [
            ScheduleAction.CREATED,
            ScheduleAction.PAUSED,
            ScheduleAction.RESUMED,
            ScheduleAction.RUN_NOW,
            ScheduleAction.REMOVED,
        ]
        assert {(entry.tenant, entry.actor, entry.reason) for entry in entries} == {("acme", *ACT.values())}
        created, paused, resumed, ran, removed = (entry.detail for entry in entries)
        assert created["before"] is None
        assert (created["after"]["timing"]["type"], created["after"]["timing"]["every"]) == ("interval", "PT60S")
        assert (paused["before"]["paused"], paused["after"]["paused"]) == (False, True)
        assert (resumed["before"]["next_at"], resumed["after"]["paused"]) == (None, False)
        assert ran["fires"]["count"] == len(verdict.fires) == 1
        assert removed["after"] is None
        assert "ada@example.org" not in str([entry.detail for entry in entries])

    async def test_what_a_person_does_meanwhile_is_not_lost(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        await harness.advance(61 * SECOND)
        handles = [await harness.open() for _ in range(3)]
        acts: list[Any] = [fire_due(handles[number % 3]) for number in range(6)]
        acts += [backend.schedules.run_now("tidy", **ACT), handles[0].schedules.pause("tidy", **ACT)]
        await asyncio.gather(*acts)
        for handle in handles:
            await handle.close()
        assert (await backend.schedules.get("tidy")).paused
        fires: list[Fire] = await backend.schedules.list_fires("tidy")
        assert len({fire.instant for fire in fires}) == len(fires) == len(await list_jobs(backend))
