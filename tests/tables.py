"""Stores of tables for tests: a file, or a schema with roles of its own in a real PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg

from dibs.access.tables import SECTION
from dibs.storage.address import read_address
from dibs.storage.migrating import TablesSchema
from dibs.storage.roles import TablesRole


@asynccontextmanager
async def schema_of_its_own(postgres_url: str) -> AsyncIterator[str]:
    """A URL whose tables and roles are there for one test."""
    family = f"t_{uuid4().hex[:12]}"
    yield f"{postgres_url}{'&' if '?' in postgres_url else '?'}schema={family}"
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(
        f'DROP SCHEMA IF EXISTS "{family}_tables" CASCADE; DROP SCHEMA IF EXISTS "{family}" CASCADE'
    )
    for role in TablesRole:
        await connection.execute(f'DROP ROLE IF EXISTS "{role.named(family)}"')
    await connection.close()


async def migrate(url: str) -> list[str]:
    """Make the tables."""
    return await TablesSchema(url, [SECTION]).migrate()


def with_size(url: str, size: int) -> str:
    """The same store, with a pool of that many connections."""
    return f"{url}{'&' if '?' in url else '?'}pool_size={size}"


async def connect_plainly(url: str) -> asyncpg.Connection:
    """A connection of the user in the URL, past everything of ours, for a look at the whole."""
    address = read_address(url)
    connection = await asyncpg.connect(address.target)
    await connection.execute(f'SET search_path TO "{address.schema}"')
    return connection
