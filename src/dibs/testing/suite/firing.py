"""Fires: an instant of a schedule fires once, and its job is stored with it."""

import asyncio
from datetime import datetime, timedelta

from dibs.engine.admission.rules import KeyRule
from dibs.engine.audit.actions import SCHEDULER, JobAction, ScheduleAction, job_subject, schedule_subject
from dibs.engine.schedules.keeping import FireStatus, FireVerdict
from dibs.engine.schedules.schedule import Backfill, Cron, Interval, Misfire, Overlap
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, SECOND, Ground, audit_of, claim
from dibs.testing.suite.scheduling import (
    ACT,
    HOUR,
    create,
    fire_due,
    fire_next,
    list_instants,
    list_jobs,
    make_schedule,
    request_act,
    request_of,
)

NAMES = ("skip", "once", "catch")


class Firing(Ground):
    """What is due, who fires it, and what becomes of what is late or overlaps."""

    async def test_an_instant_fires_once_it_has_come(self, backend: Backend, harness: StoreHarness) -> None:
        schedule = await create(backend, queue="night", priority=3, max_retries=1, input={"n": 1}, instant_as="at")
        assert schedule.next_at is not None
        assert await fire_due(backend) == []
        assert await fire_next(backend, harness) == [schedule.next_at]
        job = await claim(backend)
        assert (job.job_type, job.queue, job.priority, job.max_retries) == ("test", "night", 3, 1)
        assert job.run_at == schedule.next_at
        assert job.input["n"] == 1
        assert datetime.fromisoformat(job.input["at"]) == schedule.next_at
        assert await fire_due(backend) == []
        after = await backend.schedules.get("tidy")
        assert after.last_fired_at == schedule.next_at
        assert after.next_at == schedule.next_at + MINUTE
        assert after.version == schedule.version + 1

    async def test_a_fire_is_remembered_with_its_job(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        first = await fire_next(backend, harness)
        second = await fire_next(backend, harness)
        now = await backend.reader.now()
        fires = await backend.schedules.list_fires("tidy")
        assert [fire.instant for fire in fires] == second + first
        assert [fire.job_id for fire in reversed(fires)] == await list_jobs(backend)
        assert timedelta(0) <= now - fires[0].fired_at < 5 * SECOND
        assert [fire.instant for fire in await backend.schedules.list_fires("tidy", limit=1)] == second
        assert await backend.schedules.list_fires("tidy", tenant="acme") == []

    async def test_those_due_first_come_first(self, backend: Backend, harness: StoreHarness) -> None:
        now = await backend.reader.now()
        for name, seconds in (("late", 30), ("early", 10), ("middle", 20), ("not-yet", 3000)):
            await create(backend, name, timing=Interval(every=HOUR, anchor=now + seconds * SECOND))
        await harness.advance(40 * SECOND)
        at, due = await backend.schedules.kept.list_due(10)
        assert [one.name for one in due] == ["early", "middle", "late"]
        assert [one.name for one in (await backend.schedules.kept.list_due(2))[1]] == ["early", "middle"]
        assert timedelta(0) <= at - (now + 40 * SECOND) < 5 * SECOND

    async def test_any_number_of_schedulers_make_one_job(self, backend: Backend, harness: StoreHarness) -> None:
        for name in ("a", "b", "c"):
            await create(backend, name)
        await harness.advance(61 * SECOND)
        handles = [await harness.open() for _ in range(4)]
        fired = await asyncio.gather(*(fire_due(handles[number % 4]) for number in range(12)))
        for handle in handles:
            await handle.close()
        assert sum(len(instants) for instants in fired) == len(await list_jobs(backend))
        instants = [(name, instant) for name in ("a", "b", "c") for instant in await list_instants(backend, name)]
        assert len(instants) == len(set(instants)) == len(await list_jobs(backend))

    async def test_a_scheduler_that_comes_late_is_superseded(self, backend: Backend, harness: StoreHarness) -> None:
        seen = await create(backend)
        await fire_next(backend, harness)
        assert seen.next_at is not None
        other_instant = seen.next_at + timedelta(days=1)
        verdict = await backend.schedules.kept.fire(request_of(backend, seen, [other_instant]))
        assert verdict == FireVerdict(status=FireStatus.SUPERSEDED)
        assert await list_instants(backend) == [seen.next_at]
        assert len(await list_jobs(backend)) == 1

    async def test_a_schedule_that_is_gone_does_not_fire(self, backend: Backend) -> None:
        seen = await create(backend)
        await backend.schedules.remove("tidy", **ACT)
        assert seen.next_at is not None
        verdict = await backend.schedules.kept.fire(request_of(backend, seen, [seen.next_at]))
        assert verdict.status is FireStatus.SUPERSEDED
        assert await list_jobs(backend) == []

    async def test_an_instant_never_fires_again(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        (instant,) = await fire_next(backend, harness)
        now = await backend.schedules.get("tidy")
        verdict = await backend.schedules.kept.fire(request_of(backend, now, [instant], next_at=instant + HOUR))
        assert verdict == FireVerdict(status=FireStatus.ALREADY_FIRED)
        assert (await backend.schedules.get("tidy")).next_at == instant + HOUR
        assert len(await list_jobs(backend)) == 1

    async def test_of_several_instants_only_the_new_ones_fire(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        (instant,) = await fire_next(backend, harness)
        instants = [instant - MINUTE, instant, instant + MINUTE]
        request = request_of(backend, await backend.schedules.get("tidy"), instants)
        verdict = await backend.schedules.kept.fire(request)
        assert verdict.status is FireStatus.FIRED
        assert [fire.instant for fire in verdict.fires] == [instant - MINUTE, instant + MINUTE]
        assert len(await list_jobs(backend)) == 3

    async def test_a_clock_set_back_fires_nothing_again(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        (instant,) = await fire_next(backend, harness)
        await harness.advance(-5 * MINUTE)
        assert await fire_due(backend) == []
        await backend.schedules.pause("tidy", **ACT)
        await backend.schedules.resume("tidy", **ACT)
        assert await fire_next(backend, harness) == [instant - 4 * MINUTE]
        await harness.advance(4 * MINUTE)
        await fire_due(backend)
        instants = await list_instants(backend)
        assert len(set(instants)) == len(instants) == len(await list_jobs(backend))

    async def test_a_removed_and_recreated_one_does_not_fire_its_instants_again(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend)
        (instant,) = await fire_next(backend, harness)
        await backend.complete_job((await claim(backend)).lease)
        await harness.advance(SECOND)
        assert await backend.prune_jobs(PruneRequest(older_than=timedelta(0))) == 1
        await backend.schedules.remove("tidy", **ACT)
        again = await create(backend)
        assert (again.version, again.last_fired_at) == (1, None)
        verdict = await backend.schedules.kept.fire(request_of(backend, again, [instant]))
        assert verdict.status is FireStatus.ALREADY_FIRED

    async def test_an_instant_whose_job_is_there_counts_as_fired(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        (instant,) = await fire_next(backend, harness)
        await harness.advance(2 * HOUR)
        assert await backend.schedules.prune_fires(HOUR) == 1
        assert await list_instants(backend) == []
        verdict = await backend.schedules.kept.fire(request_of(backend, await backend.schedules.get("tidy"), [instant]))
        assert verdict.status is FireStatus.ALREADY_FIRED
        assert len(await list_jobs(backend)) == 1

    async def test_old_fires_can_be_forgotten_in_batches(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend)
        instants = [(await fire_next(backend, harness))[0] for _ in range(3)]
        assert await backend.schedules.prune_fires(HOUR) == 0
        await harness.advance(2 * HOUR)
        assert await backend.schedules.prune_fires(HOUR, limit=2) == 2
        assert await list_instants(backend) == instants[2:]

    async def test_the_fires_of_one_schedule_can_be_forgotten_also_when_it_is_gone(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        for name in ("tidy", "tidy up"):
            await create(backend, name)
            await backend.schedules.run_now(name, **ACT)
            await harness.advance(SECOND)
            await backend.schedules.run_now(name, **ACT)
        await backend.schedules.remove("tidy", **ACT)
        assert await backend.schedules.forget_fires("tidy", tenant="another") == 0
        assert await backend.schedules.forget_fires("tidy", limit=1) == 2
        assert await list_instants(backend) == []
        assert len(await list_instants(backend, "tidy up")) == 2
        await harness.advance(2 * HOUR)
        assert await backend.schedules.prune_fires(HOUR) == 2

    async def test_a_fire_is_as_old_as_its_firing_and_not_as_its_instant(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend)
        now = await backend.reader.now()
        wanted = Backfill(since=now - 30 * HOUR, until=now - 30 * HOUR + 2 * MINUTE)
        await backend.schedules.backfill("tidy", wanted, **ACT)
        assert await backend.schedules.prune_fires(HOUR) == 0
        await harness.advance(2 * HOUR)
        assert await backend.schedules.prune_fires(HOUR) == 2

    async def test_missed_instants_follow_the_policy(self, backend: Backend, harness: StoreHarness) -> None:
        first = await backend.reader.now() + 30 * SECOND
        timing = Interval(every=MINUTE, anchor=first)
        await create(backend, "skip", timing=timing, misfire=Misfire.SKIP, grace=timedelta(0))
        await create(backend, "once", timing=timing, misfire=Misfire.FIRE_ONCE, grace=timedelta(0))
        await create(backend, "catch", timing=timing, misfire=Misfire.CATCH_UP, catch_up_limit=3)
        await harness.advance(first - await backend.reader.now() + 9 * MINUTE + 30 * SECOND)
        await fire_due(backend)
        minutes = {name: [(at - first) // MINUTE for at in await list_instants(backend, name)] for name in NAMES}
        assert minutes == {"skip": [], "once": [9], "catch": [9, 8, 7]}
        next_ats = {(await backend.schedules.get(name)).next_at for name in NAMES}
        assert next_ats == {first + 10 * MINUTE}

    async def test_one_that_may_overlap_stores_a_job_each_time(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, overlap=Overlap.ALLOW)
        for _ in range(3):
            await fire_next(backend, harness)
        assert len(await list_jobs(backend)) == 3

    async def test_one_that_skips_stores_nothing_while_a_job_is_unfinished(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend, overlap=Overlap.SKIP)
        await fire_next(backend, harness)
        job = await claim(backend)
        (skipped,) = await fire_next(backend, harness)
        assert (await backend.schedules.list_fires("tidy"))[0].job_id is None
        await backend.complete_job(job.lease)
        await fire_next(backend, harness)
        assert len(await list_jobs(backend)) == 2
        assert len(await list_instants(backend)) == 3
        assert skipped in await list_instants(backend)

    async def test_one_that_queues_lets_one_job_wait(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, overlap=Overlap.QUEUE_ONE)
        await fire_next(backend, harness)
        await claim(backend)
        for _ in range(3):
            await fire_next(backend, harness)
        assert len(await list_jobs(backend, states=frozenset({State.PENDING}))) == 1
        assert len(await list_jobs(backend)) == 2

    async def test_what_is_queued_starts_when_the_one_before_has_ended(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend, overlap=Overlap.QUEUE_ONE)
        await fire_next(backend, harness)
        first = await claim(backend)
        await fire_next(backend, harness)
        assert await backend.claim_pending_jobs(5) == []
        await backend.release_jobs([first.lease])
        # Behind a gate both come to wait, and still go one by one.
        first = await claim(backend)
        assert await backend.claim_pending_jobs(5) == []
        await backend.complete_job(first.lease)
        assert (await claim(backend)).id != first.id

    async def test_what_is_queued_under_a_key_of_its_own_goes_by_that(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend, overlap=Overlap.QUEUE_ONE, concurrency_key="printer")
        await backend.admission.set_rule(KeyRule(name="printer", max_running=2), **ACT)
        for _ in range(2):
            await fire_next(backend, harness)
            assert (await claim(backend)).concurrency_key == "printer"

    async def test_one_that_cancels_takes_the_place_of_unfinished_jobs(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await create(backend, overlap=Overlap.CANCEL_RUNNING)
        await create(backend, "other", overlap=Overlap.SKIP, timing=Interval(every=365 * 24 * HOUR))
        await backend.schedules.run_now("other", **ACT)
        await fire_next(backend, harness)
        running = await backend.claim_pending_jobs(2)
        (mine,) = [job for job in running if job.unique_key == "schedule:tidy"]
        await harness.advance(MINUTE)
        (handled,) = await backend.schedules.fire_due(10)
        assert handled.verdict.cancelled == (mine.id,)
        assert (await backend.get_job(mine.id)).state is State.CANCELLED
        assert await backend.heartbeat_jobs([mine.lease]) == [False]
        entry = (await audit_of(backend, job_subject(mine.id)))[-1]
        assert (entry.action, entry.actor) == (JobAction.CANCELLED, SCHEDULER)
        assert len(await list_jobs(backend, states=frozenset({State.PENDING}))) == 1
        assert len(await list_jobs(backend, states=frozenset({State.RUNNING}))) == 1

    async def test_a_superseded_fire_cancels_nothing(self, backend: Backend, harness: StoreHarness) -> None:
        seen = await create(backend, overlap=Overlap.CANCEL_RUNNING)
        await fire_next(backend, harness)
        job = await claim(backend)
        assert seen.next_at is not None
        await backend.schedules.kept.fire(request_of(backend, seen, [seen.next_at + MINUTE]))
        assert await backend.heartbeat_jobs([job.lease]) == [True]

    async def test_an_instant_that_has_fired_cancels_nothing(self, backend: Backend, harness: StoreHarness) -> None:
        await create(backend, overlap=Overlap.CANCEL_RUNNING)
        (instant,) = await fire_next(backend, harness)
        job = await claim(backend)
        verdict = await backend.schedules.kept.fire(request_of(backend, await backend.schedules.get("tidy"), [instant]))
        assert verdict == FireVerdict(status=FireStatus.ALREADY_FIRED)
        assert await backend.heartbeat_jobs([job.lease]) == [True]

    async def test_one_that_has_ended_is_due_no_more(self, backend: Backend, harness: StoreHarness) -> None:
        now = await backend.reader.now()
        await create(backend, end_at=now + 90 * SECOND)
        await fire_next(backend, harness)
        await harness.advance(HOUR)
        await fire_due(backend)
        assert (await backend.schedules.get("tidy")).next_at is None
        assert all(instant < now + 90 * SECOND for instant in await list_instants(backend))

    async def test_one_that_nobody_can_read_is_paused_and_holds_up_nobody(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        now = await backend.reader.now()
        strange = make_schedule("strange", timing=Cron(expression="0 3 * * *", zone="Mars/Olympus"), next_at=now)
        await backend.schedules.kept.save(strange, request_act(ScheduleAction.CREATED))
        await create(backend)
        await harness.advance(61 * SECOND)
        assert len(await fire_due(backend)) >= 1
        assert (await backend.schedules.get("strange")).paused
        entry = (await audit_of(backend, schedule_subject("strange")))[-1]
        assert (entry.action, entry.actor) == (ScheduleAction.PAUSED, SCHEDULER)
        assert "Mars/Olympus" in entry.reason
