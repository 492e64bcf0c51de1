"""The same inside a transaction of SQLAlchemy's asyncio side, which needs greenlet."""

import sqlite3
from contextlib import closing

import pytest
import sqlalchemy
from sqlalchemy.ext.asyncio import create_async_engine

from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.testing.stores.sqlite import SqliteStore


class ChangeOfMindError(Exception):
    pass


async def test_sqlalchemy_commits_and_rolls_back_asynchronously(store: SqliteStore, backend: Backend) -> None:
    await backend.store_job(Job(id="held", job_type="test"))
    held = await backend.claim_pending_job()
    assert held is not None
    with closing(sqlite3.connect(store.path)) as plain:
        plain.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
    engine = create_async_engine(f"sqlite+aiosqlite:///{store.path}")
    async with engine.begin() as connection:
        await connection.execute(sqlalchemy.text("INSERT INTO orders VALUES (1)"))
        await backend.store_job(Job(id="kept", job_type="test", unique_key="k"), connection=connection)
        await backend.complete_job(held.lease, {"n": 1}, connection=connection)
        assert await backend.find_job("kept") is None
    with pytest.raises(ChangeOfMindError):
        async with engine.begin() as connection:
            await backend.store_job(Job(id="lost", job_type="test"), connection=connection)
            raise ChangeOfMindError
    await engine.dispose()
    found = await backend.reader.find_jobs(["kept", "lost"])
    assert [job is not None for job in found] == [True, False]
    assert (await backend.get_job("held")).output == {"n": 1}
    with closing(sqlite3.connect(store.path)) as plain:
        assert plain.execute("SELECT count(*) FROM orders").fetchone() == (1,)
