"""A role of PostgreSQL that may make nothing uses a cache that was made for it; where there is none, none is kept."""

from urllib.parse import urlsplit

import asyncpg
import pytest

from dibs.errors import StoreAccessDenied
from dibs.kit.ids import new_id
from dibs.outside.cache.opening import grant_cache
from dibs.outside.cache.postgres.store import PostgresCache
from dibs.outside.cache.records import CachePrune, CacheSize
from dibs.settings import Settings
from tests.outside.cache.conftest import CAP, HOUR, page, postgres_place, slot

EVERYTHING = CachePrune(limit=10, expired_only=False)


@pytest.fixture
async def place(postgres_url):
    async with postgres_place(postgres_url) as place:
        yield place


@pytest.fixture
async def role(postgres_url):
    name = f"program_{new_id().replace('-', '_')}"
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(f"CREATE ROLE {name} LOGIN")
    yield name
    await connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")
    await connection.close()


@pytest.fixture
async def theirs(place, role, postgres_url):
    parts = urlsplit(postgres_url)
    url = parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()
    store = PostgresCache(f"{url}?schema={place.store._address.schema.removesuffix('_cache')}", max_bytes=CAP)
    yield store
    await store.close()


async def test_where_nothing_was_made_nothing_is_kept_and_nothing_has_to_be_forgotten(theirs, role):
    assert await theirs.prune(EVERYTHING) == 0
    assert await theirs.measure() == CacheSize(pages=0, bodies=0, bytes=0)
    with pytest.raises(StoreAccessDenied, match="Grant it as its owner"):
        await theirs.grant(role)


async def test_who_was_let_in_keeps_finds_and_forgets_pages(place, theirs, role, postgres_url):
    schema = place.store._address.schema.removesuffix("_cache")
    await grant_cache(Settings(), f"{postgres_url}?schema={schema}", role)
    await theirs.put(slot(), page(), HOUR)
    assert await place.store.find(slot()) is not None
    assert await theirs.find(slot()) is not None
    assert await theirs.claim(slot(), "me", HOUR.fresh)
    assert await theirs.prune(EVERYTHING) == 1


@pytest.mark.parametrize("elsewhere", [{"cache_url": "memory://"}, {"cache_enabled": False}], ids=["away", "off"])
async def test_a_cache_elsewhere_is_left_alone(role, elsewhere, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("dibs.outside.cache.opening.import_module", opened.append)
    await grant_cache(Settings(**elsewhere), "postgresql://nobody.invalid/none", role)
    assert opened == []
