"""The kit where nothing is async."""

import asyncio
from datetime import timedelta

import pytest

from dibs import BadInput, State
from dibs.testing import SqliteStore, SyncKit


@pytest.fixture(params=["memory", "sqlite"])
def kit(request, office, tmp_path):
    store = SqliteStore(tmp_path) if request.param == "sqlite" else None
    with SyncKit(office.app, store=store) as kit:
        yield kit


def test_what_plain_code_enqueues_is_seen_and_run(kit, office):
    office.app.sync.enqueue("NOTE", {"text": "hello"})
    kit.assert_enqueued(office.note, input__text="hello", times=1)
    kit.assert_succeeded(*kit.drain())
    assert office.effects == ["hello"]


def test_one_job_is_run(kit, office):
    assert kit.run(office.note, text="hello").output == {"noted": "hello"}


def test_time_is_moved(kit, office):
    before = kit.now
    job = office.app.sync.enqueue("NOTE", {"text": "hello"}, delay=timedelta(hours=1))
    assert kit.drain() == []
    kit.advance(hours=1)
    assert [done.id for done in kit.drain()] == [job.id]
    assert kit.now >= before + timedelta(hours=1)
    assert kit.drain(until=timedelta(hours=1)) == []


def test_workers_fail(kit, office):
    def enqueue():
        return office.app.sync.enqueue("NOTE", {"text": "hello"})

    crashed = kit.crash(enqueue(), when="after_effect")
    assert crashed.state is State.PENDING
    assert kit.run(crashed).state is State.SUCCEEDED
    assert kit.lose_lease(enqueue()).state is State.SUCCEEDED
    assert kit.deliver_twice(enqueue()).state is State.SUCCEEDED
    assert [attempt.outcome for attempt in kit.history(crashed)] == ["lost", "succeeded"]


def test_a_lost_worker_is_given_up(kit, office):
    office.app.sync.enqueue("NOTE", {"text": "hello"})
    lost = office.app.sync.run(claim(office))
    assert kit.reclaim(lost).state is State.PENDING
    assert kit.find(lost.id).worker_deaths == 1


async def claim(office):
    return await (await office.app.backend()).claim_pending_job(worker="gone")


def test_an_async_handler_may_call_blocking_code_that_enqueues_in_a_thread(kit, office):
    @office.app.task("MIXED")
    async def mix():
        await asyncio.to_thread(office.app.sync.enqueue, "NOTE", {"text": "from below"})

    kit.run(mix)
    kit.assert_enqueued("NOTE", input__text="from below")


async def test_inside_an_async_test_the_other_kit_is_recommended(office):
    with pytest.raises(BadInput, match="async with Kit"), SyncKit(office.app):
        pass


def test_a_store_that_cannot_be_opened_leaves_the_app_alone(office, tmp_path):
    class Broken(SqliteStore):
        async def open(self, **settings):
            message = "broken"
            raise OSError(message)

    opener = office.app.open_backend
    with pytest.raises(OSError, match="broken"), SyncKit(office.app, store=Broken(tmp_path)):
        pass
    assert office.app.open_backend == opener
