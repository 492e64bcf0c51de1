"""A schema of its own for each test that changes more than rows."""

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

import dibs
from dibs.testing.servers import PostgresServer
from dibs.testing.stores.postgres import PostgresStore

numbers = itertools.count(1)


@pytest_asyncio.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    """The usual schema, empty."""
    store = await PostgresStore.start(postgres_url)
    await store.reset()
    yield store
    await store.close()


@pytest_asyncio.fixture
async def backend(store: PostgresStore) -> AsyncIterator[dibs.Backend]:
    async with await store.open(worker_id="worker-1") as backend:
        yield backend


@pytest_asyncio.fixture
async def sql(postgres_url: str) -> AsyncIterator[Any]:
    """A plain connection, as any other program has one."""
    connection = await asyncpg.connect(postgres_url)
    yield connection
    await connection.close()


@pytest_asyncio.fixture
async def schema(sql: Any) -> AsyncIterator[str]:
    """The name of a schema that does not exist yet."""
    name = f"test_{os.getpid()}_{next(numbers)}"
    yield name
    await sql.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of one's own, to be stopped and killed; what it acknowledged must be there afterwards."""
    with PostgresServer(durable=True) as server:
        yield server
