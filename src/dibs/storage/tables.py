"""The store of tables: one transaction a request or an action, with its tenant set for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Self

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from dibs.kit.clock import Clock, utc_now
from dibs.kit.encryption.encrypted import Cipher, NoCipher
from dibs.settings import ENCRYPTION_KEYS
from dibs.storage.database.address import TablesAddress, read_address
from dibs.storage.database.engines import WRITING, make_engine
from dibs.storage.database.faults import translating
from dibs.storage.database.unbroken import unbroken
from dibs.storage.policies import PRESENTED, TENANT
from dibs.storage.roles import TablesRole
from dibs.storage.sight import Sight
from dibs.storage.transaction import Transaction

# One round trip. All of it ends with the transaction, so a connection goes back to the pool as nobody's.
_OPENING = text(
    "SELECT set_config('transaction_read_only', :read_only, true),"
    " set_config('search_path', :schema, true), set_config('role', :role, true),"
    f" set_config('{TENANT}', :tenant, true), set_config('{PRESENTED}', :presented, true), statement_timestamp()"
)


class Tables:
    """Tables of services and apps. Nothing is opened before the first transaction.

    `clock` is for tests; without it, PostgreSQL's clock decides, or that of this machine, where the SQLite file is.
    """

    def __init__(
        self,
        address: TablesAddress,
        *,
        role: TablesRole = TablesRole.API,
        clock: Clock | None = None,
        cipher: Cipher | None = None,
    ) -> None:
        self.address = address
        self._role = role
        self._clock = clock
        self.cipher = cipher or NoCipher(ENCRYPTION_KEYS)
        self._engine = make_engine(address)

    @classmethod
    def at(
        cls,
        url: str,
        *,
        role: TablesRole = TablesRole.API,
        clock: Clock | None = None,
        cipher: Cipher | None = None,
    ) -> Self:
        """Use the tables at a URL."""
        return cls(read_address(url), role=role, clock=clock, cipher=cipher)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self, sight: Sight) -> AsyncIterator[Transaction]:
        """Read, as of one instant; nothing can be written."""
        async with self._begin(sight, is_writing=False) as transaction:
            yield transaction

    @asynccontextmanager
    async def writing(self, sight: Sight) -> AsyncIterator[Transaction]:
        """Read and write; commits at the end of the block, rolls back on an error."""
        async with self._begin(sight, is_writing=True) as transaction:
            yield transaction

    @asynccontextmanager
    async def _begin(self, sight: Sight, *, is_writing: bool) -> AsyncIterator[Transaction]:
        with translating(self.address.shown):
            opening = self._start(sight, is_writing=is_writing)
            connection, now = await unbroken(opening, undo=lambda opened: opened[0].close())
            try:
                yield Transaction(connection, sight, now, self.cipher)
                await unbroken(connection.commit())
            finally:
                # What is not committed is rolled back.
                await unbroken(connection.close())

    async def _start(self, sight: Sight, *, is_writing: bool) -> tuple[AsyncConnection, datetime]:
        connection = self._engine.connect()
        await connection.start()
        try:
            await connection.execution_options(**{WRITING: is_writing})
            await connection.begin()
            return connection, await self._open(connection, sight, is_writing=is_writing)
        except BaseException:
            await connection.close()
            raise

    async def _open(self, connection: AsyncConnection, sight: Sight, *, is_writing: bool) -> datetime:
        if not self.address.is_postgres:
            return (self._clock or utc_now)()
        settings = {
            "read_only": "off" if is_writing else "on",
            "schema": self.address.schema,
            "role": self._role.named(self.address.family),
            "tenant": sight.tenant,
            "presented": sight.presented,
        }
        row = (await connection.execute(_OPENING, settings)).one()
        stores: datetime = row[-1]
        return stores if self._clock is None else self._clock()
