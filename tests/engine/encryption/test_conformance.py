"""With keys set, every promise of a store holds as it does without."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from dibs.engine.store.backend import Backend
from dibs.kit.encryption.secret import Secret
from dibs.testing import BackendSuite
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.stores.redis import RedisStore
from dibs.testing.stores.sqlite import SqliteStore

KEYS = (Secret("k" * 44),)


def lock(store: Any) -> Any:
    """Let every handle have the key."""
    open_plain = store.open

    async def open_locked(**settings: Any) -> Backend:
        backend: Backend = await open_plain(**{"encryption_keys": KEYS, **settings})
        return backend

    store.open = open_locked
    return store


class TestEncryptedMemory(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[MemoryStore]:
        yield lock(MemoryStore())


@pytest.mark.system
class TestEncryptedSqlite(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, tmp_path: Path) -> AsyncIterator[SqliteStore]:
        store = lock(SqliteStore(tmp_path))
        yield store
        await store.close()


@pytest.mark.system
class TestEncryptedPostgres(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, postgres_url: str) -> AsyncIterator[PostgresStore]:
        store = await PostgresStore.start(postgres_url)
        await store.reset()
        yield lock(store)
        await store.close()


@pytest.mark.system
class TestEncryptedRedis(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self, redis_url: str) -> AsyncIterator[RedisStore]:
        store = lock(RedisStore(redis_url))
        yield store
        await store.close()
