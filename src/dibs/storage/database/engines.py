"""Engines of SQLAlchemy: pooled connections, and how a transaction begins on each store."""

import asyncio
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import AsyncAdaptedQueuePool, Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from dibs.storage.database.address import TablesAddress
from dibs.storage.files.connection import (
    BEGIN_READING,
    BEGIN_WRITING,
    BUSY_SECONDS,
    FileConnection,
    is_busy,
    make_connection,
)

WRITING = "dibs_writing"
_BETWEEN_TRIES_SECONDS = 0.005
_POOL_SECONDS = 30.0
_CONNECT_SECONDS = 10.0


def make_engine(address: TablesAddress) -> AsyncEngine:
    """Make an engine; it connects when it is first used."""
    return _make_server_engine(address) if address.is_postgres else _make_file_engine(address)


def _make_file_engine(address: TablesAddress) -> AsyncEngine:
    async def connect(**_: object) -> FileConnection:
        if not await asyncio.to_thread(Path(address.target).exists):
            # Asked first: the driver's thread would outlive its refusal, and complain when the event loop is gone.
            message = "unable to open database file"
            raise sqlite3.OperationalError(message)
        opening = make_connection(address.target)
        # As SQLAlchemy does where it opens the file itself: a connection left open must not keep the process alive.
        opening._thread.daemon = True  # noqa: SLF001
        await opening
        return opening

    engine = create_async_engine(
        "sqlite+aiosqlite:///",
        async_creator=connect,
        poolclass=AsyncAdaptedQueuePool,
        pool_size=address.pool_size,
        max_overflow=0,
        # Values are hashes, names and reasons: none of them belongs into an error or a log.
        hide_parameters=True,
        pool_timeout=_POOL_SECONDS,
    )
    event.listen(engine.sync_engine, "connect", _prepare_file)
    event.listen(engine.sync_engine, "begin", _begin_on_file)
    return engine


def _prepare_file(connection: Any, _: object) -> None:
    # We begin transactions ourselves: the driver would begin one too late, and not for every statement.
    connection.isolation_level = None
    cursor = connection.cursor()
    _use_write_ahead_log(cursor)
    # What is erased is overwritten; some builds of SQLite would leave it in free pages.
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _use_write_ahead_log(cursor: Any) -> None:
    # Whoever changes the journal of a new file too, at the same moment, is not waited for by SQLite itself.
    latest = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # A full disk or a file that may not be written does not get better by waiting.
            if not is_busy(error) or time.monotonic() > latest:
                raise
            await_only(asyncio.sleep(_BETWEEN_TRIES_SECONDS))
        else:
            return


def _begin_on_file(connection: Connection) -> None:
    # A writer takes the lock at once: one that reads first and writes later may be refused instead of waiting.
    is_writing = connection.get_execution_options().get(WRITING, False)
    connection.exec_driver_sql(BEGIN_WRITING if is_writing else BEGIN_READING)


def _make_server_engine(address: TablesAddress) -> AsyncEngine:
    # Behind a pooler that splits sessions, a statement prepared on one of them is unknown to the next.
    cache = {"prepared_statement_cache_size": 0} if address.is_split else {}

    async def connect(**_: object) -> Any:
        import asyncpg  # noqa: PLC0415 - whoever keeps tables in a file does not need it

        size = 0 if address.is_split else 100
        return await asyncpg.connect(address.target, timeout=_CONNECT_SECONDS, statement_cache_size=size)

    return create_async_engine(
        f"postgresql+asyncpg://?{'&'.join(f'{name}={value}' for name, value in cache.items())}",
        async_creator=connect,
        pool_size=address.pool_size,
        max_overflow=0,
        # Values are hashes, names and reasons: none of them belongs into an error or a log.
        hide_parameters=True,
        pool_timeout=_POOL_SECONDS,
        pool_pre_ping=True,
    )
