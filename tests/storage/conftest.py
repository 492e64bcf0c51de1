"""A store with tables, on SQLite and on PostgreSQL."""

import pytest

from tests.tables import migrate, schema_of_its_own


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_url(request, tmp_path):
    """A store without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/tables.db"
        return
    async with schema_of_its_own(request.getfixturevalue("postgres_url")) as url:
        yield url


@pytest.fixture
async def url(empty_url):
    """A store with empty tables."""
    await migrate(empty_url)
    return empty_url


@pytest.fixture
async def server_url(postgres_url):
    """Tables on PostgreSQL, for what only it has."""
    async with schema_of_its_own(postgres_url) as url:
        await migrate(url)
        yield url
