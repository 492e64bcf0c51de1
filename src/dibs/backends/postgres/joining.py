"""Working inside a transaction that belongs to the caller.

Connections of SQLAlchemy are known by what they can do, so that it need not be installed.
"""

import inspect
import re
from collections.abc import Sequence
from typing import Any, Protocol

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from dibs.backends.postgres.wire.faults import Phase, is_gone, translate
from dibs.errors import BadInput, StoreUnavailable

_PLACEHOLDER = re.compile(r"\$\d+")
_AUTOCOMMIT = "autocommit"


class Caller(Protocol):
    """Somebody else's connection."""

    async def fetch(self, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        """Run one statement in the caller's transaction."""


def join(connection: Any, shown: str) -> Caller:
    """Recognise a caller's connection, or refuse it."""
    if isinstance(connection, asyncpg.Connection | PoolConnectionProxy):
        return AsyncpgCaller(connection, shown)
    if hasattr(connection, "exec_driver_sql") or (hasattr(connection, "connection") and hasattr(connection, "execute")):
        return SqlalchemyCaller(connection, shown)
    message = (
        f"connection is a {type(connection).__name__}. Pass an asyncpg connection inside a transaction,"
        " or a SQLAlchemy connection or session on PostgreSQL."
    )
    raise BadInput(message)


class AsyncpgCaller:
    """A connection of asyncpg."""

    def __init__(self, connection: Any, shown: str) -> None:
        self._connection = connection
        self._shown = shown

    async def fetch(self, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        """Run one statement; outside a transaction there is nothing to join."""
        if is_gone(self._connection):
            message = f"the connection to PostgreSQL at {self._shown} broke, and its transaction was undone. Try again."
            raise StoreUnavailable(message)
        if not self._connection.is_in_transaction():
            raise _no_transaction()
        try:
            rows: Sequence[Any] = await self._connection.fetch(statement, *values)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError, ValueError) as error:
            raise translate(error, shown=self._shown, phase=Phase.WRITING) from error
        return rows


class SqlalchemyCaller:
    """A Connection or Session of SQLAlchemy, async or not. It begins its transaction by itself."""

    def __init__(self, connection: Any, shown: str) -> None:
        self._connection = connection
        self._shown = shown

    async def fetch(self, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        """Run one statement through the same driver call that the caller's own statements take."""
        connection = await self._find_connection()
        if connection.dialect.name != "postgresql":
            message = (
                f"connection is on {connection.dialect.name}, but the jobs are in PostgreSQL. Use the same database."
            )
            raise BadInput(message)
        await _refuse_autocommit(connection)
        if connection.dialect.paramstyle != "numeric_dollar":
            statement = _PLACEHOLDER.sub("%s", statement)
        return await self._execute(connection, statement, values)

    async def _find_connection(self) -> Any:
        if hasattr(self._connection, "exec_driver_sql"):
            return self._connection
        return await _settled(self._connection.connection())

    async def _execute(self, connection: Any, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        try:
            result = await _settled(connection.exec_driver_sql(statement, tuple(values)))
            rows: Sequence[Any] = result.mappings().all()
        except Exception as error:
            if getattr(error, "orig", None) is None:
                raise
            raise translate(error, shown=self._shown, phase=Phase.WRITING) from error
        return [PositionedRow(row) for row in rows]


class PositionedRow(dict[Any, Any]):
    """A row that also answers by position, as asyncpg's do."""

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, int):
            return list(self.values())[key]
        raise KeyError(key)


async def _refuse_autocommit(connection: Any) -> None:
    driver = (await _settled(_raw(connection))).dbapi_connection
    level = str(getattr(driver, "isolation_level", "")).lower()
    if level == _AUTOCOMMIT or getattr(driver, "autocommit", False) is True:
        raise _no_transaction()


def _raw(connection: Any) -> Any:
    return connection.get_raw_connection() if hasattr(connection, "get_raw_connection") else connection.connection


async def _settled(value: Any) -> Any:
    """Give the value of something that may have to be awaited."""
    return await value if inspect.isawaitable(value) else value


def _no_transaction() -> BadInput:
    message = "connection is not in a transaction, so there is nothing to join. Begin one, or leave out connection."
    return BadInput(message)
