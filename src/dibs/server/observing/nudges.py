"""Whether anything has happened: one cheap look a second for all pages that are open.

The hub reads every entry of the log, for those who want to know what happened. Under a worker at full speed these are
thousands a second; a page asks for itself again anyway, and only needs to know that it should.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager

from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.errors import DibsError, RequestRefused
from dibs.server.observing.chronicle import Chronicle

# At most one nudge in so many seconds, and one in so many even if nothing was seen: time itself changes pages.
PAUSE, LONGEST_PAUSE = 1.0, 5.0
Sign = tuple[int, object]


class Nudges:
    """Looks only while a page is open."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]], chronicle: Chronicle, most: int) -> None:
        self._open_backend = open_backend
        self._chronicle = chronicle
        self._most = most
        self._open = 0
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[Sign] | None = None
        self._seen: Sign = (0, None)
        self._closed = asyncio.Event()

    def check_room(self) -> None:
        """Refuse one more page than can be served."""
        if self._open >= self._most:
            message = f"{self._most} pages are open, and no more are kept up to date. Close some, or load it again."
            raise RequestRefused(message, code="too_many_streams", retry_after=5)

    def close(self) -> None:
        """Let every page go: the server leaves."""
        self._closed.set()

    async def follow(self, pause: float = PAUSE, longest: float = LONGEST_PAUSE) -> AsyncGenerator[None, None]:
        """Give a nudge whenever something has changed."""
        now = asyncio.get_running_loop().time
        seen: Sign | None = None
        with self._counted():
            while not self._closed.is_set():
                began = now()
                while not self._closed.is_set() and now() - began < longest:
                    await asyncio.sleep(pause)
                    if (found := await self._look(pause)) != seen:
                        seen = found
                        break
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    async def _look(self, pause: float) -> Sign:
        now = asyncio.get_running_loop().time()
        if self._looking is None and now - self._looked_at >= pause / 2:
            self._looked_at = now
            self._looking = asyncio.create_task(self._read())
        if self._looking is not None:
            self._seen = await asyncio.shield(self._looking)
            self._looking = None
        return self._seen

    async def _read(self) -> Sign:
        try:
            backend = await self._open_backend()
            newest = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=1))).items
            samples = await self._chronicle.read()
        except (DibsError, OSError):
            # The store is away; the page says so itself when it is asked for again.
            return self._seen
        return newest[0].sequence if newest else 0, samples[-1].queues if samples else None
