"""Where the tables are, and what is said when they are not there."""

import asyncio
import subprocess
import sys

import pytest
from sqlalchemy import select

from dibs.access.tables import KEYS, TENANTS
from dibs.errors import BadInput, SchemaMismatch, StoreAccessDenied, StoreError, StoreUnavailable, UnknownBackend
from dibs.settings import Settings
from dibs.storage.database.address import find_tables_url, read_address
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.tables import connect_plainly

SLIM = """
import sys
for name in ("sqlalchemy", "alembic", "aiosqlite", "argon2", "asyncpg"):
    sys.modules[name] = None
from dibs.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"url": "sqlite:///jobs.db?synchronous=normal"}, "sqlite:///jobs.db?synchronous=normal"),
        ({"url": "postgresql://h/d"}, "postgresql://h/d"),
        ({"url": "redis://h"}, "sqlite:///dibs-tables.db"),
        ({"url": "redis://h", "data": "/var/lib/di bs"}, "sqlite:////var/lib/di%20bs/dibs-tables.db"),
        ({"url": "sqlite:///jobs.db", "tables_url": "postgresql://h/d"}, "postgresql://h/d"),
    ],
)
def test_tables_are_where_they_are_set_or_beside_the_jobs(settings, expected):
    assert find_tables_url(Settings(**settings)) == expected


def test_a_folder_of_data_holds_the_jobs_as_well():
    settings = Settings.from_env({"DIBS_DATA": "/var/lib/di bs"})
    assert settings.url == "sqlite:////var/lib/di%20bs/dibs.db"
    assert read_address(find_tables_url(settings)).target == "/var/lib/di bs/dibs.db"
    assert Settings.from_env({"DIBS_DATA": "x", "DIBS_URL": "redis://h"}).url == "redis://h"


def test_the_address_of_a_server_is_shown_without_its_password():
    address = read_address("postgresql://ann:s3cret@h:5433/d?schema=shop&pool_size=7&notices=off&pooler=transaction")
    assert (address.shown, address.schema, address.pool_size, address.is_split) == ("h:5433/d", "shop_tables", 7, True)
    assert "schema" not in address.target
    assert "notices" not in address.target


@pytest.mark.parametrize(
    "url",
    [
        "redis://h",
        "nonsense",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://h/d?schema=Bad-Name",
        "postgresql://h/d?schema=pg_x",
        "sqlite:///x.db?pool_size=0",
        "sqlite:///x.db?pool_size=many",
        f"sqlite:///x.db?pool_size={'9' * 5_000}",
        "sqlite:///a%00b",
        "postgresql://h:port/d",
        "postgresql://[/d",
    ],
)
def test_an_odd_url_is_refused(url):
    with pytest.raises((BadInput, UnknownBackend)):
        read_address(url)


async def ask(url):
    async with Tables.at(url) as tables, tables.reading(sight_of("acme")) as transaction:
        await transaction.fetch(select(KEYS.c.id))


async def test_a_store_without_tables_says_what_to_do(empty_url):
    with pytest.raises(StoreError, match="dibs db migrate"):
        await ask(empty_url)


async def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "text.db").write_text("not a database" * 1_000)
    with pytest.raises(StoreError, match="is no SQLite file"):
        await ask(f"sqlite:///{tmp_path}/text.db")


async def test_a_server_that_is_away_is_told_without_its_password():
    with pytest.raises(StoreUnavailable) as told:
        await ask("postgresql://ann:s3cret@127.0.0.1:1/none")
    assert "127.0.0.1:1/none" in str(told.value)
    assert "s3cret" not in str(told.value)


async def test_a_file_without_tables_is_told(tmp_path):
    (tmp_path / "empty.db").touch()
    with pytest.raises(SchemaMismatch):
        await ask(f"sqlite:///{tmp_path}/empty.db")


async def test_what_goes_wrong_is_told_without_values(url):
    with pytest.raises(BadInput) as told:
        async with Tables.at(url) as tables, tables.writing(sight_of("acme")) as transaction:
            await transaction.add(TENANTS, name="acme", created_at=transaction.now)
            await transaction.fetch(select(KEYS).where(KEYS.c.name == "s3cret \ud800"))
    assert "s3cret" not in str(told.value)


async def test_a_block_that_fails_leaves_nothing_behind(url):
    async with Tables.at(url) as tables:
        with pytest.raises(ZeroDivisionError):
            async with tables.writing(sight_of("acme")) as transaction:
                await transaction.add(TENANTS, name="acme", created_at=transaction.now)
                raise ZeroDivisionError
        async with tables.reading(sight_of("acme")) as transaction:
            assert await transaction.fetch(select(TENANTS)) == []


async def test_writers_at_the_same_time_wait_for_each_other(url):
    async def add(number):
        async with Tables.at(url) as tables, tables.writing(sight_of(f"tenant-{number}")) as transaction:
            await transaction.fetch(select(TENANTS))
            await asyncio.sleep(0)
            await transaction.add(TENANTS, name=f"tenant-{number}", created_at=transaction.now)

    await asyncio.gather(*(add(number) for number in range(10)))
    async with Tables.at(url) as tables, tables.reading(sight_of(None)) as transaction:
        assert len(await transaction.fetch(select(TENANTS))) == 10


async def test_a_login_that_is_no_member_is_refused_and_one_that_is_serves(server_url):
    login = f"login_{read_address(server_url).family}"
    connection = await connect_plainly(server_url)
    await connection.execute(f'CREATE ROLE "{login}" LOGIN')
    url = server_url.replace("postgresql://postgres@", f"postgresql://{login}@")
    try:
        with pytest.raises(StoreAccessDenied):
            await ask(url)
        await connection.execute(f'GRANT "{read_address(server_url).family}_api" TO "{login}"')
        await ask(url)
    finally:
        await connection.execute(f'DROP ROLE "{login}"')
        await connection.close()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["db", "migrate", "--json"], 0, '"tables":null'),
        (["keys", "list"], 8, "pip install 'dibs[server]'"),
        (["keys", "--help"], 0, "rotate"),
    ],
)
def test_without_the_extra_the_command_line_works_and_names_it(tmp_path, arguments, code, said):
    done = subprocess.run(
        [sys.executable, "-c", SLIM, *arguments],
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done
