"""Opening connections, and waiting for the write lock."""

import math
import os
import sqlite3
import time
from collections.abc import Callable
from random import SystemRandom
from typing import TypeVar
from urllib.parse import quote

from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.faults import is_busy
from dibs.errors import StoreError

OLDEST_SQLITE = (3, 35)
WRITER_CACHE_KIB = 16 * 1024
WAL_LIMIT_BYTES = 64 * 1024 * 1024
# Four times SQLite's own: a job's page is written by its store, its claim and its completion, and copied back once.
WAL_PAGES_TO_COPY_BACK = 4_000
CLOSING_SECONDS = 1.0

_chance = SystemRandom()
_SHORTEST_NAP, _LONGEST_NAP = 0.000_2, 0.002
Result = TypeVar("Result")


class Leaving:
    """Whether the store is being closed, and until when what still waits may go on."""

    def __init__(self) -> None:
        self._until = math.inf

    def begin(self) -> None:
        """Close; may be called in any thread."""
        self._until = time.monotonic() + CLOSING_SECONDS

    def is_over(self, deadline: float) -> bool:
        """Whether it is time to give up: at the deadline, or soon after the closing began."""
        return time.monotonic() >= min(deadline, self._until)


NEVER = Leaving()


def check_version() -> None:
    """Refuse a SQLite that lacks RETURNING."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        message = (
            f"this Python is linked to SQLite {sqlite3.sqlite_version}; Dibs needs 3.35 or newer."
            " Use a newer Python, or another backend."
        )
        raise StoreError(message)


def open_for_writing(address: Address, *, create: bool = False, leaving: Leaving = NEVER) -> sqlite3.Connection:
    """Open the writer's connection: write-ahead log, durable as the address says."""
    connection = _open(address, mode="rwc" if create else "rw")
    try:
        patiently(lambda: _use_write_ahead_log(connection), address, leaving)
        connection.execute(f"PRAGMA synchronous = {address.synchronous}")
        # What savepoints remember of changed pages would otherwise go to a file.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{WRITER_CACHE_KIB}")
        # What is erased is overwritten; some builds of SQLite would leave it in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES_TO_COPY_BACK}")
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(address: Address) -> sqlite3.Connection:
    """Open a connection that cannot write."""
    connection = _open(address, mode="rw")
    connection.execute("PRAGMA query_only = 1")
    return connection


def _open(address: Address, *, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(address.path)}?mode={mode}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        message = f"SQLite cannot keep a write-ahead log here (journal mode {mode}). Use a local disk for the file."
        raise StoreError(message)


def patiently(act: Callable[[], Result], address: Address, leaving: Leaving = NEVER) -> Result:
    """Do something that may find the file locked, again and again until the busy timeout.

    SQLite's own waiting grows to 100 ms a nap and is left out of some paths; short naps keep processes in turn.
    """
    deadline = time.monotonic() + address.busy_timeout.total_seconds()
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or leaving.is_over(deadline):
                raise
        time.sleep(_chance.uniform(_SHORTEST_NAP, _LONGEST_NAP))


def identity(path: str) -> tuple[int, int] | None:
    """Tell which file stands at `path` now.

    Never by opening it: closing any descriptor of the file would drop the locks that SQLite holds for this process.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every write, and half the price of a Path
    except OSError:
        return None
    return found.st_dev, found.st_ino
