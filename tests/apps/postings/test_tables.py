"""The migrated tables are those that the code declares."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from dibs.storage.address import read_address
from dibs.storage.engines import make_engine
from dibs.storage.migrating import VERSIONS
from dibs.storage.registry import METADATA


async def test_the_migrated_tables_are_the_declared_ones(url):
    address = read_address(url)
    engine = make_engine(address)

    def is_ours(thing, name, kind, *_):
        return kind != "table" or name.startswith("postings_")

    def compare(connection):
        options = {"version_table": VERSIONS, "compare_type": True, "include_object": is_ours}
        return compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)

    async with engine.connect() as connection:
        if address.is_postgres:
            await connection.execute(text(f'SET search_path TO "{address.schema}"'))
        assert await connection.run_sync(compare) == []
    await engine.dispose()
