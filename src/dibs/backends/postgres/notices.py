"""Hints through NOTIFY. The channel is named like the schema, the payload is a queue."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg

from dibs.backends.postgres.address import Address
from dibs.backends.postgres.connections import Connections, connect
from dibs.backends.postgres.statements import Statements
from dibs.kit.waiting import wait_set

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_FIRST_CONNECT_SECONDS = 5.0
# PostgreSQL has no NUL in texts, but notices that are no queue's begin with one. No name has either character.
_NUL, _STAND_IN = "\x00", "\x01"


class PostgresSubscription:
    """Remembers that something came, until somebody waits for it."""

    def __init__(self, queues: Sequence[str] | None) -> None:
        self._queues = None if queues is None else frozenset(queues)
        self._news = asyncio.Event()

    def offer(self, queues: Sequence[str] | None) -> None:
        """Take note if one of these queues is meant (None: all are)."""
        if queues is None or self._queues is None or not self._queues.isdisjoint(queues):
            self._news.set()

    async def wait(self, timeout: timedelta) -> bool:
        """Wait for news; False when the time is up."""
        has_news = await wait_set(self._news, timeout.total_seconds())
        self._news.clear()
        return has_news


class PostgresNotices:
    """Listens on a connection of its own while somebody is subscribed, and comes back by itself when it is cut.

    Behind a transaction pooler nobody can listen: subscriptions then just time out, and their owners look.
    """

    def __init__(self, connections: Connections, statements: Statements, address: Address) -> None:
        self._connections = connections
        self._sql = statements
        self._address = address
        self._subscriptions: set[PostgresSubscription] = set()
        self._listening = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def subscribe(self, queues: Sequence[str] | None = None) -> AsyncIterator[PostgresSubscription]:
        """Listen for jobs in these queues (None: all)."""
        self._connections.home.check()
        subscription = PostgresSubscription(queues)
        self._subscriptions.add(subscription)
        try:
            await self._ensure_listener()
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            if not self._subscriptions:
                await self.close()

    async def wake(self, queues: Sequence[str]) -> None:
        """Tell those who listen to look."""
        self._offer(queues)
        if self._address.notices and queues:
            await self._connections.write(self._sql["moves/tell"], [queue.replace(_NUL, _STAND_IN) for queue in queues])

    async def close(self) -> None:
        """Stop listening."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)
        self._listening.clear()

    async def _ensure_listener(self) -> None:
        if not self._address.notices or self._address.is_split:
            return
        if self._listener is None:
            self._listener = asyncio.create_task(self._listen_for_ever(), name="dibs-postgres-listener")
        await wait_set(self._listening, _FIRST_CONNECT_SECONDS)

    async def _listen_for_ever(self) -> None:
        is_back, pause = False, _SHORTEST_PAUSE
        while True:
            with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                await self._listen(is_back=is_back)
                pause = _SHORTEST_PAUSE
            is_back = True
            self._listening.clear()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _listen(self, *, is_back: bool) -> None:
        """Listen until the connection is cut."""
        cut = asyncio.Event()
        connection = await connect(self._address)
        try:
            connection.add_termination_listener(lambda _: cut.set())
            await connection.add_listener(self._sql.schema, self._hear)
            if is_back:
                # While nobody listened, anything may have happened.
                self._offer(None)
            self._listening.set()
            await cut.wait()
        finally:
            connection.terminate()

    def _hear(self, _connection: Any, _process: int, _channel: str, queue: Any) -> None:
        self._offer([queue.replace(_STAND_IN, _NUL)])

    def _offer(self, queues: Sequence[str] | None) -> None:
        for subscription in self._subscriptions:
            subscription.offer(queues)
