"""The last quarter of an hour: samples of the store, taken by one loop however many pages are open."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from dibs.engine.states import UNFINISHED
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.errors import DibsError
from dibs.kit.log import get_logger
from dibs.server.observing.sample import KINDS, SUCCEEDED, Latency, Sample, count_ended, measure

log = get_logger("dibs.observing")
STEP = timedelta(seconds=2)
KEPT = timedelta(minutes=15)
# A look reads no more entries than this; what it says of more is estimated.
MOST_ENTRIES = 400
MOST_BACK = 4_000
MOST_MEASURED = 40
MOST_TENANTS = 8
# Of its time, the loop may take so much for counting: a large backlog is counted less often.
COUNTING_SHARE = 0.02
# The quickest of so many counts tells what counting costs: one that had to wait for the machine says little.
COUNTS_COMPARED = 3
# Until there are so many, counts are no further apart than this.
FIRST_COUNTS_APART = 10.0


class Chronicle:
    """Begins when somebody first asks, and goes on: a page opened later finds its charts filled."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]], *, step: timedelta = STEP) -> None:
        self._open_backend = open_backend
        self._step = step
        self._samples: deque[Sample] = deque(maxlen=int(KEPT / step))
        self._looking: asyncio.Task[None] | None = None
        self._first: asyncio.Event = asyncio.Event()
        self._last_sequence = 0
        self._last_at: datetime | None = None
        self._counts_due = 0.0
        self._counts_took: deque[float] = deque(maxlen=COUNTS_COMPARED)
        self._counts: dict[str, Any] = {"queues": {}, "tenants": {}, "stored": 0}

    async def read(self) -> Sequence[Sample]:
        """Give the samples, oldest first; the first caller waits for the first one."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_on())
        if not self._samples:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._step.total_seconds()):
                    await self._first.wait()
        return tuple(self._samples)

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look_on(self) -> None:
        while True:
            try:
                await self.look()
            except (DibsError, OSError) as error:
                # The store is away: the charts get a gap, and the pages say it themselves.
                log.warning("server.chronicle.failed", error=type(error).__name__)
            await asyncio.sleep(self._step.total_seconds())

    async def look(self) -> None:
        """Take one sample."""
        backend = await self._open_backend()
        now = await backend.reader.now()
        if self._last_at is None:
            await self._remember(backend, now)
        else:
            await self._count(backend, now)
            self._samples.append(await self._sample(backend, now, self._last_at))
        self._last_at = now
        self._first.set()

    async def _remember(self, backend: Backend, now: datetime) -> None:
        """Fill the charts from the audit log, as far as a few pages of it go."""
        entries = await _read_back(backend, now - KEPT)
        self._last_sequence = entries[0].sequence if entries else 0
        self._samples.extend(_split(entries, now, self._step))
        await self._count(backend, now)
        latencies = await _measure(backend, entries)
        self._samples.append(Sample(at=now, seconds=0, ended={}, latencies=latencies, **self._counts))

    async def _sample(self, backend: Backend, now: datetime, before: datetime) -> Sample:
        page = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=MOST_ENTRIES))
        new = [entry for entry in page.items if entry.sequence > self._last_sequence]
        grown = new[0].sequence - self._last_sequence if new else 0
        has_more = len(new) == MOST_ENTRIES and grown > len(new)
        self._last_sequence += grown
        return Sample(
            at=now,
            seconds=max((now - before).total_seconds(), 0.001),
            ended=count_ended(new, share=len(new) / grown if has_more else 1.0),
            is_estimated=has_more,
            latencies=await _measure(backend, new),
            **self._counts,
        )

    async def _count(self, backend: Backend, now: datetime) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        if began < self._counts_due:
            return
        newest = await backend.reader.list_jobs(JobFilter(), PageRequest(limit=1))
        tenants = {name: await _count_unfinished(backend, name) for name in await self._find_tenants(backend)}
        queues = await backend.reader.count_queues()
        stored = newest.next_cursor or len(newest.items)
        self._counts = {"queues": queues, "tenants": tenants, "stored": stored, "counted_at": now}
        self._counts_took.append(loop.time() - began)
        self._counts_due = began + find_pause(self._counts_took)

    async def _find_tenants(self, backend: Backend) -> list[str]:
        """Name those whose jobs were seen lately, those seen before first."""
        page = await backend.reader.list_jobs(JobFilter(states=UNFINISHED), PageRequest(limit=50))
        ended = {tenant for sample in self._samples for tenant, _ in sample.ended}
        waiting = {name for name, count in self._counts["tenants"].items() if count}
        return sorted({*waiting, *(job.tenant for job in page.items), *ended})[:MOST_TENANTS]


def find_pause(took: Sequence[float]) -> float:
    """Say how many seconds after the beginning of the last count the next may begin."""
    pause = min(took) / COUNTING_SHARE
    return pause if len(took) == COUNTS_COMPARED else min(pause, FIRST_COUNTS_APART)


async def _count_unfinished(backend: Backend, tenant: str) -> int:
    return sum((await backend.reader.count_jobs(JobFilter(tenant=tenant, states=UNFINISHED))).values())


async def _measure(backend: Backend, entries: Sequence[AuditEntry]) -> tuple[Latency, ...]:
    done = [entry.subject.partition(":")[2] for entry in entries if KINDS.get(entry.action) == SUCCEEDED]
    # Evenly spread over the interval, rather than its end alone.
    chosen = done[:: max(1, len(done) // MOST_MEASURED)][:MOST_MEASURED]
    return measure(await backend.reader.find_jobs(chosen)) if chosen else ()


async def _read_back(backend: Backend, since: datetime) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    page = PageRequest(limit=1_000)
    while len(entries) < MOST_BACK:
        found = await backend.reader.list_audit(AuditFilter(since=since), page)
        entries += found.items
        if found.next_cursor is None:
            break
        page = PageRequest(limit=1_000, cursor=found.next_cursor)
    return entries


def _split(entries: Sequence[AuditEntry], now: datetime, step: timedelta) -> list[Sample]:
    """Make samples of what the log says, oldest first."""
    by_place: dict[int, list[AuditEntry]] = {}
    for entry in entries:
        by_place.setdefault(max(0, int((now - entry.at) / step)), []).append(entry)
    oldest = max(by_place, default=-1)
    return [
        Sample(at=now - (place + 1) * step, seconds=step.total_seconds(), ended=count_ended(by_place.get(place, [])))
        for place in range(oldest, -1, -1)
    ]
