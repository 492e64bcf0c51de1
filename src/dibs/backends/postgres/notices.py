"""Hints through NOTIFY. The channel is named like the schema, the payload is a queue.

A hint reaches everybody who listens, and a lone job needs but one of them. So the handles of an event loop on one store
share a listening connection, and hear of a hint one after another: first the one that claimed last, and while it asks
the store, nobody stands in its way.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import asyncpg

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.address import Address
from dibs.backends.postgres.wire.connections import Connections, connect
from dibs.kit.waiting import wait_set

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_FIRST_CONNECT_SECONDS = 5.0
# One hears of a hint at once, the others one after another: the last of a hundred after 50 ms.
_STEP_SECONDS, _LAST_SECONDS = 0.000_5, 0.1
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


class Listener:
    """One connection that listens for all handles of an event loop on one store, while any of them is subscribed.

    It comes back by itself when it is cut.
    """

    _all: ClassVar["WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Address, Listener]]"] = WeakKeyDictionary()

    def __init__(self, address: Address) -> None:
        self._address = address
        # In the order in which they hear of a hint.
        self._handles: list[PostgresNotices] = []
        self._is_listening = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def of(cls, address: Address) -> "Listener":
        """Give the one of the running event loop."""
        return cls._all.setdefault(asyncio.get_running_loop(), {}).setdefault(address, cls(address))

    async def add(self, handle: "PostgresNotices") -> None:
        """Let a handle hear of hints; gives it some time to be connected."""
        if handle not in self._handles:
            self._handles.append(handle)
        if self._task is None:
            self._task = asyncio.create_task(self._listen_for_ever(), name="dibs-postgres-listener")
        await wait_set(self._is_listening, _FIRST_CONNECT_SECONDS)

    async def remove(self, handle: "PostgresNotices") -> None:
        """Let a handle hear nothing more; the last one ends the connection."""
        if handle in self._handles:
            self._handles.remove(handle)
        if self._handles or self._task is None:
            return
        task, self._task = self._task, None
        self._is_listening.clear()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def favour(self, handle: "PostgresNotices") -> None:
        """Let a handle be the first to hear of the next hint."""
        if len(self._handles) > 1 and self._handles[0] is not handle and handle in self._handles:
            self._handles.remove(handle)
            self._handles.insert(0, handle)

    async def _listen_for_ever(self) -> None:
        is_back, pause = False, _SHORTEST_PAUSE
        while True:
            with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                await self._listen(is_back=is_back)
                pause = _SHORTEST_PAUSE
            is_back = True
            self._is_listening.clear()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _listen(self, *, is_back: bool) -> None:
        """Listen until the connection is cut."""
        cut = asyncio.Event()
        connection = await connect(self._address)
        try:
            connection.add_termination_listener(lambda _: cut.set())
            await connection.add_listener(self._address.schema, self._hear)
            if is_back:
                # While nobody listened, anything may have happened.
                self._pass_on(None)
            self._is_listening.set()
            await cut.wait()
        finally:
            connection.terminate()

    def _hear(self, _connection: Any, _process: int, _channel: str, queue: Any) -> None:
        self._pass_on([queue.replace(_STAND_IN, _NUL)])

    def _pass_on(self, queues: Sequence[str] | None) -> None:
        loop = asyncio.get_running_loop()
        for handle in self._handles[:1]:
            handle.offer(queues)
        for place, handle in enumerate(self._handles[1:], start=1):
            loop.call_later(min(place * _STEP_SECONDS, _LAST_SECONDS), handle.offer, queues)


class PostgresNotices:
    """What the subscriptions of one handle hear.

    Behind a transaction pooler nobody can listen: subscriptions then just time out, and their owners look.
    """

    def __init__(self, connections: Connections, statements: Statements, address: Address) -> None:
        self._connections = connections
        self._sql = statements
        self._address = address
        self._subscriptions: set[PostgresSubscription] = set()
        self._listener: Listener | None = None

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
        self.offer(queues)
        if self._address.notices and queues:
            await self._connections.write(self._sql["moves/tell"], [queue.replace(_NUL, _STAND_IN) for queue in queues])

    def offer(self, queues: Sequence[str] | None) -> None:
        """Pass a hint on (None: anything may have happened)."""
        for subscription in self._subscriptions:
            subscription.offer(queues)

    def come_first(self) -> None:
        """Something was claimed here: whoever had luck is the first to be asked again."""
        if self._listener is not None:
            self._listener.favour(self)

    async def close(self) -> None:
        """Stop listening."""
        listener, self._listener = self._listener, None
        if listener is not None:
            await listener.remove(self)

    async def _ensure_listener(self) -> None:
        if not self._address.notices or self._address.is_split:
            return
        self._listener = self._listener or Listener.of(self._address)
        await self._listener.add(self)
