"""A handler's writes and its job's completion are one."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from dibs import BadInput, Dibs, JobFilter, LeaseLost, NotSupported, PageRequest, State
from dibs.engine import events
from dibs.engine.app import App
from tests.engine.worker.conftest import finish, run_all

# Long enough for one transaction on a machine that does much else.
BUSY_SECONDS = 2.0


@pytest.fixture(params=["sqlite", "postgres"])
async def app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[App]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'jobs.db'}"
    else:
        url = f"{request.getfixturevalue('postgres_url')}?schema=t{uuid4().hex[:12]}"
    async with Dibs(url) as app:
        await create_effects(app, url, tmp_path)
        yield app


async def create_effects(app: App, url: str, folder: Path) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(folder / "jobs.db")) as connection:
            connection.execute("CREATE TABLE effects (note TEXT)")
            connection.commit()
        return
    backend = await app.backend()
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        await connection.execute("DROP TABLE IF EXISTS effects; CREATE TABLE effects (note TEXT)")


async def read_effects(app: App) -> list[str]:
    backend = await app.backend()
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        select = getattr(connection, "fetch", connection.execute)
        return [row[0] for row in await select("SELECT note FROM effects")]


async def test_what_a_handler_writes_commits_with_its_completion(app: App) -> None:
    @app.task("PAY")
    async def pay(ctx: Any) -> str:
        async with ctx.transaction() as connection:
            await connection.execute("INSERT INTO effects VALUES ('paid')")
            ctx.output = {"paid": True}
        return "not this"

    job = await pay.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert (done.state, done.output) == (State.SUCCEEDED, {"paid": True})
    assert await read_effects(app) == ["paid"]


async def test_what_a_handler_writes_before_it_fails_is_undone(app: App) -> None:
    @app.task("PAY", max_retries=0)
    async def pay(ctx: Any) -> None:
        async with ctx.transaction() as connection:
            await connection.execute("INSERT INTO effects VALUES ('paid')")
            message = "no"
            raise RuntimeError(message)

    job = await pay.enqueue()
    await run_all(app)
    assert (await finish(app, job)).state is State.FAILED
    assert await read_effects(app) == []


async def test_a_handler_whose_job_was_taken_from_it_commits_nothing(app: App) -> None:
    caught: list[type[BaseException]] = []

    @app.task("PAY")
    async def pay(ctx: Any) -> None:
        backend = await app.backend()
        await backend.cancel_job(ctx.job.id, actor="op", reason="not needed")
        try:
            async with ctx.transaction() as connection:
                await connection.execute("INSERT INTO effects VALUES ('paid')")
        except LeaseLost as error:
            caught.append(type(error))
            raise

    job = await pay.enqueue()
    await run_all(app)
    assert (await finish(app, job)).state is State.CANCELLED
    assert await read_effects(app) == []
    assert caught in ([LeaseLost], [])


async def test_a_store_without_transactions_says_so() -> None:
    async with Dibs("memory://") as app:

        @app.task("PAY", max_retries=0)
        async def pay(ctx: Any) -> None:
            async with ctx.transaction():
                pass

        job = await pay.enqueue()
        await run_all(app)
        failed = await finish(app, job)
    assert failed.error is not None
    assert failed.error.type == NotSupported.__name__


async def test_a_child_enqueued_in_the_block_is_stored_with_it(app: App) -> None:
    @app.task("CHILD")
    async def child() -> None: ...

    @app.task("PAY", max_retries=0)
    async def pay(ctx: Any, fails: bool) -> None:
        async with ctx.transaction() as connection:
            await connection.execute("INSERT INTO effects VALUES ('paid')")
            await ctx.enqueue("CHILD")
            if fails:
                message = "no"
                raise RuntimeError(message)

    good, bad = await pay.enqueue(fails=False), await pay.enqueue(fails=True)
    await run_all(app)
    assert ((await finish(app, good)).state, (await finish(app, bad)).state) == (State.SUCCEEDED, State.FAILED)
    backend = await app.backend()
    children = (await backend.reader.list_jobs(JobFilter(job_type="CHILD"), PageRequest())).items
    assert [found.parent_id for found in children] == [good.id if good else None]


async def test_what_would_wait_for_the_block_itself_is_refused_in_it(app: App) -> None:
    @app.task("PAY", max_retries=0)
    async def pay(ctx: Any) -> list[str]:
        told = []
        async with ctx.transaction() as connection:
            await connection.execute("INSERT INTO effects VALUES ('paid')")
            for ask in (ctx.heartbeat, lambda: ctx.report_progress(1), lambda: ctx.transaction().__aenter__()):
                try:
                    await ask()
                except BadInput as error:
                    told.append(str(error))
            ctx.output = told
        return told

    job = await pay.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert done.state is State.SUCCEEDED
    assert all("before or after the block" in text for text in done.output)
    assert len(done.output) == 3


async def test_an_error_after_the_block_does_not_undo_what_is_done(app: App) -> None:
    @app.task("PAY", max_retries=0)
    async def pay(ctx: Any) -> None:
        async with ctx.transaction() as connection:
            await connection.execute("INSERT INTO effects VALUES ('paid')")
        message = "too late"
        raise RuntimeError(message)

    job = await pay.enqueue()
    with capture_logs() as logs:
        await run_all(app)
    assert (await finish(app, job)).state is State.SUCCEEDED
    assert "engine.handler.failed_after_completion" in [entry["event"] for entry in logs]


async def test_a_handler_that_is_stopped_after_its_transaction_has_succeeded(app: App) -> None:
    seen: list[str] = []
    app.events.watch(lambda event: seen.append(event.name))

    @app.task("DAWDLE", timeout=BUSY_SECONDS, max_retries=0)
    async def dawdle(ctx: Any) -> None:
        async with ctx.transaction():
            ctx.output = "kept"
        await asyncio.sleep(60)

    job = await dawdle.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert (done.state, done.output, done.attempts) == (State.SUCCEEDED, "kept", 0)
    assert seen.count(events.JOB_SUCCEEDED) == 1
    assert events.LEASE_LOST not in seen


async def test_a_connection_is_of_no_use_after_its_block(app: App) -> None:
    errors: list[Exception] = []

    @app.task("CLING")
    async def cling(ctx: Any) -> None:
        async with ctx.transaction() as connection:
            ctx.output = "kept"
        try:
            await connection.execute("SELECT 1")
        except Exception as error:  # noqa: BLE001 - each driver has its own
            errors.append(error)

    job = await cling.enqueue()
    await run_all(app)
    assert (await finish(app, job)).output == "kept"
    assert len(errors) == 1
