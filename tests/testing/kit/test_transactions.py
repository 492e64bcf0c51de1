"""Handlers that write through their job's own transaction: whatever happens, their effect is there once."""

import pytest
import pytest_asyncio

from dibs import State
from dibs.testing import Kit, Moment, PostgresStore, SqliteStore


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def kit(request, office, tmp_path):
    is_file = request.param == "sqlite"
    store = SqliteStore(tmp_path) if is_file else await PostgresStore.start(request.getfixturevalue("postgres_url"))
    await store.reset()
    async with Kit(office.app, store=store) as kit:
        yield kit
    await store.close()


@pytest.fixture
def book(office):
    """A handler whose effect is a job, stored in its transaction."""

    @office.app.task("BOOK")
    async def book(ctx):
        async with ctx.transaction() as connection:
            await ctx.enqueue("NOTE", {"text": "booked"}, connection=connection)
            ctx.output = "booked"

    return book


async def test_the_effect_and_the_completion_commit_as_one(kit, book):
    done = await kit.run(book)
    assert (done.state, done.output) == (State.SUCCEEDED, "booked")
    kit.assert_enqueued("NOTE", times=1, parent_id=done.id)


@pytest.mark.parametrize("when", [Moment.DURING, Moment.AFTER_EFFECT])
async def test_a_death_before_the_commit_undoes_the_effect(kit, book, when):
    job = await book.enqueue()
    assert (await kit.crash(job, when=when)).state is State.PENDING
    kit.assert_not_enqueued("NOTE")


@pytest.mark.parametrize("when", list(Moment))
async def test_after_any_death_the_effect_is_there_once(kit, book, when):
    job = await book.enqueue()
    await kit.crash(job, when=when)
    await kit.drain()
    assert (await kit.find(job)).state is State.SUCCEEDED
    kit.assert_enqueued("NOTE", times=1)


@pytest.mark.parametrize("when", ["before", "during", "after_effect"])
async def test_a_worker_that_was_overtaken_commits_nothing(kit, book, when):
    job = await book.enqueue()
    assert (await kit.lose_lease(job, when=when)).state is State.SUCCEEDED
    kit.assert_enqueued("NOTE", times=1)


async def test_of_two_deliveries_one_commits(kit, book):
    assert (await kit.deliver_twice(await book.enqueue())).state is State.SUCCEEDED
    kit.assert_enqueued("NOTE", times=1)


async def test_memory_says_which_store_to_use(office, book):
    async with Kit(office.app) as kit:
        failed = await kit.run(book)
    assert failed.state is State.FAILED
    assert "Kit(app, store=SqliteStore(tmp_path))" in str(failed.error)
