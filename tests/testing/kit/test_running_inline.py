"""One job, now."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs import BadInput, Dibs, JobConflict, JobNotFound, Settings, State
from dibs.testing import Kit

NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)


async def test_a_task_is_enqueued_run_and_given_as_it_ended(kit, office):
    done = await kit.run(office.note, text="hello")
    assert (done.state, done.output, done.attempts) == (State.SUCCEEDED, {"noted": "hello"}, 0)
    assert office.effects == ["hello"]


async def test_a_job_is_run_by_itself_or_by_its_id(kit, office):
    first, second = [await office.note.enqueue(text=text) for text in ("first", "second")]
    await kit.run(first)
    await kit.run(second.id)
    assert office.effects == ["first", "second"]


async def test_options_are_kept(kit, office):
    done = await kit.run(office.note.options(tenant="acme", priority=7), text="hello")
    assert (done.tenant, done.priority) == ("acme", 7)


@pytest.mark.parametrize("name", ["blocking_note", "heavy_note"])
async def test_handlers_that_block_or_compute_run_in_this_process(kit, office, name):
    assert (await kit.run(getattr(office, name), text="hello")).state is State.SUCCEEDED
    assert office.effects == ["hello"]


async def test_the_job_asked_for_runs_although_others_wait_before_it(kit, office):
    before, wanted, after = [await office.note.enqueue(text=text) for text in ("before", "wanted", "after")]
    await kit.run(wanted)
    assert office.effects == ["wanted"]
    assert [job.id for job in await kit.drain()] == [before.id, after.id]


async def test_an_error_is_given_with_the_job(kit, office):
    failed = await kit.run(office.trouble)
    assert failed.state is State.RETRYABLE
    assert (failed.error.type, failed.error.message) == ("RuntimeError", "no luck")


async def test_a_retry_comes_exactly_when_the_policy_says(kit, office):
    failed = await kit.run(office.trouble)
    assert failed.run_at - kit.now == timedelta(seconds=10)


async def test_asserting_success_shows_what_the_handler_raised(kit, office):
    kit.assert_succeeded(await kit.run(office.note, text="fine"))
    failed = await kit.run(office.trouble)
    with pytest.raises(AssertionError, match=r"(?s)TROUBLE.*retryable.*RuntimeError: no luck.*in trouble"):
        kit.assert_succeeded(failed)


async def test_middleware_is_around_the_handler(kit, office):
    async def shout(ctx, call_next):
        office.effects.append(f"before {ctx.job.job_type}")
        return await call_next()

    office.app.add_middleware(shout)
    await kit.run(office.note, text="hello")
    assert office.effects == ["before NOTE", "hello"]


async def test_a_job_that_is_not_due_says_how_far_to_move_the_clock(kit, office):
    job = await office.note.options(delay=timedelta(minutes=2)).enqueue(text="later")
    with pytest.raises(JobConflict, match=r"due in 0:02:00.*advance\(seconds=120\)"):
        await kit.run(job)
    await kit.advance(seconds=120)
    assert (await kit.run(job)).state is State.SUCCEEDED


async def test_a_job_that_is_over_is_not_run_again(kit, office):
    done = await kit.run(office.note, text="hello")
    with pytest.raises(JobConflict, match="succeeded already"):
        await kit.run(done)


async def test_a_job_in_other_hands_is_not_run(kit, office):
    job = await office.note.enqueue(text="hello")
    await (await office.app.backend()).claim_pending_job(worker="somebody")
    with pytest.raises(JobConflict, match=r"held by 'somebody'.*kit\.reclaim"):
        await kit.run(job)


async def test_what_cannot_be_run_is_refused_with_the_reason(kit, office):
    await office.note.options(unique_key="k").enqueue(text="first")
    with pytest.raises(BadInput, match="unique key was taken"):
        await kit.run(await office.note.options(unique_key="k").enqueue(text="second"))
    with pytest.raises(BadInput, match=r"text.*enqueued already"):
        await kit.run("some-id", text="late")
    with pytest.raises(JobNotFound, match="some-id"):
        await kit.run("some-id")
    foreign = await office.app.enqueue("FOREIGN")
    with pytest.raises(BadInput, match=r"no task 'FOREIGN'.*NOTE"):
        await kit.run(foreign)


async def test_a_task_of_another_app_stays_out_of_its_store(kit):
    other = Dibs("sqlite:////nowhere/either.db")

    @other.task("OTHER")
    async def run_other() -> None: ...

    with pytest.raises(BadInput, match="another app"):
        await kit.run(run_other)


async def test_code_that_waits_for_its_job_gets_a_real_worker(kit, office):
    async with kit.worker(concurrency=1):
        job = await office.note.enqueue(text="hello")
        assert (await office.app.wait_for(job.id, timeout=30)).output == {"noted": "hello"}


async def test_the_clock_stands_where_it_was_put(office):
    async with Kit(office.app, at=NEW_YEAR) as kit:
        job = await office.note.enqueue(text="hello")
        assert kit.now == job.created_at == NEW_YEAR
        await kit.advance(timedelta(hours=1), minutes=5)
        assert kit.now == NEW_YEAR + timedelta(minutes=65)
        with pytest.raises(BadInput, match="cannot go back by 0:01:00"):
            await kit.advance(minutes=-1)


async def test_a_time_without_a_zone_is_refused(office):
    with pytest.raises(BadInput, match="aware"):
        Kit(office.app, at=datetime(2030, 1, 1))  # noqa: DTZ001 - the mistake under test


async def test_the_app_comes_back_as_it_was(office, tmp_path):
    app = Dibs(f"sqlite:///{tmp_path}/real.db")
    app.add(office.note)
    async with app:
        real, sync, chance = await app.backend(), app.sync, app.chance
        async with Kit(app) as kit:
            inside = await kit.run(office.note, text="inside")
            assert await app.backend() is not real
        assert (await app.backend(), app.sync, app.chance) == (real, sync, chance)
        assert await real.find_job(inside.id) is None
        assert await app.enqueue("NOTE", {"text": "outside"}, id="outside") is not None
        assert await real.find_job("outside") is not None


async def test_the_app_comes_back_after_a_failed_test(office):
    opener = office.app.open_backend
    with pytest.raises(ZeroDivisionError):
        async with Kit(office.app):
            raise ZeroDivisionError
    assert office.app.open_backend == opener


async def test_the_settings_of_the_app_hold(office):
    app = Dibs("sqlite:////nowhere/jobs.db", settings=Settings(lease=timedelta(seconds=7)))
    app.add(office.note)
    async with Kit(app) as kit:
        job = await office.note.enqueue(text="hello")
        await (await app.backend()).claim_pending_job()
        assert (await kit.find(job)).lease_expires_at == kit.now + timedelta(seconds=7)
