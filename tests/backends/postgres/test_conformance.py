"""PostgreSQL keeps the promises of every backend."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.suite.firing import Firing
from dibs.testing.suite.scheduling import Scheduling


class TestPostgres(BackendSuite, Scheduling, Firing):
    @pytest_asyncio.fixture
    async def harness(self, postgres_url: str) -> AsyncIterator[PostgresStore]:
        store = await PostgresStore.start(postgres_url)
        yield store
        await store.close()
