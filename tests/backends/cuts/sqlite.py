"""SQLite on a disk that fails."""

import functools
import sqlite3
from typing import Any
from unittest.mock import patch

from dibs.testing.machine import Cut
from dibs.testing.stores.sqlite import SqliteStore

BEGIN, COMMIT = "BEGIN IMMEDIATE", "COMMIT"
WRITES = ("INSERT", "UPDATE", "DELETE")


class Fuse:
    """What breaks next, in the whole process: the writer's thread asks before and after each statement."""

    def __init__(self) -> None:
        self.cut: Cut | None = None
        self.is_broken = False

    def burn(self, *cuts: Cut, when: bool) -> None:
        """Fail as a disk does, if now is the time."""
        if when and self.cut in cuts:
            self.cut, self.is_broken = None, True
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR, "SQLITE_IOERR"
            raise error


FUSE = Fuse()


class FailingConnection(sqlite3.Connection):
    def execute(self, sql: str, *values: Any) -> Any:
        FUSE.burn(Cut.UNSENT, when=sql == BEGIN)
        FUSE.burn(Cut.UNCOMMITTED, when=sql == COMMIT)
        result = super().execute(sql, *values)
        FUSE.burn(Cut.UNANSWERED, when=sql == COMMIT)
        return result

    def cursor(self, *_: Any) -> Any:
        return super().cursor(FailingCursor)


class FailingCursor(sqlite3.Cursor):
    def execute(self, sql: str, *values: Any) -> Any:
        result = super().execute(sql, *values)
        FUSE.burn(Cut.HALFWAY, when=is_write(sql))
        return result

    def executemany(self, sql: str, *values: Any) -> Any:
        result = super().executemany(sql, *values)
        FUSE.burn(Cut.HALFWAY, when=is_write(sql))
        return result


def is_write(sql: str) -> bool:
    return sql.lstrip().upper().startswith(WRITES)


class CuttableSqlite(SqliteStore):
    """While it is open, every connection of this process is one that can fail."""

    def __init__(self) -> None:
        super().__init__()
        connect = functools.partial(sqlite3.connect, factory=FailingConnection)
        self._patch = patch.object(sqlite3, "connect", connect)
        self._patch.start()

    def arm(self, cut: Cut) -> None:
        FUSE.cut, FUSE.is_broken = cut, False

    async def disarm(self) -> bool:
        FUSE.cut = None
        return FUSE.is_broken

    async def close(self) -> None:
        self._patch.stop()
        await super().close()
