"""Worker cards: hashes by worker, and a sorted set of the instants at which they lapse."""

from datetime import timedelta

import msgspec
from msgspec.structs import replace

from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.protocols import WorkerCard
from dibs.kit.clock import span_micros

FORGOTTEN_AFTER = timedelta(days=1)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(WorkerCard).decode


class RedisWorkers:
    """Each move is one script."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card."""
        await self._lines.run("workers/announce", [card.worker_id, _encode(card), span_micros(ttl)])

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away."""
        await self._lines.run("workers/withdraw", [worker_id, span_micros(FORGOTTEN_AFTER)])

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh, those shown first first."""
        rows = await self._lines.run("workers/list", [], is_write=False)
        cards = [replace(_decode(card), started_at=instant(since), seen_at=instant(seen)) for card, since, seen in rows]
        return sorted(cards, key=lambda card: (card.started_at, card.worker_id))
