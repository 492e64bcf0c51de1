"""A SQLite file and a memory store on one clock that stands still, so that their answers must be equal to the last digit."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dibs.engine.store.backend import Backend
from dibs.kit.clock import to_micros
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.sqlite import SqliteStore, open_for_writing

BEGINNING = datetime(2030, 1, 31, 23, 30, tzinfo=UTC)


class FrozenPair:
    def __init__(self, folder: Path) -> None:
        self.sqlite = SqliteStore(folder)
        self.memory = MemoryStore(frozen_at=BEGINNING)
        self.now = BEGINNING

    async def open(self) -> tuple[Backend, Backend]:
        model, real = await self.memory.open(worker_id="w"), await self.sqlite.open(worker_id="w")
        self._set_clock()
        return model, real

    async def advance(self, span: timedelta) -> None:
        self.now += span
        await self.memory.advance(span)
        self._set_clock()

    def _set_clock(self) -> None:
        with closing(open_for_writing(self.sqlite._address)) as connection:
            connection.execute("DROP VIEW dibs_clock")
            connection.execute(f"CREATE VIEW dibs_clock AS SELECT {to_micros(self.now)} AS now")
