"""The layout of the store, brought up to date step by step."""

from asyncpg.pool import PoolConnectionProxy

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.store.protocols import SchemaState

# Each version of the schema, and the oldest code that it still serves.
VERSIONS = dict.fromkeys(range(1, 19), 1)
WANTED = max(VERSIONS)
_MIGRATION_SECONDS = 3600.0


class PostgresSchema:
    """Versioned by the table `schema_version`."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def state(self) -> SchemaState:
        """Look, without changing anything."""
        return await self._connections.work(self._look)

    async def migrate(self) -> list[int]:
        """Bring the store up to date, in one transaction."""
        return await self._connections.work(self._migrate)

    async def _look(self, connection: PoolConnectionProxy) -> SchemaState:
        seen = await connection.fetchrow(self._sql["schema/look"], self._sql.schema)
        row = await connection.fetchrow(self._sql["schema/read_version"]) if seen and seen["has_version"] else None
        found, oldest = (row["version"], row["oldest_code"]) if row else (0, 0)
        return SchemaState(found=found, wanted=WANTED, oldest_code=oldest)

    async def _migrate(self, connection: PoolConnectionProxy) -> list[int]:
        # Many processes may start at once: the first one works, the others then find everything done.
        await connection.execute(self._sql["schema/lock_migrations"], self._sql.schema, timeout=_MIGRATION_SECONDS)
        await self._create_schema(connection)
        found = (await self._look(connection)).found
        missing = [version for version in VERSIONS if version > found]
        for version in missing:
            await self._apply(connection, version)
        return missing

    async def _create_schema(self, connection: PoolConnectionProxy) -> None:
        # Asked first: IF NOT EXISTS wants the right to create even where there is nothing to do.
        seen = await connection.fetchrow(self._sql["schema/look"], self._sql.schema)
        if not (seen and seen["has_schema"]):
            await connection.execute(self._sql["schema/create"])

    async def _apply(self, connection: PoolConnectionProxy, version: int) -> None:
        # Functions call each other; bodies are not looked into before all of them are there.
        await connection.execute("SET LOCAL check_function_bodies = off")
        for script in self._sql.migration(version):
            await connection.execute(script, timeout=_MIGRATION_SECONDS)
        await connection.execute(self._sql["schema/record_version"], version, VERSIONS[version])
