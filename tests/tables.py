"""Stores of tables for tests: a file, or a schema with roles of its own in a real PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg

from dibs.assembly import find_tables_schema
from dibs.settings import Settings
from dibs.storage.database.address import read_address
from dibs.storage.migrating import TablesSchema
from dibs.storage.registry import METADATA
from dibs.storage.roles import TablesRole

# What migrating an empty store applies.
POSTINGS = ("postings_0001", "postings_0002", "postings_0003", "postings_0004")
WANTED = ("access_0001", *POSTINGS, "resumes_0001", "web_0001", "webhooks_0001")


@asynccontextmanager
async def schema_of_its_own(postgres_url: str) -> AsyncIterator[str]:
    """A URL whose tables and roles are there for one test."""
    family = f"t_{uuid4().hex[:12]}"
    yield add_option(postgres_url, f"schema={family}")
    await drop_family(postgres_url, family)


async def drop_family(postgres_url: str, family: str) -> None:
    """Take schemas and roles away."""
    connection = await asyncpg.connect(postgres_url)
    for schema in (f"{family}_tables", family):
        await connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
    for role in TablesRole:
        await connection.execute(f'DROP ROLE IF EXISTS "{role.named(family)}"')
    await connection.close()


async def empty(url: str) -> None:
    """Take all rows of all tables away."""
    connection = await connect_plainly(url)
    for name in METADATA.tables:
        await connection.execute(f'DELETE FROM "{name}"')
    await connection.close()


def add_option(url: str, option: str) -> str:
    """Add an option to a URL."""
    return f"{url}{'&' if '?' in url else '?'}{option}"


async def migrate(url: str) -> list[str]:
    """Make the tables."""
    return await schema_at(url).migrate()


def schema_at(url: str) -> TablesSchema:
    """The layout of the tables of everything installed."""
    return find_tables_schema(settings=Settings(tables_url=url))


async def connect_plainly(url: str) -> asyncpg.Connection:
    """A connection of the user in the URL, past everything of ours, for a look at the whole."""
    address = read_address(url)
    connection = await asyncpg.connect(address.target)
    await connection.execute(f'SET search_path TO "{address.schema}"')
    return connection
