"""Notices between tasks of one event loop, or of several in different threads."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from dibs.kit.waiting import wait_set


class MemorySubscription:
    """Remembers that something came, until somebody waits for it."""

    def __init__(self, queues: Sequence[str] | None) -> None:
        self._queues = None if queues is None else frozenset(queues)
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def offer(self, queues: Sequence[str]) -> None:
        """Take note if one of these queues is meant; any thread may call this."""
        is_meant = self._queues is None or not self._queues.isdisjoint(queues)
        if is_meant and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def wait(self, timeout: timedelta) -> bool:
        """Wait for news; False when the time is up."""
        has_news = await wait_set(self._news, timeout.total_seconds())
        self._news.clear()
        return has_news


class MemoryNotices:
    """Tells every subscription."""

    def __init__(self) -> None:
        self._subscriptions: set[MemorySubscription] = set()

    @asynccontextmanager
    async def subscribe(self, queues: Sequence[str] | None = None) -> AsyncIterator[MemorySubscription]:
        """Listen for jobs in these queues (None: all)."""
        subscription = MemorySubscription(queues)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    async def wake(self, queues: Sequence[str]) -> None:
        """Tell those who listen to look."""
        self.tell(queues)

    def tell(self, queues: Sequence[str]) -> None:
        """The same, from code that does not wait."""
        if self._subscriptions:
            for subscription in list(self._subscriptions):
                subscription.offer(queues)
