"""What a place for cached pages must do. Three are there: `sqlite`, `postgres` and `redis`."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally, Kept, Page, Slot, Span


class CacheStore(Protocol):
    """Keeps pages by slot. It may forget any of them at any time, and must never give back another one's.

    Its own clock tells what is fresh. Any method may fail; `dibs.outside.cache.cache.Cache` makes misses of failures.
    """

    async def find(self, slot: Slot) -> Kept | None:
        """Read a page; None when there is none, when it was kept long enough, or when its body is not what it was."""

    async def put(self, slot: Slot, page: Page, span: Span) -> None:
        """Keep a page in place of the one before; those stored first make room when there is too much."""

    async def refresh(self, slot: Slot, page: Page, span: Span) -> None:
        """Let a page be fresh again from now, with the headers of `page`; its body stays."""

    async def prune(self, request: CachePrune) -> int:
        """Forget pages; tell how many, or with a dry run how many it would be."""

    async def measure(self) -> CacheSize:
        """Tell how much is kept."""

    async def add_tallies(self, tallies: Sequence[CacheTally]) -> None:
        """Add to what was counted today."""

    async def read_tallies(self) -> list[CacheTally]:
        """Tell what was counted today, by the store's own clock, in UTC."""

    async def claim(self, slot: Slot, owner: str, lease: timedelta) -> bool:
        """Be the one who fetches this page, for so long; the same owner claims again to stay it."""

    async def release(self, slot: Slot, owner: str) -> None:
        """Let others fetch it, if it is still this owner's turn."""

    async def close(self) -> None:
        """Let go of files and connections."""
