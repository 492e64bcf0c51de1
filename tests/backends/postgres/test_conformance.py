"""PostgreSQL keeps the promises of every backend."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.postgres import PostgresStore


class TestPostgres(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, postgres_url: str) -> AsyncIterator[PostgresStore]:
        store = await PostgresStore.start(postgres_url)
        yield store
        await store.close()
