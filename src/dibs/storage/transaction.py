"""One transaction, of one tenant."""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import CursorResult, Delete, RowMapping, Select, Table, Update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from dibs.kit.encryption.encrypted import Cipher
from dibs.storage.confining import confine_reading, confine_writing, fit_row
from dibs.storage.database.unbroken import unbroken
from dibs.storage.encryption.encrypting import Opening, close_change, close_row
from dibs.storage.sight import Sight


class Transaction:
    """Reads and writes the rows in sight. `now` is the store's time when it began."""

    def __init__(self, connection: AsyncConnection, sight: Sight, now: datetime, cipher: Cipher) -> None:
        self._connection = connection
        self._cipher = cipher
        self.sight = sight
        self.now = now

    async def fetch(self, question: Select[Any]) -> Sequence[RowMapping]:
        """Read all rows that are asked for."""
        opening = Opening(question)
        return opening.open(await self.fetch_kept(opening.question), self._cipher, self.sight.tenant)

    async def fetch_kept(self, question: Select[Any]) -> Sequence[RowMapping]:
        """Read them as they are kept: what is encrypted stays so."""
        result = await unbroken(self._connection.execute(confine_reading(question, self.sight)))
        return result.mappings().all()

    async def find(self, question: Select[Any]) -> RowMapping | None:
        """Read the first row that is asked for, if there is one."""
        opening = Opening(question)
        result = await unbroken(self._connection.execute(confine_reading(opening.question, self.sight)))
        row = result.mappings().first()
        return None if row is None else opening.open([row], self._cipher, self.sight.tenant)[0]

    def name_content(self, text: str) -> str:
        """Name a text by what it is. Where the tenant has a key, nobody without it can tell the one from the other."""
        if self._cipher.has_key(self.sight.tenant):
            return self._cipher.name_content(text.encode(), self.sight.tenant)
        return sha256(text.encode()).hexdigest()

    async def change(self, change: Update | Delete) -> int:
        """Change or delete the transaction's own rows, and tell how many."""
        if isinstance(change, Update):
            change = close_change(change, self._cipher, self.sight.tenant)
        return await self.change_kept(change)

    async def change_kept(self, change: Update | Delete) -> int:
        """Change them by what they keep: nothing is encrypted on the way."""
        result: CursorResult[Any] = await unbroken(self._connection.execute(confine_writing(change, self.sight)))
        return result.rowcount

    async def add(self, table: Table, **row: Any) -> None:
        """Add a row."""
        await unbroken(self._connection.execute(table.insert(), self._fit(table, row)))

    async def add_many(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Add rows with the same columns, all or none."""
        if rows:
            await unbroken(self._connection.execute(table.insert(), [self._fit(table, row) for row in rows]))

    async def add_if_new(self, table: Table, **row: Any) -> bool:
        """Add a row, unless one with the same key is there."""
        insert = postgresql.insert if self._connection.dialect.name == "postgresql" else sqlite.insert
        statement = insert(table).on_conflict_do_nothing()
        result = await unbroken(self._connection.execute(statement, self._fit(table, row)))
        return result.rowcount == 1

    def _fit(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        return close_row(table, fit_row(table, row, self.sight), self._cipher, self.sight.tenant)
