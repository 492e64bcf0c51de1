"""One look at the store for everybody who watches: the tail of the audit log, and the counts of queues."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import msgspec

from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry, AuditFilter, PageRequest
from dibs.errors import RequestRefused
from dibs.kit.log import get_logger
from dibs.web.answers.streams import StreamEvent

log = get_logger("dibs.hub")
LOOK_EVERY = timedelta(milliseconds=200)
COUNT_EVERY = timedelta(seconds=1)
# A watcher that reads too slowly loses the oldest events, never the server's memory.
MOST_UNREAD = 1_000
MOST_SEEN = 10_000
PAGE = 50
MOST_PAGES = 20


class News(msgspec.Struct, frozen=True, kw_only=True):
    """Something that changed; `tenant` None: it concerns nobody in particular."""

    tenant: str | None
    subject: str
    event: StreamEvent


class Watcher:
    """Somebody who watches; hears what fits."""

    def __init__(self, fits: Callable[[News], bool]) -> None:
        self.fits = fits
        self.queue: asyncio.Queue[News | None] = asyncio.Queue(MOST_UNREAD)

    def tell(self, news: News | None) -> None:
        """Hand over news; None: there will be none any more."""
        while self.queue.full():
            self.queue.get_nowait()
        self.queue.put_nowait(news)


class Hub:
    """Looks only while somebody watches."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]], most_watchers: int) -> None:
        self._open_backend = open_backend
        self._most = most_watchers
        self._watchers: set[Watcher] = set()
        self._looking: asyncio.Task[None] | None = None
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._queues: dict[str, Any] = {}
        self._counted_at = 0.0
        self.is_closed = False

    @asynccontextmanager
    async def watch(self, fits: Callable[[News], bool]) -> AsyncIterator[Watcher]:
        """Watch what fits, for the time of a block."""
        self.check_room()
        if self._looking is None:
            await self._begin()
        watcher = Watcher(fits)
        self._watchers.add(watcher)
        if self.is_closed:
            watcher.tell(None)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)
            if not self._watchers and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    @property
    def watchers(self) -> int:
        """How many watch."""
        return len(self._watchers)

    def close(self) -> None:
        """Let everybody go who watches: the server leaves."""
        self.is_closed = True
        for watcher in self._watchers:
            watcher.tell(None)

    def check_room(self) -> None:
        """Refuse one more watcher than can be served. Streams ask before they begin: later no status can be sent."""
        if len(self._watchers) >= self._most:
            message = f"{self._most} streams and waits are open, and no more are served. Try again later, or poll."
            raise RequestRefused(message, code="too_many_streams", retry_after=5)

    async def _begin(self) -> None:
        backend = await self._open_backend()
        entries = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=PAGE))).items
        self._seen = OrderedDict((entry.sequence, None) for entry in reversed(entries))
        # Another one may have begun meanwhile.
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on(backend))

    async def _look_on(self, backend: Backend) -> None:
        while True:
            try:
                await self._look(backend)
                await self._count(backend)
            except Exception as error:  # noqa: BLE001 - all who watch depend on this loop: it goes on, whatever happens
                log.warning("server.hub.failed", error=type(error).__name__)
            await asyncio.sleep(LOOK_EVERY.total_seconds())

    async def _look(self, backend: Backend) -> None:
        for entry in await self._find_unseen(backend):
            self._seen[entry.sequence] = None
            self._tell(as_news(entry))
        while len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)

    async def _find_unseen(self, backend: Backend) -> list[AuditEntry]:
        """Read back until a page has something known: transactions may commit out of the order of their numbers."""
        unseen: list[AuditEntry] = []
        page = PageRequest(limit=PAGE)
        for _ in range(MOST_PAGES):
            found = await backend.reader.list_audit(AuditFilter(), page)
            new = [entry for entry in found.items if entry.sequence not in self._seen]
            unseen += new
            if len(new) < PAGE or found.next_cursor is None:
                break
            page = PageRequest(limit=PAGE, cursor=found.next_cursor)
        return sorted(unseen, key=lambda entry: entry.sequence)

    async def _count(self, backend: Backend) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._counted_at < COUNT_EVERY.total_seconds():
            return
        self._counted_at = now
        queues: dict[str, Any] = dict(await backend.reader.count_queues())
        for name in sorted({*queues, *self._queues}):
            if queues.get(name) != self._queues.get(name):
                data = {"queue": name, "states": queues.get(name, {})}
                self._tell(News(tenant=None, subject=f"queue:{name}", event=StreamEvent(event="queue", data=data)))
        self._queues = queues

    def _tell(self, news: News) -> None:
        for watcher in self._watchers:
            if watcher.fits(news):
                watcher.tell(news)


def as_news(entry: AuditEntry) -> News:
    """Make news of an audit entry. Who did it and why stays in the log, which needs a scope of its own."""
    kind, _, name = entry.subject.partition(":")
    data = {"action": entry.action, "subject": entry.subject, "tenant": entry.tenant, "at": entry.at}
    if kind == "job":
        data["job_id"] = name
    event = StreamEvent(event=kind if kind in ("job", "schedule") else "change", data=data, id=str(entry.sequence))
    return News(tenant=entry.tenant, subject=entry.subject, event=event)
