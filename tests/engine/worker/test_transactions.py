"""A handler's writes and its job's completion are one."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from dibs import Dibs, LeaseLost, NotSupported, State
from dibs.engine.app import App
from tests.engine.worker.conftest import finish, run_all


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
