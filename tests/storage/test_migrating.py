"""Migrations: applied once, whoever comes first; and the tables are those that the code declares."""

import asyncio
import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from dibs.errors import SchemaMismatch, StoreAccessDenied, StoreUnavailable
from dibs.storage.database.address import read_address
from dibs.storage.database.engines import make_engine
from dibs.storage.migrating import VERSIONS
from dibs.storage.registry import METADATA, find_ownership
from dibs.storage.roles import TablesRole
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.tables import POSTINGS, WANTED, connect_plainly, migrate, schema_at

# Of what builds on each other, a store names only the last.
HEADS = tuple(name for name in WANTED if name not in POSTINGS[:-1])
PROGRAM = """
import asyncio, sys
from dibs.assembly import find_tables_schema
from dibs.settings import Settings
print(asyncio.run(find_tables_schema(settings=Settings(tables_url=sys.argv[1])).migrate()))
"""


async def test_an_empty_store_lacks_everything_and_a_migrated_one_nothing(empty_url):
    schema = schema_at(empty_url)
    before = await schema.state()
    assert (before.found, before.is_usable, before.missing) == ((), False, WANTED)
    assert await schema.migrate() == list(WANTED)
    after = await schema.state()
    assert (after.found, after.is_usable, after.missing) == (HEADS, True, ())
    assert await schema.migrate() == []


async def test_a_look_makes_no_file(tmp_path):
    await schema_at(f"sqlite:///{tmp_path}/none.db").state()
    assert list(tmp_path.iterdir()) == []


async def test_the_file_is_for_its_owner_only(tmp_path):
    await migrate(f"sqlite:///{tmp_path}/tables.db")
    assert (tmp_path / "tables.db").stat().st_mode & 0o077 == 0


async def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreUnavailable, match="no folder"):
        await migrate(f"sqlite:///{tmp_path}/nowhere/tables.db")


async def test_a_file_that_cannot_be_made_is_told_with_what_to_do():
    # Not even root makes a file there.
    with pytest.raises(StoreAccessDenied, match=r"tables\.db for the tables cannot be made .* right to write"):
        await migrate("sqlite:////dev/fd/tables.db")


def migrate_in_processes(url, count):
    command = [sys.executable, "-c", PROGRAM, url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    answers = [process.communicate(timeout=120)[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return sorted(answers, key=len)


async def test_of_processes_that_migrate_at_once_one_does_it(empty_url):
    answers = await asyncio.to_thread(migrate_in_processes, empty_url, 3)
    assert answers == ["[]", "[]", str(list(WANTED))]


@pytest.mark.system
async def test_of_ten_processes_that_migrate_at_once_one_does_it(empty_url):
    answers = await asyncio.to_thread(migrate_in_processes, empty_url, 10)
    assert answers == [*["[]"] * 9, str(list(WANTED))]


async def test_the_migrated_tables_are_the_declared_ones(url):
    address = read_address(url)
    engine = make_engine(address)

    def compare(connection):
        options = {"version_table": VERSIONS, "compare_type": True, "include_name": is_ours}
        return compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)

    def is_ours(name, kind, _):
        return kind != "table" or name in METADATA.tables

    async with engine.connect() as connection:
        if address.is_postgres:
            await connection.execute(text(f'SET search_path TO "{address.schema}"'))
        assert await connection.run_sync(compare) == []
    await engine.dispose()


async def test_tables_without_migrations_are_refused_with_what_to_do(empty_url):
    with pytest.raises(SchemaMismatch, match="dibs db migrate"):
        await schema_at(empty_url).check()


async def test_tables_of_a_newer_version_are_refused(url):
    async with Tables.at(url, role=TablesRole.OWNER) as tables, tables.writing(sight_of(None)) as transaction:
        await transaction._connection.execute(
            text(f"UPDATE {VERSIONS} SET version_num = 'access_9999' WHERE version_num = 'access_0001'")
        )
    for work in (schema_at(url).check, schema_at(url).migrate):
        with pytest.raises(SchemaMismatch, match="newer Dibs"):
            await work()


def test_every_declared_table_says_whose_its_rows_are():
    assert [table.name for table in METADATA.tables.values() if find_ownership(table) is None] == []


async def test_every_table_is_under_forced_row_level_security(server_url):
    connection = await connect_plainly(server_url)
    rows = await connection.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'"
        " AND NOT (relrowsecurity AND relforcerowsecurity)",
        read_address(server_url).schema,
    )
    assert [row["relname"] for row in rows] == [VERSIONS]
    await connection.close()


async def test_none_of_the_three_roles_bypasses_it_or_logs_in(server_url):
    names = [role.named(read_address(server_url).family) for role in TablesRole]
    connection = await connect_plainly(server_url)
    rows = await connection.fetch(
        "SELECT rolname, rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole AS is_strong"
        " FROM pg_roles WHERE rolname = ANY($1)",
        names,
    )
    assert {row["rolname"]: row["is_strong"] for row in rows} == dict.fromkeys(names, False)
    await connection.close()
