"""The same in a thread: a plain handler's writes and its job's completion are one."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from dibs import (
    Dibs,
    FailureKind,
    JobFilter,
    LeaseLost,
    NotSupported,
    PageRequest,
    RetryPolicy,
    State,
    StoreUnavailable,
)
from dibs.engine.app import App
from tests.engine.executors.process_tasks import tasks as cpu_bound
from tests.engine.worker.conftest import at_work, finish, run_all
from tests.engine.worker.handlers.test_transactions import BUSY_SECONDS, create_effects, read_effects

DRIVERS_WORDS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
PAID = "INSERT INTO effects VALUES ('paid')"


@pytest.fixture(params=["sqlite", "postgres"])
async def app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[App]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'jobs.db'}"
    else:
        url = f"{request.getfixturevalue('postgres_url')}?schema=t{uuid4().hex[:12]}"
    async with Dibs(url) as app:
        await create_effects(app, url, tmp_path)
        yield app


async def test_what_a_plain_handler_writes_commits_with_its_completion(app: App) -> None:
    @app.task("PAY")
    def pay(ctx: Any) -> str:
        with ctx.transaction() as connection:
            connection.execute(PAID)
            connection.executemany("INSERT INTO effects VALUES ('again')", [(), ()])
            select = getattr(connection, "fetch", connection.execute)
            ctx.output = {"seen": [row[0] for row in select("SELECT note FROM effects ORDER BY note")]}
        return "not this"

    job = await pay.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert (done.state, done.output) == (State.SUCCEEDED, {"seen": ["again", "again", "paid"]})
    assert sorted(await read_effects(app)) == ["again", "again", "paid"]


async def test_what_a_plain_handler_writes_before_it_fails_is_undone(app: App) -> None:
    @app.task("PAY", max_retries=0)
    def pay(ctx: Any) -> None:
        with ctx.transaction() as connection:
            connection.execute(PAID)
            ctx.enqueue("PAY")
            message = "no"
            raise RuntimeError(message)

    job = await pay.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, failed.error.type, failed.error.message) == (State.FAILED, "RuntimeError", "no")
    assert await read_effects(app) == []
    assert len((await (await app.backend()).reader.list_jobs(JobFilter(), PageRequest())).items) == 1


async def test_a_refused_statement_is_the_handlers_own_error(app: App) -> None:
    @app.task("PAY", max_retries=0)
    def pay(ctx: Any) -> None:
        with ctx.transaction() as connection:
            connection.execute(PAID)
            connection.execute("INSERT INTO nowhere VALUES ('paid')")

    job = await pay.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert failed.state is State.FAILED
    assert "nowhere" in failed.error.message
    assert await read_effects(app) == []


async def test_a_plain_handler_whose_job_was_taken_from_it_commits_nothing(app: App) -> None:
    caught: list[BaseException] = []

    @app.task("PAY")
    def pay(ctx: Any) -> None:
        try:
            with ctx.transaction() as connection:
                asyncio.run_coroutine_threadsafe(cancel(ctx.job.id), loop).result()
                connection.execute(PAID)
        except LeaseLost as error:
            caught.append(error)
            raise

    async def cancel(job_id: str) -> None:
        await (await app.backend()).cancel_job(job_id, actor="op", reason="not needed")

    loop = asyncio.get_running_loop()
    job = await pay.enqueue()
    await run_all(app)
    assert (await finish(app, job)).state is State.CANCELLED
    assert await read_effects(app) == []
    # The word that reaches the thread may come before the block does.
    assert len(caught) <= 1


async def test_a_plain_handler_that_does_not_stop_loses_its_transaction_at_once(app: App) -> None:
    written, go_on, left = threading.Event(), threading.Event(), threading.Event()
    errors: list[BaseException] = []

    @app.task("DAWDLE", timeout=BUSY_SECONDS, max_retries=0)
    def dawdle(ctx: Any) -> None:
        try:
            with ctx.transaction() as connection:
                connection.execute(PAID)
                written.set()
                while not go_on.is_set():
                    try:
                        go_on.wait(0.05)
                    except LeaseLost:
                        continue
                connection.execute(PAID)
        except BaseException as error:
            errors.append(error)
            raise
        finally:
            left.set()

    job = await dawdle.enqueue()
    async with at_work(app):
        assert (await finish(app, job)).state is State.FAILED
        # The thread still stands in its block: on SQLite nobody could write if the block were open.
        await app.enqueue("DAWDLE", queue="elsewhere", delay=timedelta(hours=1))
        assert written.is_set()
        assert await read_effects(app) == []
        go_on.set()
        assert await asyncio.to_thread(left.wait, 10)
    assert [type(error) for error in errors] == [LeaseLost]
    assert await read_effects(app) == []


async def test_a_connection_in_a_thread_offers_what_gives_plain_values(app: App) -> None:
    @app.task("ASK")
    def ask(ctx: Any) -> None:
        with ctx.transaction() as connection:
            try:
                connection.cursor("SELECT 1")
            except AttributeError as error:
                ctx.output = str(error)

    job = await ask.enqueue()
    await run_all(app)
    assert "It has: execute, executemany" in (await finish(app, job)).output


async def test_a_store_without_transactions_says_so_in_a_thread() -> None:
    async with Dibs("memory://") as app:

        @app.task("PAY", max_retries=0)
        def pay(ctx: Any) -> None:
            with ctx.transaction():
                pass

        job = await pay.enqueue()
        await run_all(app)
        failed = await finish(app, job)
    assert failed.error is not None
    assert failed.error.type == NotSupported.__name__


async def test_a_cpu_bound_handler_is_told_that_it_has_no_transaction() -> None:
    async with Dibs("memory://") as app:
        app.include(cpu_bound)
        job = await app.enqueue("TRANSACT")
        await run_all(app)
        failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, failed.error.type) == (State.FAILED, NotSupported.__name__)
    assert "process of its own" in failed.error.message


async def break_off(app: App, connection: Any, how: str) -> None:
    if how != "ended by the server":
        connection._con._transport.abort()
        return
    transactions = (await app.backend()).transactions
    assert transactions is not None
    async with transactions.begin() as other:
        await other.execute("SELECT pg_terminate_backend($1)", connection.get_server_pid())


async def break_in_block(app: App, ctx: Any, how: str) -> None:
    async with ctx.transaction() as connection:
        await break_off(app, connection, how)
        with suppress(Exception) if how == "swallowed" else nullcontext():
            await connection.execute("SELECT 1")


def break_in_plain_block(app: App, ctx: Any, how: str, loop: asyncio.AbstractEventLoop) -> None:
    with ctx.transaction() as connection:
        asyncio.run_coroutine_threadsafe(break_off(app, connection._connection, how), loop).result()
        with suppress(Exception) if how == "swallowed" else nullcontext():
            connection.execute("SELECT 1")


@pytest.mark.parametrize("how", ["cut", "ended by the server", "swallowed"])
@pytest.mark.parametrize("is_plain", [False, True])
async def test_a_connection_that_breaks_in_the_block_is_told_in_our_words(
    postgres_url: str, how: str, is_plain: bool
) -> None:
    caught: list[BaseException] = []

    def judge(error: BaseException) -> FailureKind:
        caught.append(error)
        return FailureKind.PERMANENT

    async with Dibs(f"{postgres_url}?schema=t{uuid4().hex[:12]}") as app:
        loop = asyncio.get_running_loop()

        @app.task("BREAK", retry=RetryPolicy(classify=judge))
        async def work(ctx: Any) -> None:
            await break_in_block(app, ctx, how)

        @app.task("BREAK_PLAINLY", retry=RetryPolicy(classify=judge))
        def work_plainly(ctx: Any) -> None:
            break_in_plain_block(app, ctx, how, loop)

        job = await (work_plainly if is_plain else work).enqueue()
        await run_all(app)
        assert (await finish(app, job)).state is State.FAILED
    assert type(caught[0]) is StoreUnavailable
    assert "PostgreSQL at" in str(caught[0])
    assert how == "swallowed" or isinstance(caught[0].__cause__, DRIVERS_WORDS)
