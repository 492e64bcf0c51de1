"""Going through the tables of postings for rows that are about a person."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, Table, select, tuple_

from dibs.apps.postings.tables import ACTS, ANSWERS, BLOBS, CAPS, POSTINGS, PROFILES, RUNS, VARIANTS, VERSIONS
from dibs.storage.transaction import Transaction

Row = Mapping[str, Any]
Rows = dict[str, list[Row]]
IsMeant = Callable[[Row], bool]
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


class Search:
    """Reads whole tables, or, to write, only what an earlier look has found, and nobody else writes it meanwhile."""

    def __init__(self, transaction: Transaction, seen: Rows | None = None) -> None:
        self.transaction = transaction
        self.seen = seen

    async def look(self, kind: str, is_meant: IsMeant) -> list[Row]:
        """Give the rows that are meant. They are judged beside the event loop: it takes long."""
        found: list[Row] = []
        async for rows in self._walk(kind) if self.seen is None else self._read_again(kind, self.seen):
            found += await asyncio.to_thread(lambda some: list(filter(is_meant, some)), rows)
        return found

    async def look_in_runs(self, kind: str, run_ids: set[str], is_meant: IsMeant) -> list[Row]:
        """Give the rows that are meant, and all of some runs: of these, more may have come since the earlier look."""
        found = await self.look(kind, lambda row: row["run_id"] in run_ids or is_meant(row))
        if self.seen is None:
            return found
        known, names = {row["id"] for row in found}, sorted(run_ids)
        table = PLACES[kind][0]
        for start in range(0, len(names), PAGE):
            rows = await self._fetch(kind, select(table).where(table.c.run_id.in_(names[start : start + PAGE])))
            found += [row for row in rows if row["id"] not in known]
        return found

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

    async def _read_again(self, kind: str, seen: Rows) -> AsyncIterator[list[Row]]:
        table, keys = PLACES[kind]
        columns = [table.c[name] for name in keys]
        places = sorted(tuple(row[name] for name in keys) for row in seen.get(kind, ()))
        for start in range(0, len(places), PAGE):
            wanted = tuple_(*columns).in_(places[start : start + PAGE])
            yield await self._fetch(kind, select(table).where(wanted).order_by(*columns).with_for_update())

    async def _fetch(self, kind: str, question: Select[Any]) -> list[Row]:
        keys = PLACES[kind][1]
        rows = await self.transaction.fetch(question)
        return [{**row, "id": ":".join(str(row[name]) for name in keys)} for row in rows]
