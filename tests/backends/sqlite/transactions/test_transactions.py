"""Storing and completing inside a transaction of the caller's, on every kind of connection."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput, StoreUnavailable
from dibs.testing.stores.sqlite import SqliteStore


class ChangeOfMindError(Exception):
    pass


@pytest.fixture(autouse=True)
def orders(store: SqliteStore, backend: Backend) -> None:
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
    connection.close()


def count_orders(store: SqliteStore) -> int:
    connection = sqlite3.connect(store.path)
    count = connection.execute("SELECT count(*) FROM orders").fetchone()[0]
    connection.close()
    return int(count)


@pytest.mark.parametrize("row_factory", [None, sqlite3.Row])
async def test_a_plain_connection_begins_by_itself(store: SqliteStore, backend: Backend, row_factory) -> None:
    connection = sqlite3.connect(store.path)
    connection.row_factory = row_factory
    await backend.store_job(Job(id="job", job_type="test"), connection=connection)
    connection.execute("INSERT INTO orders VALUES (1)")
    assert await backend.find_job("job") is None
    connection.commit()
    assert await backend.find_job("job") is not None
    assert count_orders(store) == 1
    connection.close()


async def test_a_plain_connection_rolls_back_everything(store: SqliteStore, backend: Backend) -> None:
    await backend.store_job(Job(id="held", job_type="test"))
    held = await backend.claim_pending_job()
    assert held is not None
    connection = sqlite3.connect(store.path)
    connection.execute("INSERT INTO orders VALUES (1)")
    await backend.store_job(Job(id="job", job_type="test"), connection=connection)
    await backend.complete_job(held.lease, connection=connection)
    connection.rollback()
    assert await backend.find_job("job") is None
    assert (await backend.get_job("held")).state is State.RUNNING
    assert count_orders(store) == 0
    connection.close()


async def test_a_refused_batch_leaves_the_callers_own_writes(store: SqliteStore, backend: Backend) -> None:
    await backend.store_job(Job(id="taken", job_type="test"))
    connection = sqlite3.connect(store.path)
    connection.execute("INSERT INTO orders VALUES (1)")
    with pytest.raises(Exception, match="taken"):
        await backend.store_jobs(
            [Job(id="half", job_type="test"), Job(id="taken", job_type="test")], connection=connection
        )
    connection.commit()
    assert count_orders(store) == 1
    assert await backend.find_job("half") is None
    connection.close()


async def test_autocommit_without_a_transaction_is_refused(store: SqliteStore, backend: Backend) -> None:
    connection = sqlite3.connect(store.path, isolation_level=None)
    with pytest.raises(BadInput, match="BEGIN IMMEDIATE"):
        await backend.store_job(Job(id="job", job_type="test"), connection=connection)
    connection.execute("BEGIN IMMEDIATE")
    await backend.store_job(Job(id="job", job_type="test"), connection=connection)
    connection.execute("COMMIT")
    assert await backend.find_job("job") is not None
    connection.close()


async def test_another_file_is_refused(backend: Backend, tmp_path: Path) -> None:
    for place in (":memory:", tmp_path / "other.db"):
        connection = sqlite3.connect(place)
        with pytest.raises(BadInput, match="same file"):
            await backend.store_job(Job(id="job", job_type="test"), connection=connection)
        connection.close()


async def test_a_closed_connection_is_refused(store: SqliteStore, backend: Backend) -> None:
    connection = sqlite3.connect(store.path)
    connection.close()
    with pytest.raises(BadInput, match="open"):
        await backend.store_job(Job(id="job", job_type="test"), connection=connection)


async def test_a_transaction_that_began_with_a_read_is_told_to_begin_again(
    store: SqliteStore, backend: Backend
) -> None:
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM orders").fetchone()
    await backend.store_job(Job(id="meanwhile", job_type="test"))
    with pytest.raises(StoreUnavailable, match="BEGIN IMMEDIATE"):
        await backend.store_job(Job(id="job", job_type="test"), connection=connection)
    connection.execute("ROLLBACK")
    connection.close()


async def test_our_own_writes_wait_for_the_caller_without_stopping_the_loop(
    store: SqliteStore, backend: Backend
) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute("INSERT INTO orders VALUES (1)")
    waiting = asyncio.create_task(backend.store_job(Job(id="ours", job_type="test")))
    await asyncio.sleep(0.05)
    await backend.store_job(Job(id="theirs", job_type="test"), connection=connection)
    assert not waiting.done()
    connection.commit()
    assert await waiting is not None
    assert await backend.find_job("theirs") is not None
    connection.close()


async def test_sqlalchemy_commits_and_rolls_back(store: SqliteStore, backend: Backend) -> None:
    engine = sqlalchemy.create_engine(f"sqlite:///{store.path}")
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("INSERT INTO orders VALUES (1)"))
        await backend.store_job(Job(id="kept", job_type="test"), connection=connection)
        assert await backend.find_job("kept") is None
    with pytest.raises(ChangeOfMindError), engine.begin() as connection:
        await backend.store_job(Job(id="lost", job_type="test"), connection=connection)
        connection.execute(sqlalchemy.text("INSERT INTO orders VALUES (2)"))
        raise ChangeOfMindError
    with engine.connect() as connection:
        await backend.store_job(Job(id="late", job_type="test"), connection=connection)
        connection.commit()
    engine.dispose()
    found = await backend.reader.find_jobs(["kept", "lost", "late"])
    assert [job is not None for job in found] == [True, False, True]
    assert count_orders(store) == 1
