"""Who may do what, on SQLite and on PostgreSQL."""

import shutil
from datetime import UTC, datetime, timedelta

import argon2
import pytest

from dibs.access.actions import create_tenant
from dibs.access.directory import Directory
from dibs.access.model import by_system
from dibs.access.secrets import Passwords
from dibs.storage.database.address import read_address
from dibs.storage.tables import Tables
from tests.tables import empty

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
