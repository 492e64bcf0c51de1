"""Worker cards in a dictionary."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from dibs.backends.memory.world import World
from dibs.engine.store.protocols import WorkerCard


class MemoryWorkers:
    """Each card with the instant at which it is not shown any more."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cards: dict[str, tuple[WorkerCard, datetime]] = {}

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card."""
        with self._world:
            now = self._world.now
            known = self._cards.get(card.worker_id)
            is_fresh = known is not None and known[1] > now
            since = known[0].started_at if known is not None and is_fresh else now
            self._cards[card.worker_id] = replace(card, started_at=since, seen_at=now), now + ttl

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away."""
        with self._world:
            self._cards.pop(worker_id, None)

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh."""
        with self._world:
            now = self._world.now
            fresh = [card for card, ends_at in self._cards.values() if ends_at > now]
        return sorted(fresh, key=lambda card: (card.started_at or now, card.worker_id))
