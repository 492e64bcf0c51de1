"""The cache as its users see it: it may know nothing, but it never fails."""

import time
from collections.abc import Awaitable
from datetime import timedelta
from typing import TypeVar

from dibs.kit.log import get_logger
from dibs.outside.cache.freshness import DEFAULT_TTL
from dibs.outside.cache.keeping import CacheStore
from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally, Kept, Page, Slot, Span
from dibs.outside.cache.tallying import Answer, Tallying

log = get_logger("dibs.cache")

MOST_BODY_BYTES = 5 * 1024 * 1024
# A store that failed is left alone for so long: everybody who waits for it would wait in vain.
MUTE_SECONDS = 5.0
TIDY_SECONDS = 600.0
TIDIED = CachePrune(limit=1_000)
Result = TypeVar("Result")


class Cache:
    """Keeps pages in a store; without one it keeps nothing. Whatever the store does, a failure is a miss."""

    def __init__(
        self, store: CacheStore | None, *, ttl: timedelta = DEFAULT_TTL, max_body_bytes: int = MOST_BODY_BYTES
    ) -> None:
        self._store = store
        self.ttl = ttl
        self.max_body_bytes = max_body_bytes
        self._muted_until = 0.0
        self._tidy_at = 0.0
        self._tallying = Tallying()

    @property
    def is_enabled(self) -> bool:
        """Whether anything is kept at all."""
        return self._store is not None

    async def find(self, slot: Slot) -> Kept | None:
        """Read a page, fresh or stale; None: there is none."""
        if (store := self._reach()) is None:
            return None
        return await self._attempt("find", store.find(slot), None)

    async def keep(self, slot: Slot, page: Page, span: Span) -> None:
        """Keep a page, unless it is too large."""
        if len(page.body) <= self.max_body_bytes and (store := self._reach()) is not None:
            await self._attempt("put", store.put(slot, page, span), None)
            await self._tidy_up(store)

    async def refresh(self, slot: Slot, page: Page, span: Span) -> None:
        """Let a page be fresh again from now."""
        if (store := self._reach()) is not None:
            await self._attempt("refresh", store.refresh(slot, page, span), None)

    async def claim(self, slot: Slot, owner: str, lease: timedelta) -> bool:
        """Be the one who fetches a page; where nobody can tell, everybody is."""
        if (store := self._reach()) is None:
            return True
        return await self._attempt("claim", store.claim(slot, owner, lease), otherwise=True)

    async def release(self, slot: Slot, owner: str) -> None:
        """Let others fetch it."""
        if (store := self._reach()) is not None:
            await self._attempt("release", store.release(slot, owner), None)

    async def note(self, source: str, answer: Answer) -> None:
        """Count where an answer came from; written down every few seconds."""
        self._tallying.note(source, answer)
        if self._tallying.is_due:
            await self._write_tallies()

    async def read_tallies(self) -> list[CacheTally]:
        """Tell how often the cache has answered today, by source, in all processes."""
        if (store := self._reach()) is None:
            return []
        return await self._attempt("read_tallies", store.read_tallies(), [], mutes=False)

    async def prune(self, request: CachePrune) -> int:
        """Forget pages, for an operator: here a failure is told."""
        return 0 if self._store is None else await self._store.prune(request)

    async def sweep(self) -> int:
        """Forget whatever was kept long enough, batch by batch; tell how much. A worker does this now and then."""
        swept = 0
        while (count := await self.prune(TIDIED)) == TIDIED.limit:
            swept += count
        return swept + count

    async def measure(self) -> CacheSize:
        """Tell how much is kept, for an operator: here a failure is told."""
        return CacheSize(pages=0, bodies=0, bytes=0) if self._store is None else await self._store.measure()

    async def close(self) -> None:
        """Let go of files and connections."""
        if self._store is not None:
            await self._write_tallies()
            await self._store.close()

    async def _tidy_up(self, store: CacheStore) -> None:
        """Forget now and then what was kept long enough: who writes also sweeps, whether or not a worker does."""
        if time.monotonic() < self._tidy_at:
            return
        self._tidy_at = time.monotonic() + TIDY_SECONDS
        if await self._attempt("prune", store.prune(TIDIED), 0) == TIDIED.limit:
            self._tidy_at = 0.0

    async def _write_tallies(self) -> None:
        tallies = self._tallying.take()
        if tallies and (store := self._reach()) is not None:
            await self._attempt("add_tallies", store.add_tallies(tallies), None, mutes=False)

    def _reach(self) -> CacheStore | None:
        return None if time.monotonic() < self._muted_until else self._store

    async def _attempt(self, what: str, work: Awaitable[Result], otherwise: Result, *, mutes: bool = True) -> Result:
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - whatever it is, the page can still be fetched
            log.warning("outside.cache.failed", during=what, error=type(error).__name__)
            if mutes:
                self._muted_until = time.monotonic() + MUTE_SECONDS
            return otherwise
