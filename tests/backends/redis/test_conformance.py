"""The promises of every backend, kept by Redis."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.redis import RedisStore


class TestRedis(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, redis_url: str) -> AsyncIterator[RedisStore]:
        store = RedisStore(redis_url)
        yield store
        await store.close()
