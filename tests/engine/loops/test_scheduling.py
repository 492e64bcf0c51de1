"""The loop that fires schedules."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dibs.engine.events import Event, Events
from dibs.engine.loops import scheduling
from dibs.engine.loops.scheduling import BATCH, KEEP_FIRES, Scheduling
from dibs.engine.schedules.schedule import Cron, Interval, Misfire, Overlap, Schedule
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Reach
from dibs.errors import BadInput, StoreUnavailable
from dibs.testing.stores.memory import MemoryStore

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
ACT: dict[str, Any] = {"actor": "ada", "reason": "test"}


class Scene:
    """A store that stands still, a loop on it, and what the loop told."""

    def __init__(self) -> None:
        self.store = MemoryStore(frozen_at=NOON)
        self.told: list[Event] = []
        self.events = Events()
        self.events.watch(self.told.append)
        self.backend: Backend

    def loop(self, *declared: Schedule) -> Scheduling:
        return Scheduling(self.backend, Reach(self.events), interval=SECOND, declared=declared)

    async def create(self, name: str = "tidy", **fields: Any) -> Schedule:
        schedule = Schedule(**{"name": name, "job_type": "TIDY", "timing": Interval(every=MINUTE), **fields})
        return await self.backend.schedules.create(schedule, **ACT)

    def names(self) -> list[str]:
        return [event.name for event in self.told]


@pytest.fixture
async def scene() -> Scene:
    made = Scene()
    made.backend = await made.store.open()
    return made


async def test_it_fires_what_is_due_and_tells(scene):
    await scene.create(queue="night")
    loop = scene.loop()
    assert await loop.tick() == 0
    await scene.store.advance(MINUTE + SECOND)
    assert await loop.tick() == 1
    assert await loop.tick() == 0
    fired, enqueued = scene.told
    (fire,) = await scene.backend.schedules.list_fires("tidy")
    assert (fired.name, enqueued.name) == ("engine.schedule.fired", "engine.job.enqueued")
    assert fired.facts == {
        "schedule": "tidy",
        "tenant": "default",
        "instant": "2026-06-01T12:01:00+00:00",
        "job_id": fire.job_id,
        "late": 1.0,
    }
    assert enqueued.facts == {"job_id": fire.job_id, "job_type": "TIDY", "queue": "night", "tenant": "default"}


async def test_more_than_one_batch_is_fired_in_one_go(scene):
    for number in range(BATCH + 5):
        await scene.create(f"s-{number}")
    await scene.store.advance(MINUTE)
    assert await scene.loop().tick() == BATCH + 5


async def test_it_tells_what_was_missed_and_what_the_overlap_policy_kept_out(scene):
    await scene.create(misfire=Misfire.SKIP, overlap=Overlap.SKIP)
    loop = scene.loop()
    await scene.store.advance(5 * MINUTE + 10 * SECOND)
    assert await loop.tick() == 1
    await scene.store.advance(MINUTE)
    assert await loop.tick() == 0
    assert scene.names() == [
        "engine.schedule.misfired",
        "engine.schedule.fired",
        "engine.job.enqueued",
        "engine.schedule.fired",
    ]
    assert scene.told[0].facts["since"] == "2026-06-01T12:01:00+00:00"
    assert scene.told[-1].facts["job_id"] is None


async def test_one_that_cannot_work_is_paused_and_told(scene, monkeypatch):
    await scene.create(timing=Cron(expression="* * * * *", zone="Europe/Berlin"))
    await scene.store.advance(MINUTE)

    def refuse(*_: object) -> None:
        message = "no such zone here"
        raise BadInput(message)

    with monkeypatch.context() as patch:
        patch.setattr("dibs.engine.schedules.timing.get_zone", refuse)
        assert await scene.loop().tick() == 0
    assert scene.names() == ["engine.schedule.broken"]
    assert scene.told[0].facts["error"] == "no such zone here"
    assert (await scene.backend.schedules.get("tidy")).paused


async def test_it_stores_what_is_declared_once(scene):
    declared = Schedule(name="tidy", job_type="TIDY", timing=Interval(every=MINUTE))
    loop = scene.loop(declared)
    await loop.tick()
    await scene.backend.schedules.remove("tidy", **ACT)
    await loop.tick()
    assert await scene.backend.schedules.find("tidy") is None
    await scene.loop(declared).tick()
    assert await scene.backend.schedules.find("tidy") is not None


async def test_a_lost_store_is_told_and_declared_to_later(scene, monkeypatch):
    loop = scene.loop(Schedule(name="tidy", job_type="TIDY", timing=Interval(every=MINUTE)))

    async def fail(*_: object) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(scene.backend.schedules.kept, "find", fail)
        assert await loop.tick() == 0
    assert scene.told[0].facts == {"error": "StoreUnavailable", "while_doing": "scheduling"}
    await loop.tick()
    assert await scene.backend.schedules.find("tidy") is not None


async def test_fires_are_forgotten_after_a_season(scene, monkeypatch):
    await scene.create()
    await scene.store.advance(MINUTE)
    loop = scene.loop()
    await loop.tick()
    await scene.backend.schedules.pause("tidy", **ACT)
    await scene.store.advance(KEEP_FIRES + MINUTE)
    await loop.tick()
    assert len(await scene.backend.schedules.list_fires("tidy")) == 1, "not looked at again so soon"
    monkeypatch.setattr(scheduling, "BETWEEN_PRUNES", 0.0)
    await scene.loop().tick()
    assert await scene.backend.schedules.list_fires("tidy") == []


async def test_of_two_schedulers_one_looks_and_the_other_follows_when_it_leaves(scene):
    await scene.create()
    await scene.store.advance(MINUTE)
    first = asyncio.create_task(scene.loop().run())
    async with asyncio.timeout(60):
        while "engine.schedule.fired" not in scene.names():
            await asyncio.sleep(0.01)
    second = scene.loop()
    assert not await second.lead()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await second.lead()


async def test_one_that_does_not_look_stores_its_declarations_all_the_same(scene):
    assert await scene.loop().lead()
    running = asyncio.create_task(scene.loop(Schedule(name="tidy", job_type="T", timing=Interval(every=MINUTE))).run())
    async with asyncio.timeout(60):
        while await scene.backend.schedules.find("tidy") is None:
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
