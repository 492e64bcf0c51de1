"""Transactions of our own, for handlers that want theirs to end with the job."""

import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from dibs.backends.sqlite.threads.block import Block
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Transaction


class BlockConnection:
    """The connection that a handler gets: its statements run one after another in the writer's thread."""

    def __init__(self, block: Block) -> None:
        self.block = block

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and give its rows."""
        return await self.block.run(lambda transaction: _execute(transaction, sql, parameters))

    async def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement for each set of parameters; tells how many rows changed."""
        given = list(rows)
        return await self.block.run(lambda transaction: _execute_many(transaction, sql, given))


class SqliteTransactions:
    """Each in the writer's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[BlockConnection]:
        """Open one; the write lock is taken at the first statement."""
        block = Block(self._database.hold)
        try:
            yield BlockConnection(block)
        except BaseException:
            await block.roll_back()
            raise
        await block.commit()


def _execute(transaction: Transaction, sql: str, parameters: Sequence[Any]) -> list[Row]:
    _refuse_transaction_control(sql)
    return transaction.query(sql, tuple(parameters))


def _execute_many(transaction: Transaction, sql: str, rows: list[Sequence[Any]]) -> int:
    _refuse_transaction_control(sql)
    transaction.cursor.executemany(sql, rows)
    return transaction.cursor.rowcount


def _refuse_transaction_control(sql: str) -> None:
    word = sql.lstrip().partition(" ")[0].rstrip(";").upper()
    if word in ("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"):
        message = f"{word}: the block itself begins and ends the transaction. Leave the block, or raise to undo it."
        raise sqlite3.ProgrammingError(message)
