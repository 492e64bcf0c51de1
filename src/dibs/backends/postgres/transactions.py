"""Transactions of our own, for handlers that want theirs to end with the job."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from dibs.backends.postgres.wire.connections import Connections


class PostgresTransactions:
    """Each on a connection of the pool."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Any]:
        """Open one on an asyncpg connection."""
        async with self._connections.transaction() as connection:
            yield connection
