"""Notices between tasks of one event loop, or of several."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta


class MemorySubscription:
    """Remembers that something came, until somebody waits for it."""

    def __init__(self, queues: Sequence[str] | None) -> None:
        self._queues = None if queues is None else frozenset(queues)
        self._news = asyncio.Event()

    def offer(self, queues: Sequence[str]) -> None:
        """Take note if one of these queues is meant."""
        if self._queues is None or not self._queues.isdisjoint(queues):
            self._news.set()

    async def wait(self, timeout: timedelta) -> bool:
        """Wait for news; False when the time is up."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout.total_seconds())
        except TimeoutError:
            return False
        self._news.clear()
        return True


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
        for subscription in self._subscriptions:
            subscription.offer(queues)
