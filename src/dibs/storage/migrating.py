"""Migrations of all sections, by Alembic, without its files and its command line."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection

from dibs.errors import SchemaMismatch, StoreAccessDenied, StoreUnavailable
from dibs.storage.database.address import TablesAddress, read_address
from dibs.storage.database.engines import WRITING, make_engine
from dibs.storage.database.faults import translating
from dibs.storage.registry import METADATA, Section
from dibs.storage.roles import TablesRole, create_role

VERSIONS = "dibs_tables_versions"
# Alembic keeps the migration that runs in a global.
_one_at_a_time = threading.Lock()
Answer = TypeVar("Answer")


class TablesState(msgspec.Struct, frozen=True, kw_only=True):
    """Which migrations the store has, and which this code wants; `missing` are still to be applied."""

    found: tuple[str, ...]
    wanted: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def is_usable(self) -> bool:
        """Whether this code can work on these tables."""
        return not self.missing and not self.unknown


class TablesSchema:
    """The layout of the tables at a URL."""

    def __init__(self, url: str, sections: Sequence[Section]) -> None:
        self._address = read_address(url)
        folders = [section.migrations for section in sections]
        self._scripts = ScriptDirectory(str(folders[0].parent), version_locations=list(map(str, folders)))

    @property
    def shown(self) -> str:
        """Name the store, without a password."""
        return self._address.shown

    async def state(self) -> TablesState:
        """Look, without changing anything."""
        if not self._address.is_postgres and _is_missing(self._address):
            return self._judge(())
        return await self._aside(self._look)

    async def migrate(self) -> list[str]:
        """Apply what is missing, in one transaction; safe when many processes do it at once."""
        if (await self.state()).is_usable:
            # Whoever may not migrate may still find that there is nothing to do.
            return []
        if not self._address.is_postgres:
            _make_file(self._address)
        return await self._aside(self._migrate)

    async def check(self) -> None:
        """Refuse tables that do not fit."""
        state = await self.state()
        if not state.is_usable:
            raise SchemaMismatch(explain_tables(state, self._address.shown))

    async def _aside(self, work: Callable[[AsyncConnection], Awaitable[Answer]]) -> Answer:
        """Work in a thread with an event loop of its own: Alembic must not be interrupted by another migration."""

        async def connect() -> Answer:
            engine = make_engine(self._address)
            try:
                async with engine.connect() as plain:
                    connection = await plain.execution_options(**{WRITING: True})
                    async with connection.begin():
                        return await work(connection)
            finally:
                await engine.dispose()

        def run() -> Answer:
            with _one_at_a_time, translating(self._address.shown):
                return asyncio.run(connect())

        return await asyncio.to_thread(run)

    async def _look(self, connection: AsyncConnection) -> TablesState:
        schema = self._address.schema if self._address.is_postgres else None
        if not await connection.run_sync(lambda sync: inspect(sync).has_table(VERSIONS, schema)):
            return self._judge(())
        if self._address.is_postgres:
            await connection.execute(text("SELECT set_config('search_path', :schema, true)"), {"schema": schema})
        return self._judge(await connection.run_sync(self._read_heads))

    def _read_heads(self, connection: Connection) -> tuple[str, ...]:
        context = MigrationContext.configure(connection, opts={"version_table": VERSIONS})
        return tuple(sorted(context.get_current_heads()))

    def _judge(self, found: tuple[str, ...]) -> TablesState:
        known = {script.revision for script in self._scripts.walk_revisions()}
        applied = {one for head in found if head in known for one in self._ancestors(head)}
        return TablesState(
            found=found,
            wanted=tuple(sorted(self._scripts.get_heads())),
            missing=tuple(sorted(known - applied)),
            unknown=tuple(sorted(set(found) - known)),
        )

    def _ancestors(self, head: str) -> list[str]:
        return [script.revision for script in self._scripts.iterate_revisions(head, "base")]

    async def _migrate(self, connection: AsyncConnection) -> list[str]:
        if self._address.is_postgres:
            await _prepare_server(connection, self._address)
        before = await self._look(connection)
        if before.unknown:
            raise SchemaMismatch(explain_tables(before, self._address.shown))
        if before.missing:
            await connection.run_sync(self._upgrade)
        return list(before.missing)

    def _upgrade(self, connection: Connection) -> None:
        def plan(revision: Any, _: MigrationContext) -> Any:
            return self._scripts._upgrade_revs("heads", revision)  # noqa: SLF001 - as Alembic's own command does

        with EnvironmentContext(Config(), self._scripts, fn=plan) as environment:
            environment.configure(
                connection=connection,
                target_metadata=METADATA,
                version_table=VERSIONS,
                dibs_family=self._address.family,
            )
            environment.run_migrations()
        if self._address.is_postgres:
            readers = ", ".join(f'"{role.named(self._address.family)}"' for role in (TablesRole.API, TablesRole.WORKER))
            connection.execute(text(f'GRANT SELECT ON "{VERSIONS}" TO {readers}'))


def explain_tables(state: TablesState, shown: str) -> str:
    """Say why tables cannot be used, and what to do."""
    if state.unknown:
        return f"the tables in {shown} are of a newer Dibs ({', '.join(state.unknown)}). Upgrade Dibs."
    return f"the tables in {shown} lack {', '.join(state.missing)}. Run dibs db migrate."


def _is_missing(address: TablesAddress) -> bool:
    return not Path(address.target).exists()


def _make_file(address: TablesAddress) -> None:
    file = Path(address.target)
    if not file.parent.is_dir():
        message = f"there is no folder {file.parent} for the tables. Make it, or correct DIBS_TABLES_URL."
        raise StoreUnavailable(message)
    # Hashes of passwords will be in it: nobody else on this machine needs to read them.
    try:
        file.touch(mode=0o600)
    except OSError as cause:
        message = f"the file {file} for the tables cannot be made ({cause.strerror})."
        raise StoreAccessDenied(f"{message} Give this user the right to write there, or name another place.") from cause


async def _prepare_server(connection: AsyncConnection, address: TablesAddress) -> None:
    """Make roles and schema, and go on as their owner. The lock makes other processes wait until all is done."""
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
    await connection.execute(lock, {"name": f"dibs tables {address.schema}"})
    owner = TablesRole.OWNER.named(address.family)
    if not await _has_schema(connection, address.schema):
        for role in TablesRole:
            await connection.exec_driver_sql(create_role(role.named(address.family)))
        await connection.execute(text(f'CREATE SCHEMA "{address.schema}" AUTHORIZATION "{owner}"'))
    await connection.execute(text(f'SET LOCAL ROLE "{owner}"'))
    await connection.execute(text(f'SET LOCAL search_path TO "{address.schema}"'))
    for role in (TablesRole.API, TablesRole.WORKER):
        usage = f'GRANT USAGE ON SCHEMA "{address.schema}" TO "{role.named(address.family)}"'
        await connection.execute(text(usage))


async def _has_schema(connection: AsyncConnection, name: str) -> bool:
    found = await connection.execute(text("SELECT to_regnamespace(:name) IS NOT NULL"), {"name": f'"{name}"'})
    return bool(found.scalar_one())
