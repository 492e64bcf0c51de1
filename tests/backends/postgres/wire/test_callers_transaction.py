"""Jobs stored and completed inside the caller's own transaction, on every kind of connection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

import dibs
from dibs.testing.stores.postgres import PostgresStore


class ChangeOfMindError(Exception):
    pass


@asynccontextmanager
async def by_asyncpg(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def by_asyncpg_pool(url: str) -> AsyncIterator[Any]:
    async with asyncpg.create_pool(url, min_size=1) as pool, pool.acquire() as connection, connection.transaction():
        yield connection


@asynccontextmanager
async def by_sqlalchemy_asyncpg(url: str) -> AsyncIterator[Any]:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
    try:
        async with engine.begin() as connection:
            yield connection
    finally:
        await engine.dispose()


@asynccontextmanager
async def by_async_session(url: str) -> AsyncIterator[Any]:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
    try:
        async with AsyncSession(engine) as session, session.begin():
            yield session
    finally:
        await engine.dispose()


@asynccontextmanager
async def by_async_psycopg(url: str) -> AsyncIterator[Any]:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        async with engine.begin() as connection:
            yield connection
    finally:
        await engine.dispose()


@asynccontextmanager
async def by_psycopg(url: str) -> AsyncIterator[Any]:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@asynccontextmanager
async def by_session(url: str) -> AsyncIterator[Any]:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with Session(engine) as session, session.begin():
            yield session
    finally:
        engine.dispose()


WAYS = [
    by_asyncpg,
    by_asyncpg_pool,
    by_sqlalchemy_asyncpg,
    by_async_session,
    by_async_psycopg,
    by_psycopg,
    by_session,
]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@every_way
async def test_jobs_appear_with_the_callers_commit(way: Any, backend: dibs.Backend, postgres_url: str) -> None:
    jobs = [dibs.Job(id="a", job_type="t", input={"n": [1, "é"]}), dibs.Job(id="b", job_type="t", unique_key="k")]
    async with way(postgres_url) as connection:
        stored = await backend.store_jobs(jobs, connection=connection)
        again = await backend.store_job(
            dibs.Job(job_type="t", unique_key="k"),
            unique=dibs.UniqueRule(on_conflict=dibs.OnConflict.RETURN),
            connection=connection,
        )
        assert again is not None
        assert again.id == "b"
        assert await backend.find_job("a") is None
    assert await backend.reader.find_jobs(["a", "b"]) == stored


@every_way
async def test_nothing_remains_after_the_callers_rollback(way: Any, backend: dibs.Backend, postgres_url: str) -> None:
    await backend.store_job(dibs.Job(id="done", job_type="t"))
    job = await backend.claim_pending_job()
    assert job is not None

    async def change_ones_mind() -> None:
        async with way(postgres_url) as connection:
            await backend.store_job(dibs.Job(id="new", job_type="t"), connection=connection)
            await backend.complete_job(job.lease, {"n": 1}, connection=connection)
            raise ChangeOfMindError

    with pytest.raises(ChangeOfMindError):
        await change_ones_mind()
    assert await backend.find_job("new") is None
    assert (await backend.get_job("done")).state is dibs.State.RUNNING


@every_way
async def test_a_completion_commits_with_the_callers_writes(way: Any, backend: dibs.Backend, postgres_url: str) -> None:
    await backend.store_job(dibs.Job(id="done", job_type="t"))
    job = await backend.claim_pending_job()
    assert job is not None
    stale = dibs.Completion(lease=dibs.Lease("done", job.lease_token - 1))
    async with way(postgres_url) as connection:
        moved = await backend.complete_jobs([stale, backend.completion(job.lease, [1])], connection=connection)
    assert moved == [False, True]
    assert (await backend.get_job("done")).output == [1]


@every_way
async def test_a_duplicate_leaves_the_callers_transaction_usable(
    way: Any, backend: dibs.Backend, postgres_url: str
) -> None:
    await backend.store_job(dibs.Job(id="taken", job_type="t"))
    async with way(postgres_url) as connection:
        with pytest.raises(dibs.DuplicateJob, match="taken"):
            await backend.store_job(dibs.Job(id="taken", job_type="t"), connection=connection)
        await backend.store_job(dibs.Job(id="other", job_type="t"), connection=connection)
    assert await backend.find_job("other") is not None


async def test_a_connection_outside_a_transaction_is_refused(backend: dibs.Backend, sql: Any) -> None:
    with pytest.raises(dibs.BadInput, match="not in a transaction"):
        await backend.store_job(dibs.Job(id="a", job_type="t"), connection=sql)
    assert await backend.find_job("a") is None


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg"])
async def test_an_autocommit_connection_is_refused(backend: dibs.Backend, postgres_url: str, driver: str) -> None:
    engine = create_async_engine(
        postgres_url.replace("postgresql://", f"postgresql+{driver}://"), isolation_level="AUTOCOMMIT"
    )
    async with engine.connect() as connection:
        with pytest.raises(dibs.BadInput, match="not in a transaction"):
            await backend.store_job(dibs.Job(id="a", job_type="t"), connection=connection)
    await engine.dispose()
    assert await backend.find_job("a") is None


async def test_unique_jobs_are_refused_where_others_commits_cannot_be_seen(backend: dibs.Backend, sql: Any) -> None:
    async with sql.transaction(isolation="repeatable_read"):
        with pytest.raises(dibs.NotSupported, match="READ COMMITTED"):
            await backend.store_job(dibs.Job(job_type="t", unique_key="k"), connection=sql)


async def test_a_database_that_is_stricter_by_default_does_not_matter(
    backend: dibs.Backend, store: PostgresStore, sql: Any
) -> None:
    await sql.execute("ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'serializable'")
    try:
        async with await store.open() as other:
            await other.store_job(dibs.Job(id="a", job_type="t", unique_key="k"))
            assert await other.claim_pending_job() is not None
    finally:
        await sql.execute("ALTER ROLE CURRENT_USER RESET default_transaction_isolation")


async def test_plain_jobs_join_a_serializable_transaction(backend: dibs.Backend, sql: Any) -> None:
    async with sql.transaction(isolation="serializable"):
        await backend.store_job(dibs.Job(id="a", job_type="t"), connection=sql)
    assert await backend.find_job("a") is not None


async def test_the_callers_own_json_codec_does_not_matter(backend: dibs.Backend, sql: Any) -> None:
    await sql.set_type_codec("json", encoder=repr, decoder=repr, schema="pg_catalog")
    async with sql.transaction():
        await backend.store_job(dibs.Job(id="a", job_type="t", input={"n": 1}), connection=sql)
    assert (await backend.get_job("a")).input == {"n": 1}


async def test_a_job_commits_together_with_a_row_of_the_caller(backend: dibs.Backend, postgres_url: str) -> None:
    engine = create_async_engine(postgres_url.replace("postgresql://", "postgresql+asyncpg://"))
    async with engine.connect() as connection:
        await backend.store_job(dibs.Job(id="a", job_type="t"), connection=connection)
        await connection.execute(text("CREATE TABLE callers_table (n integer)"))
        await connection.rollback()
        assert await connection.scalar(text("SELECT to_regclass('callers_table')")) is None
    await engine.dispose()
    assert await backend.find_job("a") is None


async def test_another_kind_of_connection_is_refused_by_name(backend: dibs.Backend, store: PostgresStore) -> None:
    with pytest.raises(dibs.BadInput, match="PostgresStore"):
        await backend.store_job(dibs.Job(job_type="t"), connection=store)
    engine = create_engine("sqlite://")
    with engine.begin() as connection, pytest.raises(dibs.BadInput, match="sqlite"):
        await backend.store_job(dibs.Job(job_type="t"), connection=connection)
    engine.dispose()
