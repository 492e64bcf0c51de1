"""The file, opened in one thread, and thrown away when it cannot be read."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from dibs.kit.log import get_logger
from dibs.outside.cache.scripts import read_script

log = get_logger("dibs.cache")

VERSION = 1
PATIENCE_SECONDS = 5.0
BETWEEN_TRIES_SECONDS = 0.005
WAL_LIMIT_BYTES = 64 * 1024 * 1024
IN_MEMORY = ":memory:"
Result = TypeVar("Result")
Values = Mapping[str, Any]


class Cursor:
    """Runs statements by name, in one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, name: str, values: Values) -> list[sqlite3.Row]:
        """Run a statement and read all that it gives."""
        return self._connection.execute(read_script(__package__, f"sql/{name}.sql"), values).fetchall()


class CacheFile:
    """One connection in one thread. A file that is damaged or of another version is replaced by an empty one."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dibs-cache")
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    async def read(self, work: Callable[[Cursor], Result]) -> Result:
        """Look at one moment of the file."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, "BEGIN")

    async def write(self, work: Callable[[Cursor], Result]) -> Result:
        """Do something in a transaction of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, "BEGIN IMMEDIATE")

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    def _run(self, work: Callable[[Cursor], Result], begin: str) -> Result:
        try:
            return _transact(self._connect(), work, begin)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            log.warning("outside.cache.damaged", path=self._path, error=str(error))
            self._throw_away()
            return _transact(self._connect(), work, begin)

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None and self._identity == _identify(self._path):
            return self._connection
        self._disconnect()
        Path(self._path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self._path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection, self._identity = connection, _identify(self._path)
        connection.row_factory = sqlite3.Row
        _use_write_ahead_log(connection)
        # A cache may lose its last moments in a power cut, but not its order.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
        _install(connection)
        # Not a new version: files from before get it, and programs from before do not mind it.
        connection.execute(read_script(__package__, "sql/tallies/create.sql"))
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _throw_away(self) -> None:
        was = self._identity
        self._disconnect()
        # Somebody else may have replaced the damaged file already: theirs is good.
        if was is not None and _identify(self._path) == was:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _transact(connection: sqlite3.Connection, work: Callable[[Cursor], Result], begin: str) -> Result:
    connection.execute(begin)
    try:
        result = work(Cursor(connection))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Change the journal. Whoever changes it too, at the same moment, is not waited for by SQLite itself."""
    latest = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > latest:
                raise
            time.sleep(BETWEEN_TRIES_SECONDS)
        else:
            return


def _install(connection: sqlite3.Connection) -> None:
    if _read_version(connection) == VERSION:
        return
    _transact(connection, lambda _: _create(connection), "BEGIN IMMEDIATE")


def _create(connection: sqlite3.Connection) -> None:
    found = _read_version(connection)
    if found not in (0, VERSION):
        message = f"file is not a database of version {VERSION} but {found}"
        raise sqlite3.DatabaseError(message)
    if found == 0:
        for statement in read_script(__package__, "sql/schema/create.sql").split(";\n"):
            connection.execute(statement)


def _read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return "malformed" in str(error) or "file is not a database" in str(error) or "no such table" in str(error)


def _identify(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every use, and half the price of a Path
    except OSError:
        return None
    return found.st_dev, found.st_ino
