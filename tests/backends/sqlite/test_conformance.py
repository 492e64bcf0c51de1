"""SQLite keeps the promises of every backend."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.sqlite import SqliteStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    return SqliteStore(tmp_path_factory.mktemp("sqlite"))


class TestSqlite(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, store: SqliteStore) -> AsyncIterator[SqliteStore]:
        yield store
        await store.close()
