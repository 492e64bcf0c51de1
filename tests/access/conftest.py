"""Who may do what, on SQLite and on PostgreSQL."""

import asyncio
import shutil
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import argon2
import pytest

from dibs.access.actions import create_tenant
from dibs.access.directory import Directory
from dibs.access.model import by_system
from dibs.access.secrets import Passwords
from dibs.storage.database.address import read_address
from dibs.storage.tables import Tables
from tests.tables import add_option, drop_family, empty, migrate

# The weakest parameters there are: the strength of the hash is not what is tested.
QUICK = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
BOSS = by_system("boss", "a test")


class Hands:
    """A clock that tests move."""

    def __init__(self):
        self.at = datetime(2027, 1, 31, 12, tzinfo=UTC)

    def __call__(self):
        return self.at

    def advance(self, span: timedelta):
        self.at += span


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory):
    """A file with empty tables, to be copied: migrating takes longer than most tests."""
    file = tmp_path_factory.mktemp("tables") / "tables.db"
    asyncio.run(migrate(f"sqlite:///{file}"))
    return file


@pytest.fixture(scope="session")
def migrated_schema(postgres_url):
    """A schema with tables, to be emptied after each test."""
    family = f"t_{uuid4().hex[:12]}"
    url = add_option(postgres_url, f"schema={family}")
    asyncio.run(migrate(url))
    yield url
    asyncio.run(drop_family(postgres_url, family))


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("migrated_schema")
    shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "tables.db")
    return f"sqlite:///{tmp_path}/tables.db"


@pytest.fixture
async def url(place):
    yield place
    if read_address(place).is_postgres:
        await empty(place)


@pytest.fixture
def clock():
    return Hands()


@pytest.fixture
async def tables(url, clock):
    async with Tables.at(url, clock=clock) as opened:
        yield opened


@pytest.fixture
async def directory(tables):
    made = Directory(tables, passwords=Passwords(QUICK))
    for name in ("acme", "globex"):
        await create_tenant(made, name, BOSS)
    return made
