"""Worker cards, one row a worker."""

from datetime import timedelta

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.rows import instant
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot, Transaction
from dibs.engine.store.protocols import WorkerCard
from dibs.kit.clock import span_micros

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(WorkerCard).decode


class SqliteWorkers:
    """Who is at work on this file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def announce(self, card: WorkerCard, ttl: timedelta) -> None:
        """Show or renew a card; those that nobody renewed are swept away with it."""
        text = _encode(card).decode()

        def show(transaction: Transaction) -> None:
            now = transaction.now
            transaction.write("workers/forget_stale_workers", now)
            transaction.write("workers/show_worker", card.worker_id, text, now, now + span_micros(ttl))

        await self._database.write(show)

    async def withdraw(self, worker_id: str) -> None:
        """Take a card away."""
        await self._database.write(lambda transaction: transaction.write("workers/withdraw_worker", worker_id))

    async def list_workers(self) -> list[WorkerCard]:
        """Read the cards that are fresh."""
        return [_to_card(row) for row in await self._database.read(_list_fresh)]


def _list_fresh(snapshot: Snapshot) -> list[Row]:
    return snapshot.read("workers/list_workers", snapshot.now)


def _to_card(row: Row) -> WorkerCard:
    text, started_at, seen_at = row
    return replace(_decode(text), started_at=instant(started_at), seen_at=instant(seen_at))
