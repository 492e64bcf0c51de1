"""One transaction, of one tenant."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, Delete, RowMapping, Select, Table, Update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from dibs.storage.confining import confine_reading, confine_writing, fit_row
from dibs.storage.sight import Sight
from dibs.storage.unbroken import unbroken


class Transaction:
    """Reads and writes the rows in sight. `now` is the store's time when it began."""

    def __init__(self, connection: AsyncConnection, sight: Sight, now: datetime) -> None:
        self._connection = connection
        self.sight = sight
        self.now = now

    async def fetch(self, question: Select[Any]) -> Sequence[RowMapping]:
        """Read all rows that are asked for."""
        result = await unbroken(self._connection.execute(confine_reading(question, self.sight)))
        return result.mappings().all()

    async def find(self, question: Select[Any]) -> RowMapping | None:
        """Read the first row that is asked for, if there is one."""
        result = await unbroken(self._connection.execute(confine_reading(question, self.sight)))
        return result.mappings().first()

    async def change(self, change: Update | Delete) -> int:
        """Change or delete the transaction's own rows, and tell how many."""
        result: CursorResult[Any] = await unbroken(self._connection.execute(confine_writing(change, self.sight)))
        return result.rowcount

    async def add(self, table: Table, **row: Any) -> None:
        """Add a row."""
        await unbroken(self._connection.execute(table.insert(), fit_row(table, row, self.sight)))

    async def add_if_new(self, table: Table, **row: Any) -> bool:
        """Add a row, unless one with the same key is there."""
        insert = postgresql.insert if self._connection.dialect.name == "postgresql" else sqlite.insert
        statement = insert(table).on_conflict_do_nothing()
        result = await unbroken(self._connection.execute(statement, fit_row(table, row, self.sight)))
        return result.rowcount == 1
