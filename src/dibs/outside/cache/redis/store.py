"""The moves of the cache, as scripts."""

from collections.abc import Sequence
from datetime import timedelta

from dibs.kit.clock import span_micros
from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally, Kept, Page, Slot, Span
from dibs.outside.cache.redis.client import Scripts
from dibs.outside.cache.rows import encode_headers, own_size, read_kept

LOOKED_AT_ONCE = 500
_COLUMNS = ("url", "status", "headers", "body", "stored_at", "fresh_until", "content")


class RedisCache:
    """Pages under a namespace beside the jobs. The cap is exact: each script that adds also makes room."""

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self._scripts = Scripts(url)
        self._max_bytes = max_bytes

    async def find(self, slot: Slot) -> Kept | None:
        """Read a page."""
        found = await self._scripts.run("find", slot.digest)
        if not found:
            return None
        *values, now = found
        row = dict(zip(_COLUMNS, values, strict=True))
        return read_kept({**row, "url": row["url"].decode(), "body": row["body"].decode()}, int(now))

    async def put(self, slot: Slot, page: Page, span: Span) -> None:
        """Keep a page."""
        named = (slot.digest, slot.tenant, slot.source, page.url, page.status, encode_headers(page))
        kept = (page.digest, page.body, own_size(page))
        await self._scripts.run("put", *named, *kept, *_spans(span), self._max_bytes)

    async def refresh(self, slot: Slot, page: Page, span: Span) -> None:
        """Let a page be fresh again."""
        await self._scripts.run("refresh", slot.digest, encode_headers(page), own_size(page), *_spans(span))

    async def prune(self, request: CachePrune) -> int:
        """Forget pages, some at a time: a script keeps everybody waiting."""
        chosen = (int(request.expired_only), request.source or "", request.tenant or "", int(request.dry_run))
        offset = pruned = 0
        while pruned < request.limit:
            room = request.limit - pruned
            looked, gone = await self._scripts.run("prune", offset, LOOKED_AT_ONCE, room, *chosen)
            pruned += gone
            offset += looked if request.dry_run else looked - gone
            if not looked:
                break
        return pruned

    async def measure(self) -> CacheSize:
        """Tell how much is kept."""
        pages, bodies, size = await self._scripts.run("measure")
        return CacheSize(pages=pages, bodies=bodies, bytes=size)

    async def add_tallies(self, tallies: Sequence[CacheTally]) -> None:
        """Add to what was counted today."""
        await self._scripts.run(
            "tally", *(value for one in tallies for value in (one.source, one.hits, one.revalidated, one.misses))
        )

    async def read_tallies(self) -> list[CacheTally]:
        """Tell what was counted today."""
        found = iter(await self._scripts.run("tallies"))
        counts: dict[str, dict[str, int]] = {}
        for name, count in zip(found, found, strict=True):
            kind, _, source = name.decode().partition(":")
            counts.setdefault(source, {})[kind] = int(count)
        return [CacheTally(source=source, **counts[source]) for source in sorted(counts)]

    async def claim(self, slot: Slot, owner: str, lease: timedelta) -> bool:
        """Be the one who fetches."""
        return bool(await self._scripts.run("claim", slot.digest, owner, span_micros(lease)))

    async def release(self, slot: Slot, owner: str) -> None:
        """Let others fetch."""
        await self._scripts.run("release", slot.digest, owner)

    async def close(self) -> None:
        """Close the connections."""
        await self._scripts.close()


def _spans(span: Span) -> tuple[int, int]:
    return span_micros(span.fresh), span_micros(span.stale)
