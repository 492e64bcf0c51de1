"""A worker dies, is overtaken, or is not alone: the real claims, fences and reaps of every store."""

import asyncio
from datetime import timedelta

import pytest

from dibs import BadInput, Dibs, JobConflict, Settings, State
from dibs.engine.events import LEASE_LOST
from dibs.testing import Kit, Moment, WorkerDied

ENDED = {"before": 1, "during": 1, "after_effect": 2, "after_completion": 1}


async def outcomes(kit, job):
    return [attempt.outcome.value for attempt in await kit.history(job)]


def watch_lost_leases(office):
    lost = []
    office.app.events.watch(lambda event: lost.append(event.facts["at"]) if event.name == LEASE_LOST else None)
    return lost


@pytest.mark.parametrize("task", ["talk", "blocking_talk"])
@pytest.mark.parametrize("when", list(Moment))
async def test_a_dead_workers_job_is_done_by_another_one(any_kit, office, when, task):
    job = await getattr(office, task).enqueue()
    await any_kit.crash(job, when=when)
    await any_kit.drain()
    assert (await any_kit.find(job)).state is State.SUCCEEDED
    assert office.effects.count("ended") == ENDED[when]


@pytest.mark.parametrize("when", ["before", "during", "after_effect"])
async def test_the_next_worker_finds_the_job_reclaimed(any_kit, office, when):
    job = await office.talk.enqueue()
    found = await any_kit.crash(job, when=when)
    assert (found.state, found.worker_deaths, found.attempts, found.locked_by) == (State.PENDING, 1, 1, None)
    await any_kit.drain()
    lost, done = await any_kit.history(job)
    assert (lost.outcome, done.outcome) == ("lost", "succeeded")
    assert lost.worker != done.worker
    assert lost.token < done.token


async def test_a_job_completed_before_the_death_is_not_run_again(any_kit, office):
    job = await office.note.enqueue(text="once")
    done = await any_kit.crash(job, when="after_completion")
    assert (done.state, done.output) == (State.SUCCEEDED, {"noted": "once"})
    assert await any_kit.drain(until=timedelta(hours=1)) == []
    assert office.effects == ["once"]


async def test_a_failure_that_was_not_recorded_costs_no_retry(kit, office):
    job = await office.trouble.enqueue()
    found = await kit.crash(job, when="after_effect")
    assert (found.attempts, found.worker_deaths, found.errors) == (1, 1, 0)


async def test_death_moves_the_clock_by_the_lease_only(kit, office):
    job, begun_at = await office.note.enqueue(text="hello"), kit.now
    await kit.crash(job, when="before")
    assert kit.now - begun_at == office.app.settings.lease


async def test_three_deaths_put_a_job_in_quarantine(kit, office):
    job = await office.note.enqueue(text="hello")
    for _ in range(2):
        assert (await kit.crash(job, when="before")).state is State.PENDING
    assert (await kit.crash(job, when="before")).state is State.FAILED


async def test_a_handler_that_catches_every_error_dies_all_the_same(kit, office):
    @office.app.task("STUBBORN")
    async def resist(ctx):
        for _ in range(3):
            try:
                await ctx.report_progress(1)
            except BaseException:  # noqa: BLE001 - the handler under test
                office.effects.append("survived")

    job = await resist.enqueue()
    assert (await kit.crash(job, when="during")).progress is None
    assert office.effects == ["survived"] * 3


@pytest.mark.parametrize("is_blocking", [True, False])
async def test_a_death_of_ones_own_making_is_a_death(kit, office, is_blocking):
    def fall():
        office.effects.append("fell")
        raise WorkerDied

    async def fall_too():
        fall()

    job = await office.app.task("FALL")(fall if is_blocking else fall_too).enqueue()
    assert (await kit.run(job)).state is State.RUNNING
    assert (await kit.reclaim(job)).worker_deaths == 1
    assert office.effects == ["fell"]


@pytest.mark.parametrize("method", ["crash", "lose_lease"])
async def test_a_moment_that_never_comes_is_told(kit, office, method):
    job = await office.note.enqueue(text="hello")
    with pytest.raises(AssertionError, match="NOTE ended without reaching the moment 'during'"):
        await getattr(kit, method)(job, when="during")


async def test_a_moment_that_does_not_exist_is_refused(kit, office):
    job = await office.note.enqueue(text="hello")
    with pytest.raises(BadInput, match=r"'midway'.*before, during, after_effect, after_completion"):
        await kit.crash(job, when="midway")
    with pytest.raises(BadInput, match=r"'after_completion'.*before, during, after_effect\."):
        await kit.lose_lease(job, when=Moment.AFTER_COMPLETION)
    assert (await kit.find(job)).state is State.PENDING


@pytest.mark.parametrize("task", ["talk", "blocking_talk"])
async def test_a_handler_learns_that_it_was_overtaken(any_kit, office, task):
    lost = watch_lost_leases(office)
    job = await getattr(office, task).enqueue()
    done = await any_kit.lose_lease(job, when="during")
    assert done.state is State.SUCCEEDED
    assert office.effects == ["begun", "begun", "ended"]
    assert await outcomes(any_kit, job) == ["lost", "succeeded"]
    assert lost == ["running"]


@pytest.mark.parametrize("when", ["before", "after_effect"])
async def test_the_late_completion_of_an_overtaken_worker_is_refused(any_kit, office, when):
    lost = watch_lost_leases(office)
    job = await office.note.enqueue(text="hello")
    done = await any_kit.lose_lease(job, when=when)
    assert office.effects == ["hello", "hello"]
    assert done.lease_token == (await any_kit.history(job))[-1].token
    assert await outcomes(any_kit, job) == ["lost", "succeeded"]
    assert lost == ["finishing"]


async def test_the_late_failure_of_an_overtaken_worker_is_refused(kit, office):
    job = await office.trouble.enqueue()
    left = await kit.lose_lease(job, when="after_effect")
    assert (left.state, left.errors, left.worker_deaths) == (State.RETRYABLE, 1, 1)
    assert await outcomes(kit, job) == ["lost", "errored"]


async def test_a_job_delivered_twice_runs_twice_and_ends_once(any_kit, office):
    lost = watch_lost_leases(office)
    job = await office.note.enqueue(text="hello")
    done = await any_kit.deliver_twice(job)
    assert done.state is State.SUCCEEDED
    assert office.effects == ["hello", "hello"]
    assert await outcomes(any_kit, job) == ["lost", "succeeded"]
    assert lost == ["finishing"]


async def test_two_deliveries_run_at_the_same_time(kit, office):
    met = asyncio.Barrier(2)

    @office.app.task("MEET")
    async def meet():
        async with asyncio.timeout(60):
            await met.wait()

    assert (await kit.deliver_twice(await meet.enqueue())).state is State.SUCCEEDED


async def test_only_a_running_job_can_be_reclaimed(kit, office):
    job = await office.note.enqueue(text="hello")
    with pytest.raises(JobConflict, match=r"NOTE.*is pending"):
        await kit.reclaim(job)


async def test_nobody_overtakes_where_one_death_is_too_many(office):
    app = Dibs("memory://", settings=Settings(max_worker_deaths=1))
    app.add(office.note)
    async with Kit(app) as kit:
        job = await office.note.enqueue(text="hello")
        with pytest.raises(JobConflict, match="failed already"):
            await kit.lose_lease(job, when="before")
