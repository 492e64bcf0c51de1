"""Going through the tables of postings for rows that are about a person."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import Select, Table, select, tuple_

from dibs.apps.postings.tables import ACTS, ANSWERS, BLOBS, CAPS, POSTINGS, PROFILES, RUNS, VARIANTS, VERSIONS
from dibs.storage.transaction import Transaction

Row = Mapping[str, Any]
Rows = dict[str, list[Row]]
IsMeant = Callable[[Row], bool]
Place = TypeVar("Place")
PAGE = 500
# Where each kind stands, and what its rows are told apart by.
PLACES: dict[str, tuple[Table, tuple[str, ...]]] = {
    "posting": (POSTINGS, ("id",)),
    "blob": (BLOBS, ("digest",)),
    "own_blob": (BLOBS, ("digest",)),
    "profile": (PROFILES, ("name",)),
    "variant": (VARIANTS, ("variant_id",)),
    "run": (RUNS, ("run_id",)),
    "approved_run": (RUNS, ("run_id",)),
    "version": (VERSIONS, ("run_id", "version")),
    "answer": (ANSWERS, ("key", "value_digest")),
    "approved_answer": (ANSWERS, ("key", "value_digest")),
    "act": (ACTS, ("id",)),
    "cap": (CAPS, ("scope", "name")),
}
# Whoever reports locks the run first: a long value that were locked before it might keep both waiting for ever.
_NEVER_CHANGED = frozenset({"blob"})


class Seen(Struct, frozen=True):
    """What a look has found, and when that was."""

    rows: Rows
    at: datetime


class Search:
    """Reads whole tables, or, to write, only what an earlier look has found, and nobody else writes it meanwhile."""

    def __init__(self, transaction: Transaction, seen: Seen | None = None) -> None:
        self.transaction = transaction
        self.seen = seen

    async def look(self, kind: str, is_meant: IsMeant) -> list[Row]:
        """Give the rows that are meant. They are judged beside the event loop: it takes long."""
        found: list[Row] = []
        async for rows in self._walk(kind) if self.seen is None else self._read_again(kind, self.seen.rows):
            found += await asyncio.to_thread(lambda some: list(filter(is_meant, some)), rows)
        return found

    async def look_by(self, column: str, kind: str, named: set[str], is_meant: IsMeant) -> list[Row]:
        """Give the rows that are meant. Of those with such a name in a column, more may have come since."""
        found = await self.look(kind, is_meant)
        if self.seen is None:
            return found
        table, known = PLACES[kind][0], {row["id"] for row in found}
        for names in _part(sorted(named)):
            rows = await self._fetch(kind, select(table).where(table.c[column].in_(names)).with_for_update())
            found += [row for row in rows if row["id"] not in known and is_meant(row)]
        return found

    async def read(self, kind: str, places: Iterable[tuple[Any, ...]]) -> list[Row]:
        """Give the rows at some places."""
        return [row async for rows in self._read(kind, sorted(places)) for row in rows]

    async def list_since(self, at: datetime) -> list[Row]:
        """Give the reports that came since an instant, whatever was seen."""
        return await self._fetch("version", select(VERSIONS).where(VERSIONS.c.at >= at))

    async def _walk(self, kind: str) -> AsyncIterator[list[Row]]:
        table, keys = PLACES[kind]
        columns = [table.c[name] for name in keys]
        question = select(table).order_by(*columns).limit(PAGE)
        rows = await self._fetch(kind, question)
        while rows:
            yield rows
            last = [rows[-1][name] for name in keys]
            rows = await self._fetch(kind, question.where(tuple_(*columns) > tuple_(*last)))

    def _read_again(self, kind: str, seen: Rows) -> AsyncIterator[list[Row]]:
        keys = PLACES[kind][1]
        return self._read(kind, sorted(tuple(row[name] for name in keys) for row in seen.get(kind, ())))

    async def _read(self, kind: str, places: list[tuple[Any, ...]]) -> AsyncIterator[list[Row]]:
        table, keys = PLACES[kind]
        columns = [table.c[name] for name in keys]
        for some in _part(places):
            question = select(table).where(tuple_(*columns).in_(some)).order_by(*columns)
            is_locked = self.seen is not None and kind not in _NEVER_CHANGED
            yield await self._fetch(kind, question.with_for_update() if is_locked else question)

    async def _fetch(self, kind: str, question: Select[Any]) -> list[Row]:
        keys = PLACES[kind][1]
        rows = await self.transaction.fetch(question)
        return [{**row, "id": ":".join(str(row[name]) for name in keys)} for row in rows]


def _part(places: list[Place]) -> Iterator[list[Place]]:
    for start in range(0, len(places), PAGE):
        yield places[start : start + PAGE]
