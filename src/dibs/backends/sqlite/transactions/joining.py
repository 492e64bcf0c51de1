"""Joining a transaction that the caller has begun, on a connection of its own to the same file.

Nothing of SQLAlchemy is imported: its connections are known by what they can do.
"""

import sqlite3
from typing import Any

from dibs.backends.sqlite.faults import explain
from dibs.backends.sqlite.threads.connections import identity
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.blocks import BlockConnection
from dibs.backends.sqlite.transactions.transaction import KEEP, SAVEPOINT, UNDO, Operation, Result, Transaction
from dibs.errors import BadInput

_KINDS = "Pass a sqlite3.Connection, or a Connection or AsyncConnection of SQLAlchemy."


async def run_joined(database: Database, operation: Operation[Result], connection: Any = None) -> Result:
    """Run an operation in a transaction of its own, in a block's, or in the caller's."""
    if connection is None:
        return await database.write(operation)
    path = database.address.path
    if not isinstance(connection, BlockConnection):
        return await run_in_callers_transaction(operation, connection, path)
    try:
        return await connection.block.run(operation)
    except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
        raise explain(error, path) from error


async def run_in_callers_transaction(operation: Operation[Result], connection: Any, path: str) -> Result:
    """Run an operation so that it commits or rolls back with the caller's writes."""
    if hasattr(connection, "run_sync"):
        result: Result = await connection.run_sync(lambda bridged: _join(operation, bridged, path))
        return result
    return _join(operation, connection, path)


def _join(operation: Operation[Result], connection: Any, path: str) -> Result:
    try:
        driver, cursor = _open_cursor(connection)
        _check_file(cursor, path)
        _check_transaction(driver, cursor)
        return _run_under_savepoint(operation, cursor)
    except sqlite3.ProgrammingError as error:
        message = f"the connection cannot be used here ({error}). Pass one that is open and belongs to this thread."
        raise BadInput(message) from error
    except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
        raise explain(error, path) from error


def _open_cursor(connection: Any) -> tuple[Any, Any]:
    """Give the driver's connection, and a cursor that yields plain rows."""
    if isinstance(connection, sqlite3.Connection):
        cursor = connection.cursor()
        cursor.row_factory = None
        return connection, cursor
    if not hasattr(connection, "in_transaction") or not hasattr(connection, "connection"):
        message = f"{type(connection).__name__} is not a connection that Dibs can join. {_KINDS}"
        raise BadInput(message)
    if not connection.in_transaction():
        connection.begin()
    return connection.connection.driver_connection, connection.connection.cursor()


def _check_file(cursor: Any, path: str) -> None:
    cursor.execute("PRAGMA database_list")
    file = next((file for _, name, file in cursor.fetchall() if name == "main"), "")
    if not file or identity(file) != identity(path):
        message = f"the connection is on {file or 'no file'!r}, the jobs are in {path!r}. Use the same file."
        raise BadInput(message)


def _check_transaction(driver: Any, cursor: Any) -> None:
    """Begin where the driver would begin by itself at the first write; refuse where every write commits at once."""
    if driver.in_transaction:
        return
    if driver.isolation_level is None:
        message = "the connection is in autocommit mode and has no open transaction. Run BEGIN IMMEDIATE on it first."
        raise BadInput(message)
    cursor.execute("BEGIN IMMEDIATE")


def _run_under_savepoint(operation: Operation[Result], cursor: Any) -> Result:
    cursor.execute(SAVEPOINT)
    transaction = Transaction(cursor)
    try:
        result = operation(transaction)
        transaction.count_notices()
    except BaseException:
        cursor.execute(UNDO)
        raise
    finally:
        cursor.execute(KEEP)
    return result
