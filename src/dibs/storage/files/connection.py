"""A connection to a SQLite file that asks its thread once a statement, and stands in line for the file's one writer.

The driver goes to its thread for the cursor, the statement, the rows and the end of the cursor: four ways for one
question. SQLite's own wait for the writer sleeps longer and longer, up to a tenth of a second, and who has waited
longest loses to whoever comes at the right moment.
"""

import random
import sqlite3
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Self
from urllib.parse import quote

import aiosqlite

BUSY_SECONDS = 30.0
BEGIN_READING = "BEGIN"
BEGIN_WRITING = "BEGIN IMMEDIATE"
_BETWEEN_TRIES_SECONDS = 0.001
_ROWS_AT_ONCE = 64


class FileConnection(aiosqlite.Connection):
    """A connection of the driver, with cursors of our own."""

    def cursor(self) -> "WholeCursor":  # type: ignore[override]
        """Make a cursor; nothing is asked of the thread before it has a statement."""
        return WholeCursor(self)

    async def run(self, statement: str, values: Any) -> "Outcome":
        """Run a statement in the thread, and take all that it gives."""
        outcome: Outcome = await self._execute(_run, self._conn, statement, values)  # type: ignore[no-untyped-call]
        return outcome

    async def run_many(self, statement: str, rows: Any) -> "Outcome":
        """Run a statement once for each row of values."""
        outcome: Outcome = await self._execute(_run_many, self._conn, statement, rows)  # type: ignore[no-untyped-call]
        return outcome


class Outcome:
    """What a statement gave."""

    __slots__ = ("description", "lastrowid", "rowcount", "rows")

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self.rows = cursor.fetchall() if cursor.description else []
        self.rowcount = cursor.rowcount
        self.lastrowid = cursor.lastrowid
        cursor.close()


class WholeCursor:
    """A cursor that has all rows when its statement is done."""

    arraysize = 1

    def __init__(self, connection: FileConnection) -> None:
        self._connection = connection
        self._outcome: Outcome | None = None

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, statement: str, values: Any = ()) -> "WholeCursor":
        """Run a statement."""
        self._outcome = await self._connection.run(statement, values)
        return self

    async def executemany(self, statement: str, rows: Any) -> "WholeCursor":
        """Run a statement once for each row of values."""
        self._outcome = await self._connection.run_many(statement, rows)
        return self

    async def fetchall(self) -> Sequence[Any]:
        """Give the rows, once."""
        if self._outcome is None:
            return []
        rows, self._outcome.rows = self._outcome.rows, []
        return rows

    async def close(self) -> None:
        """Nothing is left open."""

    @property
    def description(self) -> Any:
        """Name the columns; None where there are none."""
        return None if self._outcome is None else self._outcome.description

    @property
    def rowcount(self) -> int:
        """Tell how many rows were changed."""
        return -1 if self._outcome is None else self._outcome.rowcount

    @property
    def lastrowid(self) -> int | None:
        """Name the row that was added."""
        return None if self._outcome is None else self._outcome.lastrowid


def make_connection(path: str) -> FileConnection:
    """Make a connection to a file that is there; await it to open it."""
    target = f"file:{quote(path)}?mode=rw"
    return FileConnection(partial(sqlite3.connect, target, uri=True, timeout=BUSY_SECONDS), _ROWS_AT_ONCE)


def _run(connection: sqlite3.Connection, statement: str, values: Any) -> Outcome:
    if statement == BEGIN_WRITING:
        return _begin_writing(connection)
    return Outcome(connection.execute(statement, values))


def _run_many(connection: sqlite3.Connection, statement: str, rows: Any) -> Outcome:
    return Outcome(connection.executemany(statement, rows))


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether somebody else holds the file, who will let it go."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _begin_writing(connection: sqlite3.Connection) -> Outcome:
    """Begin as the one who writes: asked for again and again, after pauses that do not grow."""
    latest = time.monotonic() + BUSY_SECONDS
    connection.execute("PRAGMA busy_timeout = 0").close()
    try:
        while True:
            try:
                return Outcome(connection.execute(BEGIN_WRITING))
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > latest:
                    raise
            # Not all at once, or the same one would be too late every time.
            time.sleep(_BETWEEN_TRIES_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - nothing to guess
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}").close()
