"""The page of PostgreSQL's functions says which there are, and where each of them stands."""

from uuid import uuid4

import asyncpg
import pytest

from dibs.assembly import open_backend
from docs.site.functions import find_functions, write_page
from tests.docs.pages import DOCS
from tests.tables import add_option, drop_family

PAGE = DOCS / "reference" / "backends" / "postgres-functions.md"
CATALOG = """
    SELECT proname, prosrc FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE nspname = $1
"""


@pytest.fixture
async def made(postgres_url):
    """What a new store has, as the server shows it: the bodies that go by each name."""
    schema = f"t_{uuid4().hex[:12]}"
    async with await open_backend(add_option(postgres_url, f"schema={schema}")) as backend:
        await backend.schema.migrate()
    connection = await asyncpg.connect(postgres_url)
    try:
        rows = await connection.fetch(CATALOG, schema)
    finally:
        await connection.close()
        await drop_family(postgres_url, schema)
    bodies: dict[str, set[str]] = {}
    for name, body in rows:
        bodies.setdefault(name, set()).add(body.replace(f'"{schema}"', "{schema}"))
    return bodies


def test_the_page_is_the_one_that_the_migrations_give():
    assert PAGE.read_text() == write_page(), f"run: python -m docs.site.functions > {PAGE.relative_to(DOCS.parent)}"


async def test_every_function_of_a_new_store_is_the_one_in_the_file_that_the_page_names(made):
    told = find_functions()
    assert sorted(told) == sorted(made)
    assert [name for name, one in told.items() if one.body not in made[name]] == []
