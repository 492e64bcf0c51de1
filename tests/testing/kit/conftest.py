"""The office, alone and in the kit's hands, on each store."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from dibs.testing import Kit, MemoryStore, PostgresStore, RedisStore, SqliteStore
from dibs.testing.harness import StoreHarness
from tests.testing.kit.office import Office


@pytest.fixture
def office() -> Office:
    return Office()


@pytest_asyncio.fixture
async def kit(office: Office) -> AsyncIterator[Kit]:
    """On memory, as most tests have it."""
    async with Kit(office.app) as kit:
        yield kit


@pytest_asyncio.fixture(params=["memory", "sqlite", "postgres", "redis"])
async def any_store(request: Any, tmp_path: Path) -> AsyncIterator[StoreHarness]:
    store = await _open(request.param, request, tmp_path)
    await store.reset()
    yield store
    await store.close()


@pytest_asyncio.fixture
async def any_kit(office: Office, any_store: StoreHarness) -> AsyncIterator[Kit]:
    """On each of the four."""
    async with Kit(office.app, store=any_store) as kit:
        yield kit


async def _open(name: str, request: Any, folder: Path) -> StoreHarness:
    if name == "postgres":
        return await PostgresStore.start(request.getfixturevalue("postgres_url"))
    if name == "redis":
        return RedisStore(request.getfixturevalue("redis_url"))
    return SqliteStore(folder) if name == "sqlite" else MemoryStore()
