"""Writing what is kept anew, as it would be written today: after a key was added, changed, or given up."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.engine.audit.actions import ScheduleAction
from dibs.engine.encryption.payloads import Payloads, Unreadable
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.schedules.keeping import ScheduleAct
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.store.moves import OperatorAct, PayloadField, Rewrite
from dibs.engine.store.protocols import Parts
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.kit.codec import NULL, Json
from dibs.kit.encryption.renewed import Tally

# A batch is one write, and a payload may have a megabyte.
PAGE = 100
_encode = msgspec.json.Encoder().encode


class Renewal:
    """Looks at everything in a store of jobs, past the encryption, and rewrites what another key wrote, or none."""

    def __init__(self, parts: Parts, payloads: Payloads) -> None:
        self._parts = parts
        self._payloads = payloads

    async def renew_jobs(self, *, tenant: str | None = None, is_dry: bool = False) -> AsyncIterator[Tally]:
        """Go through all jobs once, page by page; each page tells what became of it."""
        cursor: int | None = None
        while True:
            asked = PageRequest(cursor=cursor, limit=PAGE)
            page = await self._parts.reader.list_jobs(JobFilter(tenant=tenant), asked)
            yield await self._renew_page(page.items, is_dry=is_dry)
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    async def _renew_page(self, jobs: Sequence[Job], *, is_dry: bool) -> Tally:
        tally = Tally()
        rewrites = [one for job in jobs for one in [*self._look_at(job, tally), *await self._look_back(job, tally)]]
        if is_dry:
            tally.renewed = len(rewrites)
            return tally
        for batch in _once_a_job(rewrites):
            moved = await self._parts.jobs.rewrite(batch)
            # What has moved meanwhile was written by somebody just now: the next look tells how.
            tally.renewed += sum(moved)
        return tally

    def _look_at(self, job: Job, tally: Tally) -> Iterator[Rewrite]:
        opened = self._payloads.open_job(job)
        for field in (PayloadField.INPUT, PayloadField.OUTPUT, PayloadField.PROGRESS):
            before, plain = getattr(job, field), getattr(opened, field)
            if isinstance(plain, Unreadable):
                tally.refuse(f"{field} of job {job.id!r}")
            elif before is None or self._is_current(before, job.tenant):
                tally.current += before is not None
            else:
                yield self._rewrite(job, field, before, plain)

    def _rewrite(self, job: Job, field: PayloadField, before: Any, plain: Any) -> Rewrite:
        encoded = Json(_encode(plain))
        if field is PayloadField.INPUT:
            after = self._payloads.close_input(job, encoded)
        else:
            after = self._payloads.close_result(encoded, job.tenant, job.id, field)
        return Rewrite(job_id=job.id, field=field, before=Json(_encode(before)), after=after)

    async def _look_back(self, job: Job, tally: Tally) -> list[Rewrite]:
        """Look at the errors of a job and of its attempts; where both have the same, it is one."""
        attempts = await self._parts.reader.list_attempts(job.id) if job.lease_token else []
        errors = {_encode(error): error for error in (job.error, *(one.error for one in attempts)) if error is not None}
        found = [self._look_at_error(job, error, tally) for error in errors.values() if error.message]
        return [one for one in found if one is not None]

    def _look_at_error(self, job: Job, error: ErrorInfo, tally: Tally) -> Rewrite | None:
        if self._is_current(error.message, job.tenant):
            tally.current += 1
            return None
        plain = self._payloads.find_error(error, job.tenant, job.id)
        if plain is None:
            tally.refuse(f"error of job {job.id!r}")
            return None
        after = self._payloads.close_error(plain, job.tenant, job.id)
        return Rewrite(job_id=job.id, field=PayloadField.ERROR, before=Json(_encode(error)), after=Json(_encode(after)))

    async def renew_schedules(self, act: OperatorAct, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Go through all schedules once."""
        tally = Tally()
        for schedule in await self._parts.schedules.list_schedules(tenant):
            opened = self._payloads.open_schedule(schedule)
            if isinstance(opened.input, Unreadable):
                tally.refuse(f"input of schedule {schedule.name!r}")
            elif self._is_current(schedule.input, schedule.tenant):
                tally.current += 1
            elif is_dry or await self._renew_schedule(opened, act):
                tally.renewed += 1
        return tally

    async def _renew_schedule(self, opened: Schedule, act: OperatorAct) -> bool:
        told = ScheduleAct(action=ScheduleAction.CHANGED, actor=act.actor, reason=act.reason)
        closed = self._payloads.close_schedule(opened)
        return await self._parts.schedules.save(replace(closed, version=opened.version), told) is not None

    def _is_current(self, value: Any, tenant: str) -> bool:
        return self._payloads.cipher.is_current(value if isinstance(value, str) else "", tenant)


def _once_a_job(rewrites: Sequence[Rewrite]) -> Iterator[list[Rewrite]]:
    """A batch is one write, in which each job stands once."""
    left = [one for one in rewrites if one.after != NULL]
    while left:
        batch = {one.job_id: one for one in reversed(left)}
        yield list(batch.values())
        left = [one for one in left if batch[one.job_id] is not one]
