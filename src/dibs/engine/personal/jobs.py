"""What the engine itself holds about a person: jobs, schedules, and the audit log."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from dibs.engine.audit.actions import ALL_TENANTS
from dibs.engine.encryption.payloads import Unreadable, UnreadableError
from dibs.engine.job import Job
from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import LARGEST_PAGE, AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.errors import ScheduleNotFound, Undecipherable

_NAMES = ("job_type", "queue", "source", "concurrency_key")
_FIELDS = ("id", "input", "output", "progress", "unique_key", "parent_id", *_NAMES)
_OF_SCHEDULES = ("name", "input", *_NAMES)
_FACTS = ("actor", "subject", "reason", "detail")
BATCH = 500
# Each may have a mebibyte of input, and as much of output.
READ_AT_ONCE = 100


async def walk_jobs(backend: Backend, tenant: str | None) -> AsyncIterator[Job]:
    """Read all jobs of a tenant, the newest first; None: of everybody."""
    async for page in _walk_pages(backend, tenant):
        for job in page:
            yield job


async def _walk_pages(backend: Backend, tenant: str | None) -> AsyncIterator[Sequence[Job]]:
    cursor: int | None = None
    while True:
        page = await backend.reader.list_jobs(JobFilter(tenant=tenant), PageRequest(cursor=cursor, limit=READ_AT_ONCE))
        yield page.items
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


async def find_jobs(backend: Backend, inquiry: Inquiry) -> list[Job]:
    """Find the jobs that name a person, in what they were given, made, or failed with."""
    found: list[Job] = []
    async for page in _walk_pages(backend, inquiry.tenant):
        # Beside the event loop: whoever serves others meanwhile would not answer them.
        named = await asyncio.to_thread(lambda jobs: [_names(inquiry, job) for job in jobs], page)
        for job, is_named in zip(page, named, strict=True):
            if is_named or await _names_once(backend, inquiry, job):
                found.append(job)
    return found


def _names(inquiry: Inquiry, job: Job) -> bool:
    _refuse_unreadable(f"job {job.id!r}", job.input, job.output, job.progress, job.error)
    return any(inquiry.names(getattr(job, field)) for field in _FIELDS) or inquiry.names(msgspec.to_builtins(job.error))


async def _names_once(backend: Backend, inquiry: Inquiry, job: Job) -> bool:
    """Look at earlier attempts: they have errors of their own, which the job itself does not show any more."""
    attempts = await backend.reader.list_attempts(job.id) if job.lease_token else []
    _refuse_unreadable(f"an attempt of job {job.id!r}", *(attempt.error for attempt in attempts))
    return any(inquiry.names(msgspec.to_builtins(attempt.error)) for attempt in attempts)


def _refuse_unreadable(what: str, *payloads: Any) -> None:
    """Nobody can say that a person is not in what cannot be read."""
    for payload in payloads:
        if isinstance(payload, (Unreadable, UnreadableError)):
            why = payload["unreadable"] if isinstance(payload, Unreadable) else payload.message
            message = f"{what} cannot be searched: {why}"
            raise Undecipherable(message)


class JobsHolding(Untraced):
    """Jobs in every state, with their attempts."""

    name = "jobs"

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the jobs with all that they hold."""
        return [await self._give(job) for job in await find_jobs(self._backend, inquiry)]

    async def _give(self, job: Job) -> Held:
        attempts = await self._backend.reader.list_attempts(job.id)
        data = {**msgspec.to_builtins(job), "history": msgspec.to_builtins(attempts)}
        return Held(kind="job", id=job.id, data=data)

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:
        """Cancel what is not finished, so that nobody works on it any more, and forget all of it."""
        ids = [job.id for job in await find_jobs(self._backend, inquiry)]
        count = 0
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            await self._backend.cancel_jobs(some, actor=act.actor, reason=act.reason)
            count += sum(await self._backend.erase_jobs(some, actor=act.actor, reason=act.reason))
        return Erased(count=count)


class SchedulesHolding(Untraced):
    """Schedules whose jobs would name the person again."""

    name = "schedules"

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the schedules."""
        found = await self._find(inquiry)
        return [Held(kind="schedule", id=one.name, data=msgspec.to_builtins(one)) for one in found]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:
        """Remove them."""
        count = 0
        for one in await self._find(inquiry):
            # Before: nobody who asks again finds them. After: it may have fired meanwhile.
            await self._forget_fires(inquiry, one)
            with suppress(ScheduleNotFound):
                await self._backend.schedules.remove(
                    one.name, tenant=inquiry.tenant, actor=act.actor, reason=act.reason
                )
                count += 1
            await self._forget_fires(inquiry, one)
        return Erased(count=count)

    async def _forget_fires(self, inquiry: Inquiry, schedule: Schedule) -> None:
        """Forget when it fired, if its name says whose it was; else that keeps it from firing twice."""
        if inquiry.names(schedule.name):
            await self._backend.schedules.forget_fires(schedule.name, tenant=inquiry.tenant)

    async def _find(self, inquiry: Inquiry) -> list[Schedule]:
        schedules = await self._backend.schedules.list_schedules(tenant=inquiry.tenant)
        for one in schedules:
            _refuse_unreadable(f"schedule {one.name!r}", one.input)
        return [one for one in schedules if any(inquiry.names(getattr(one, field)) for field in _OF_SCHEDULES)]


class AuditHolding(Untraced):
    """The audit log: it can be given out, but nothing in it can be changed."""

    name = "audit"

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the entries that name the person."""
        found = [entry async for entry in self._walk(inquiry) if _is_named(inquiry, entry)]
        return [Held(kind="audit", id=str(entry.sequence), data=msgspec.to_builtins(entry)) for entry in found]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - nobody can do it
        """Say what stays."""
        count = len(await self.find(inquiry))
        said = f"{count} entries of the audit log: they are sealed. They end with dibs audit forget."
        return Erased(kept=(said,) if count else ())

    async def _walk(self, inquiry: Inquiry) -> AsyncIterator[AuditEntry]:
        """Read what is said of the tenant, and of all of them."""
        for tenant in (inquiry.tenant, ALL_TENANTS):
            cursor: int | None = None
            while True:
                request = PageRequest(cursor=cursor, limit=LARGEST_PAGE)
                page = await self._backend.reader.list_audit(AuditFilter(tenant=tenant), request)
                for entry in page.items:
                    yield entry
                cursor = page.next_cursor
                if cursor is None:
                    break


def _is_named(inquiry: Inquiry, entry: AuditEntry) -> bool:
    return any(inquiry.names(getattr(entry, name)) for name in _FACTS)
