"""A handler's own transaction in the writer's thread."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

import dibs
from dibs import Backend, Job
from dibs.backends.sqlite.threads import block
from dibs.errors import StoreError


@pytest.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    path = tmp_path / "jobs.db"
    async with await dibs.open_backend(f"sqlite:///{path}") as backend:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE effects (n INTEGER PRIMARY KEY)")
            connection.commit()
        yield backend


async def read_effects(backend: Backend) -> list[int]:
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        return [n for (n,) in await connection.execute("SELECT n FROM effects ORDER BY n")]


async def test_statements_see_each_other_and_commit_together(backend: Backend) -> None:
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        await connection.execute("INSERT INTO effects VALUES (?)", (1,))
        assert await connection.executemany("INSERT INTO effects VALUES (?)", [(2,), (3,)]) == 2
        assert await connection.execute("SELECT count(*) FROM effects") == [(3,)]
    assert await read_effects(backend) == [1, 2, 3]


async def test_a_failing_statement_undoes_itself_and_leaves_the_rest_to_the_handler(backend: Backend) -> None:
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        await connection.execute("INSERT INTO effects VALUES (1)")
        with pytest.raises(sqlite3.IntegrityError):
            await connection.execute("INSERT INTO effects VALUES (1)")
        await connection.execute("INSERT INTO effects VALUES (2)")
    assert await read_effects(backend) == [1, 2]


async def test_the_block_alone_begins_and_ends_the_transaction(backend: Backend) -> None:
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        for statement in ("COMMIT", " rollback;", "BEGIN IMMEDIATE"):
            with pytest.raises(sqlite3.ProgrammingError, match="block"):
                await connection.execute(statement)


async def test_a_block_that_dawdles_is_rolled_back_and_says_why(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert backend.transactions is not None
    monkeypatch.setattr(block.Block.__init__, "__kwdefaults__", {"longest": timedelta(milliseconds=30)})
    with pytest.raises(StoreError, match="slow work before"):
        async with backend.transactions.begin() as connection:
            await connection.execute("INSERT INTO effects VALUES (1)")
            await asyncio.sleep(0.2)
            await connection.execute("INSERT INTO effects VALUES (2)")
    monkeypatch.undo()
    assert await read_effects(backend) == []
    assert await backend.store_job(Job(job_type="t"))


async def test_what_waits_for_a_block_is_written_when_it_ends(backend: Backend) -> None:
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        await connection.execute("INSERT INTO effects VALUES (1)")
        waiting = [asyncio.create_task(backend.store_job(Job(id=f"j-{n}", job_type="t"))) for n in range(20)]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in waiting)
    stored = await asyncio.gather(*waiting)
    assert all(stored)


async def test_blocks_take_turns(backend: Backend) -> None:
    assert backend.transactions is not None
    transactions = backend.transactions

    async def add(n: int) -> None:
        async with transactions.begin() as connection:
            [(count,)] = await connection.execute("SELECT count(*) FROM effects")
            await asyncio.sleep(0)
            await connection.execute("INSERT INTO effects VALUES (?)", (count + 1,))
        await backend.store_job(Job(id=f"after-{n}", job_type="t"))

    await asyncio.gather(*(add(n) for n in range(30)))
    assert await read_effects(backend) == list(range(1, 31))
