"""The moves of the cache, on a file."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import asdict

from dibs.kit.clock import Clock, span_micros, to_micros, utc_now
from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally, Kept, Page, Slot, Span
from dibs.outside.cache.rows import CapWatch, encode_headers, own_size, read_kept, span_until
from dibs.outside.cache.sqlite.file import CacheFile, Cursor

EVICTED_AT_ONCE = 64


class SqliteCache:
    """Pages in one file, shared by the processes of a machine."""

    def __init__(self, path: str, *, max_bytes: int, clock: Clock = utc_now) -> None:
        self._file = CacheFile(path)
        self._watch = CapWatch(max_bytes)
        self._clock = clock

    async def find(self, slot: Slot) -> Kept | None:
        """Read a page."""
        now = self._now()
        rows = await self._file.read(lambda cursor: cursor.run("pages/find", {"slot": slot.digest, "now": now}))
        return read_kept(dict(rows[0]), now) if rows else None

    async def put(self, slot: Slot, page: Page, span: Span) -> None:
        """Keep a page."""
        now = self._now()
        values = {**_describe(slot, page), "now": now, **span_until(now, span)}
        cap = self._watch.cap if self._watch.note(page) else None
        await self._file.write(lambda cursor: _put(cursor, values, cap))

    async def refresh(self, slot: Slot, page: Page, span: Span) -> None:
        """Let a page be fresh again."""
        now = self._now()
        values = {**_describe(slot, page), "now": now, **span_until(now, span)}
        await self._file.write(lambda cursor: cursor.run("pages/refresh", values))

    async def prune(self, request: CachePrune) -> int:
        """Forget pages."""
        values = {
            "now": self._now(),
            "limit": request.limit,
            "source": request.source,
            "tenant": request.tenant,
            "expired_only": request.expired_only,
        }
        if request.dry_run:
            rows = await self._file.read(lambda cursor: cursor.run("pages/count_prunable", values))
            return int(rows[0][0])
        return await self._file.write(lambda cursor: _prune(cursor, values))

    async def measure(self) -> CacheSize:
        """Tell how much is kept."""
        return await self._file.read(_measure)

    async def add_tallies(self, tallies: Sequence[CacheTally]) -> None:
        """Add to what was counted today."""
        rows = [{**asdict(tally), "now": self._now()} for tally in tallies]
        await self._file.write(lambda cursor: [cursor.run("tallies/add", row) for row in rows])

    async def read_tallies(self) -> list[CacheTally]:
        """Tell what was counted today."""
        now = self._now()
        rows = await self._file.read(lambda cursor: cursor.run("tallies/read", {"now": now}))
        return [CacheTally(**dict(row)) for row in rows]

    async def claim(self, slot: Slot, owner: str, lease: timedelta) -> bool:
        """Be the one who fetches."""
        now = self._now()
        values = {"slot": slot.digest, "owner": owner, "now": now, "ends_at": now + span_micros(lease)}
        return bool(await self._file.write(lambda cursor: cursor.run("flights/claim", values)))

    async def release(self, slot: Slot, owner: str) -> None:
        """Let others fetch."""
        await self._file.write(lambda cursor: cursor.run("flights/release", {"slot": slot.digest, "owner": owner}))

    async def close(self) -> None:
        """Close the file."""
        await self._file.close()

    def _now(self) -> int:
        return to_micros(self._clock())


def _describe(slot: Slot, page: Page) -> dict[str, Any]:
    return {
        "slot": slot.digest,
        "tenant": slot.tenant,
        "source": slot.source,
        "url": page.url,
        "status": page.status,
        "headers": encode_headers(page),
        "body": page.digest,
        "content": page.body,
        "size": own_size(page),
    }


def _put(cursor: Cursor, values: dict[str, Any], cap: int | None) -> None:
    before = cursor.run("pages/find_body_of", values)
    cursor.run("pages/put_body", values)
    cursor.run("pages/put_page", values)
    _drop_orphans(cursor, before)
    limit = 1
    while cap is not None and _measure(cursor).bytes > cap:
        _drop_orphans(cursor, cursor.run("pages/drop_oldest", {"limit": limit}))
        limit = min(2 * limit, EVICTED_AT_ONCE)


def _prune(cursor: Cursor, values: dict[str, Any]) -> int:
    dropped = cursor.run("pages/prune", values)
    _drop_orphans(cursor, dropped)
    cursor.run("flights/prune", values)
    cursor.run("tallies/prune", values)
    return len(dropped)


def _drop_orphans(cursor: Cursor, rows: list[Any]) -> None:
    for body in {row["body"] for row in rows}:
        cursor.run("pages/drop_orphan", {"body": body})


def _measure(cursor: Cursor) -> CacheSize:
    pages, bodies, size = cursor.run("pages/measure", {})[0]
    return CacheSize(pages=pages, bodies=bodies, bytes=size)
