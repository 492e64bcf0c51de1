"""Hints over publish/subscribe: one channel a namespace, each message the name of a queue."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from redis.exceptions import RedisError

from dibs.backends.redis.wire.connections import Line, Lines
from dibs.errors import StoreError

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0


class RedisSubscription:
    """Remembers that something came, until somebody waits for it."""

    def __init__(self, queues: Sequence[str] | None) -> None:
        self._queues = None if queues is None else frozenset(queues)
        self._news = asyncio.Event()

    def offer(self, queue: str | None) -> None:
        """Take note if this queue is meant; None: anything may have happened."""
        if self._queues is None or queue is None or queue in self._queues:
            self._news.set()

    async def wait(self, timeout: timedelta) -> bool:
        """Wait for news; False when the time is up."""
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True


class RedisNotices:
    """One connection listens for all subscriptions of a handle, and connects again when it breaks."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._channel = f"{lines.address.tag}:notices"
        self._subscriptions: set[RedisSubscription] = set()
        self._listener: asyncio.Task[None] | None = None
        self._is_listening = asyncio.Event()
        self._was_cut_off = False

    @asynccontextmanager
    async def subscribe(self, queues: Sequence[str] | None = None) -> AsyncIterator[RedisSubscription]:
        """Listen for jobs in these queues (None: all)."""
        self._lines.refuse_strangers()
        subscription = RedisSubscription(queues)
        self._subscriptions.add(subscription)
        await self._start_listening()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    async def wake(self, queues: Sequence[str]) -> None:
        """Tell those who listen to look."""
        for queue in queues:
            await self._lines.ask("PUBLISH", self._channel, queue)

    async def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)

    async def _start_listening(self) -> None:
        if self._listener is None:
            self._listener = asyncio.create_task(self._listen_for_ever(), name="dibs:redis:notices")
        # A server that is away must not keep a worker from starting: it will poll, and hear later.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._lines.address.options.connect_timeout):
                await self._is_listening.wait()

    async def _listen_for_ever(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            with contextlib.suppress(StoreError, RedisError, OSError, TimeoutError):
                line = await self._lines.open_line()
                try:
                    await self._listen(line)
                finally:
                    await line.hang_up()
            pause = _FIRST_PAUSE if self._is_listening.is_set() else min(2 * pause, _LONGEST_PAUSE)
            self._is_listening.clear()
            await asyncio.sleep(pause)

    async def _listen(self, line: Line) -> None:
        await line.connection.send_command("SUBSCRIBE", self._channel, check_health=False)
        await line.connection.read_response()
        self._is_listening.set()
        if self._was_cut_off:
            # Whatever came while nobody listened is lost: everybody looks.
            self._tell(None)
        self._was_cut_off = True
        while True:
            _, _, message = await line.connection.read_response()
            self._tell(message.decode())

    def _tell(self, queue: str | None) -> None:
        for subscription in self._subscriptions:
            subscription.offer(queue)
