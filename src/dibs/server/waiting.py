"""Waiting for a job, by the hub's news and by a look from time to time."""

import asyncio
from collections.abc import AsyncIterator

from dibs.engine.audit.actions import job_subject
from dibs.engine.job import Job
from dibs.engine.store.reading import LARGEST_PAGE, AuditFilter, PageRequest
from dibs.server.call import Call
from dibs.server.hub import Hub, News, Watcher, as_news
from dibs.server.shapes.writing import write_job
from dibs.web.answers.streams import StreamEvent

LOOK_EVERY = 1.0
MOST_MISSED = LARGEST_PAGE


async def wait_until_final(call: Call, job: Job, seconds: float) -> Job:
    """Give the job when it is final, or as it stands when the time is up or the server leaves."""
    if job.is_final or seconds <= 0:
        return job
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    async with call.hub.watch(_about(job.id)) as watcher:
        while (left := deadline - loop.time()) > 0 and not call.hub.is_closed:
            job = await call.lookups.find(job.id) or job
            if job.is_final:
                break
            await _hear(watcher, min(left, LOOK_EVERY))
    return job


async def follow_job(call: Call, job: Job) -> AsyncIterator[StreamEvent]:
    """Tell how a job stands whenever that changes, until it is final."""
    hub: Hub = call.hub
    async with hub.watch(_about(job.id)) as watcher:
        shown = None
        while not hub.is_closed:
            if _face(job) != shown:
                shown = _face(job)
                yield StreamEvent(event="result" if job.is_final else "job", data=write_job(job))
            if job.is_final:
                return
            await _hear(watcher, LOOK_EVERY)
            found = await call.lookups.find(job.id)
            if found is None:
                return
            job = found


async def follow_news(call: Call, tenant: str | None, *, after: int | None) -> AsyncIterator[StreamEvent]:
    """Tell what changes for a tenant (None: for all of them), first what came after the last event heard."""
    # Counts of queues are of all tenants together.
    with_queues = call.principal.tenant is None and tenant is None

    def fits(news: News) -> bool:
        return with_queues if news.tenant is None else tenant in (None, news.tenant)

    async with call.hub.watch(fits) as watcher:
        missed = [] if after is None else await _find_missed(call, tenant, after)
        for event in missed:
            yield event
        told = {event.id for event in missed}
        while (news := await watcher.queue.get()) is not None:
            if news.event.id is None or news.event.id not in told:
                yield news.event


async def _find_missed(call: Call, tenant: str | None, after: int) -> list[StreamEvent]:
    """Read what came after an event, the oldest first; of very much, the end."""
    page = PageRequest(limit=MOST_MISSED)
    entries = (await call.backend.reader.list_audit(AuditFilter(tenant=tenant), page)).items
    return [as_news(entry).event for entry in reversed(entries) if entry.sequence > after]


def _about(job_id: str) -> "_About":
    return _About(job_subject(job_id))


class _About:
    def __init__(self, subject: str) -> None:
        self._subject = subject

    def __call__(self, news: News) -> bool:
        return news.subject == self._subject


async def _hear(watcher: Watcher, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await watcher.queue.get()
    except TimeoutError:
        return


def _face(job: Job) -> tuple[object, ...]:
    return job.state, job.attempts, job.lease_token, repr(job.progress)
