"""Worker cards, one row a worker."""

from datetime import timedelta

import msgspec
from msgspec.structs import replace

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.store.protocols import WorkerCard
from dibs.kit.clock import span_micros

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(WorkerCard).decode


class PostgresWorkers:
    """Who is at work."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card."""
        values = (card.worker_id, _encode(card).decode(), span_micros(ttl))
        await self._connections.write(self._sql["workers/announce"], *values)

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away, and those that lapsed long ago."""
        await self._connections.write(self._sql["workers/withdraw"], worker_id)

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh, those shown first first."""
        rows = await self._connections.read(self._sql["workers/list"])
        return [replace(_decode(row[0]), started_at=row[1], seen_at=row[2]) for row in rows]
