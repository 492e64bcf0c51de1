"""Everything that is due, and what will be."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs import BadInput, State
from dibs.testing import WorkerDied


async def test_a_drain_runs_what_handlers_enqueue(kit, office):
    await office.fan_out.enqueue(to=["ada", "bob"])
    done = await kit.drain()
    assert [job.job_type for job in done] == ["FAN_OUT", "NOTE", "NOTE"]
    assert all(job.state is State.SUCCEEDED for job in done)
    assert office.effects == ["ada", "bob"]


async def test_a_drain_follows_the_order_of_the_store(kit, office):
    await office.note.enqueue(text="plain")
    await office.note.options(priority=5).enqueue(text="urgent")
    await kit.drain()
    assert office.effects == ["urgent", "plain"]


async def test_a_drain_leaves_alone_what_is_due_later(kit, office):
    await office.note.options(delay=timedelta(hours=1)).enqueue(text="later")
    assert await kit.drain() == []
    await kit.advance(hours=1)
    assert len(await kit.drain()) == 1


async def test_a_drain_leaves_alone_what_the_app_has_no_task_for(kit, office):
    foreign = await office.app.enqueue("FOREIGN")
    assert await kit.drain(until=timedelta(days=1)) == []
    assert (await kit.find(foreign)).state is State.PENDING


async def test_a_drain_until_later_meets_each_job_at_its_time(any_kit, office):
    first = await office.note.options(delay=timedelta(hours=1)).enqueue(text="first")
    second = await office.note.options(delay=timedelta(hours=2)).enqueue(text="second")
    third = await office.note.options(delay=timedelta(hours=4)).enqueue(text="third")
    begun_at = any_kit.now
    done = await any_kit.drain(until=timedelta(hours=3))
    assert [job.id for job in done] == [first.id, second.id]
    # SQLite's clock tells whole milliseconds.
    assert all(abs(job.finished_at - job.run_at) < timedelta(minutes=1) for job in done)
    assert any_kit.now >= begun_at + timedelta(hours=3)
    assert (await any_kit.find(third)).state is State.PENDING


async def test_a_drain_until_later_follows_retries_to_the_end(any_kit, office):
    job = await office.trouble.enqueue()
    states = [job.state for job in await any_kit.drain(until=timedelta(hours=1))]
    assert states == [State.RETRYABLE, State.RETRYABLE, State.FAILED]
    assert (await any_kit.find(job)).attempts == 3


async def test_a_drain_goes_until_an_instant_too(kit, office):
    horizon = kit.now + timedelta(days=3)
    assert await kit.drain(until=horizon) == []
    assert kit.now == horizon
    with pytest.raises(BadInput, match="time zone"):
        await kit.drain(until=datetime(2030, 1, 1))  # noqa: DTZ001 - the mistake under test
    assert await kit.drain(until=datetime(2020, 1, 1, tzinfo=UTC)) == []
    assert kit.now == horizon


async def test_a_drain_takes_jobs_back_from_workers_that_vanished(kit, office):
    await office.note.enqueue(text="hello")
    await (await office.app.backend()).claim_pending_job(worker="gone")
    assert await kit.drain() == []
    [job] = await kit.drain(until=timedelta(minutes=10))
    assert (job.state, job.worker_deaths) == (State.SUCCEEDED, 1)


async def test_a_worker_that_dies_in_a_drain_is_followed_by_others_until_the_limit(kit, office):
    @office.app.task("DEADLY")
    async def kill():
        raise WorkerDied

    job = await kill.enqueue()
    assert [one.state for one in await kit.drain()] == [State.RUNNING]
    assert len(await kit.drain(until=timedelta(hours=1))) == 2
    assert (await kit.find(job)).error.type == "WorkerLost"


async def test_jobs_that_enqueue_themselves_are_named(kit, office):
    await office.ping.enqueue()
    with pytest.raises(AssertionError, match=r"(?s)did not end: 20 executions.*PING: 20 executions of 20 jobs.*most="):
        await kit.drain(most=20)


async def test_a_job_that_keeps_coming_back_is_named(kit, office):
    job = await office.later.enqueue()
    with pytest.raises(
        AssertionError, match=rf"LATER '{job.id}' is due again(?s:.*)LATER: 5 executions of job '{job.id}'"
    ):
        await kit.drain(most=5)
    assert (await kit.find(job)).state is State.PENDING


async def test_as_many_executions_as_allowed_are_not_too_many(kit, office):
    for number in range(3):
        await office.note.enqueue(text=str(number))
    assert len(await kit.drain(most=3)) == 3
    with pytest.raises(BadInput, match="most=0"):
        await kit.drain(most=0)
