"""A namespace of its own for each test, on the server that the test process shares."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.engine.store.backend import Backend
from dibs.testing.stores.redis import RedisStore


@pytest_asyncio.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(redis_url)
    yield store
    await store.close()


@pytest_asyncio.fixture
async def backend(store: RedisStore) -> AsyncIterator[Backend]:
    async with await store.open(worker_id="worker-1") as backend:
        yield backend
