"""The promises of every backend, kept by Redis."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.redis import RedisStore
from dibs.testing.suite.firing import Firing
from dibs.testing.suite.scheduling import Scheduling


class TestRedis(BackendSuite, Scheduling, Firing):
    @pytest_asyncio.fixture
    async def harness(self, redis_url: str) -> AsyncIterator[RedisStore]:
        store = RedisStore(redis_url)
        yield store
        await store.close()
