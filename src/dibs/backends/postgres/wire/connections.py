"""Connections to the server: borrowed for one call, replaced when they break."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from dibs.backends.postgres.wire.address import Address
from dibs.backends.postgres.wire.faults import Phase, is_collision, is_gone, may_repeat, translate
from dibs.backends.postgres.wire.home import Home
from dibs.errors import DibsError, StoreError
from dibs.kit.waiting import wait_set

OLDEST_SERVER = 13
_TRIES = 6
_PATIENCE_SECONDS, _FAREWELL_SECONDS = 10.0, 3.0
_EXPECTED = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
    ValueError,
)
_KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}

Answer = TypeVar("Answer")
Row = Any
Work = Callable[[PoolConnectionProxy], Awaitable[Answer]]


class PlainConnection(asyncpg.Connection):
    """Our calls leave nothing behind in a session, so giving a connection back costs no round trip."""

    def get_reset_query(self) -> str:
        """Nothing to reset."""
        return ""


class Connections:
    """A pool that speaks Dibs: what goes wrong in it is raised in our own words."""

    def __init__(self, address: Address, pool: "asyncpg.Pool[Any]") -> None:
        self.address = address
        self.home = Home(address.shown)
        self._pool = pool
        self._calls = 0
        self._is_quiet = asyncio.Event()
        self._is_closing = False

    @classmethod
    async def open(cls, address: Address) -> "Connections":
        """Make an empty pool."""
        try:
            pool = await asyncpg.create_pool(
                min_size=0,
                max_size=address.pool_size,
                max_queries=2**62,
                init=_prepare,
                **_connect_options(address),
            )
        except _EXPECTED as error:
            raise translate(error, shown=address.shown, phase=Phase.CONNECTING) from error
        return cls(address, pool)

    async def close(self) -> None:
        """Let calls that have begun come to their end, then close every connection; by force if that takes too long."""
        self.home.check()
        self._is_closing = True
        if self._calls:
            self._is_quiet.clear()
            await wait_set(self._is_quiet, _PATIENCE_SECONDS)
        try:
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def read(self, statement: str, *values: Any) -> Sequence[Row]:
        """Ask for rows; nothing changes."""
        return await self._run(lambda connection: connection.fetch(statement, *values), Phase.READING)

    async def write(self, statement: str, *values: Any) -> Sequence[Row]:
        """Make one move, which is one transaction."""
        return await self._run(lambda connection: connection.fetch(statement, *values), Phase.WRITING)

    async def work(self, work: Work[Answer]) -> Answer:
        """Do several things in one transaction."""
        return await self._run(lambda connection: _in_transaction(connection, work), Phase.WRITING)

    @contextmanager
    def _call(self) -> Iterator[None]:
        """Have `close` wait for what is done inside."""
        self.home.check()
        if self._is_closing:
            message = f"this handle on PostgreSQL at {self.address.shown} is closed. Open the store again."
            raise StoreError(message)
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._is_quiet.set()

    async def _run(self, work: Work[Answer], phase: Phase) -> Answer:
        with self._call():
            return await self._run_again(work, phase)

    async def _run_again(self, work: Work[Answer], phase: Phase) -> Answer:
        for tries_left in reversed(range(_TRIES)):
            try:
                return await self._run_once(work, phase)
            except DibsError as failed:
                cause = failed.__cause__
                # Once is enough for a stale connection: the next one is new.
                is_stale = cause is not None and may_repeat(cause, phase) and tries_left == _TRIES - 1
                if not tries_left or cause is None or not (is_stale or is_collision(cause)):
                    raise
            await asyncio.sleep(random.uniform(0, 0.02) * (_TRIES - tries_left))  # noqa: S311 - spreads rivals, hides nothing
        raise AssertionError("the last try returns or raises")

    async def _run_once(self, work: Work[Answer], phase: Phase) -> Answer:
        async with self._borrow() as connection:
            try:
                if self.address.is_split:
                    # A call is several messages; outside of a transaction a pooler may part them.
                    return await _in_transaction(connection, work)
                return await work(connection)
            except _EXPECTED as error:
                raise translate(error, shown=self.address.shown, phase=phase) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PoolConnectionProxy]:
        """Lend a connection in a transaction to code that is not ours.

        Its own errors pass through as they are; what the driver says of a connection that broke, we say in our words.
        """
        with self._call():
            async with self._begin() as connection:
                yield connection

    @asynccontextmanager
    async def _begin(self) -> AsyncIterator[PoolConnectionProxy]:
        async with self._borrow() as connection:
            transaction = connection.transaction(isolation="read_committed")
            await self._settle(transaction.start, Phase.CONNECTING)
            try:
                yield connection
            except BaseException as error:
                # On a broken connection it fails, and need not be said: the server undoes what nobody commits.
                with suppress(StoreError):
                    await self._settle(transaction.rollback, Phase.READING)
                if isinstance(error, _EXPECTED) and is_gone(connection):
                    raise translate(error, shown=self.address.shown, phase=Phase.READING) from error
                raise
            await self._settle(transaction.commit, Phase.WRITING)

    async def _settle(self, step: Callable[[], Awaitable[None]], phase: Phase) -> None:
        try:
            await step()
        except _EXPECTED as error:
            raise translate(error, shown=self.address.shown, phase=phase) from error

    @asynccontextmanager
    async def _borrow(self) -> AsyncIterator[PoolConnectionProxy]:
        try:
            connection = await self._pool.acquire(timeout=self.address.connect_timeout)
        except _EXPECTED as error:
            raise translate(error, shown=self.address.shown, phase=Phase.CONNECTING) from error
        try:
            yield connection
        finally:
            # What goes wrong now says nothing of the call, whose own end must stand. The driver waits here until a call
            # that took too long is cancelled, and ends the connection if that does not work out either.
            with suppress(*_EXPECTED):
                await self._pool.release(connection)


async def _in_transaction(connection: PoolConnectionProxy, work: Work[Answer]) -> Answer:
    if connection.is_in_transaction():
        return await work(connection)
    async with connection.transaction(isolation="read_committed"):
        return await work(connection)


async def connect(address: Address) -> Any:
    """Open one connection outside the pool."""
    connection = await asyncpg.connect(**_connect_options(address))
    _keep_alive(connection)
    return connection


def _connect_options(address: Address) -> dict[str, Any]:
    options: dict[str, Any] = {
        "dsn": address.dsn,
        "timeout": address.connect_timeout,
        "command_timeout": address.command_timeout,
        "connection_class": PlainConnection,
        "max_cached_statement_lifetime": 0,
    }
    if address.is_split:
        options["statement_cache_size"] = 0
    if address.pooler == "none":
        # Every statement of a move must see what others committed before it. Poolers refuse such settings.
        options["server_settings"] = {"default_transaction_isolation": "read committed"}
    return options


async def _prepare(connection: asyncpg.Connection) -> None:
    version = connection.get_server_version()
    if version.major < OLDEST_SERVER:
        message = f"this is PostgreSQL {version.major}; Dibs needs {OLDEST_SERVER} or newer. Upgrade the server."
        raise StoreError(message)
    _keep_alive(connection)


def _keep_alive(connection: asyncpg.Connection) -> None:
    """Let the kernel find out that the other machine is gone."""
    transport = getattr(connection, "_transport", None)
    link = transport.get_extra_info("socket") if transport is not None else None
    if link is None or link.family == socket.AF_UNIX:
        return
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if hasattr(socket, name):
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
