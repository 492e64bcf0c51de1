"""Hints that jobs are waiting: a number a queue, told in this process and watched by others."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.threads.watcher import SqliteSubscription, read_numbers


class SqliteNotices:
    """Tells every subscription, in every process on the file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def subscribe(self, queues: Sequence[str] | None = None) -> AsyncIterator[SqliteSubscription]:
        """Listen for jobs in these queues (None: all)."""
        subscription = SqliteSubscription(queues)
        watcher = self._database.watcher
        watcher.add(subscription, await self._database.read(read_numbers))
        try:
            yield subscription
        finally:
            watcher.remove(subscription)

    async def wake(self, queues: Sequence[str]) -> None:
        """Tell those who listen to look."""
        await self._database.write(lambda transaction: transaction.announce(queues))
