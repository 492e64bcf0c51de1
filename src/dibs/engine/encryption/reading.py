"""Reading jobs and schedules whose payloads are encrypted."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from dibs.engine.encryption.jobs import close_request
from dibs.engine.encryption.payloads import Payloads, Unreadable
from dibs.engine.job import Attempt, Job
from dibs.engine.schedules.keeping import FireRequest, FireVerdict, ScheduleAct, Schedules
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.store.protocols import JobReader
from dibs.engine.store.reading import JobFilter, Page, PageRequest
from dibs.kit.encryption.encrypted import is_ours
from dibs.kit.log import get_logger

log = get_logger("dibs.encryption")


class DecryptingReader:
    """Reads. Where a key is missing, the payload says so, and all else of the job is there."""

    def __init__(self, reader: JobReader, payloads: Payloads) -> None:
        self._reader = reader
        self._payloads = payloads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        found = await self._reader.find_jobs(job_ids)
        return [None if job is None else self._payloads.open_job(job) for job in found]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs."""
        found = await self._reader.list_jobs(wanted, page)
        return Page(items=[self._payloads.open_job(job) for job in found.items], next_cursor=found.next_cursor)

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job."""
        attempts = await self._reader.list_attempts(job_id)
        if not any(one.error is not None and is_ours(one.error.message) for one in attempts):
            return attempts
        job = (await self._reader.find_jobs([job_id]))[0]
        return attempts if job is None else [self._open_attempt(one, job) for one in attempts]

    def _open_attempt(self, attempt: Attempt, job: Job) -> Attempt:
        if attempt.error is None:
            return attempt
        return replace(attempt, error=self._payloads.open_error(attempt.error, job.tenant, job.id))


class EncryptedSchedules:
    """Schedules. One that cannot be read does not fire, and cannot be changed without a new input."""

    def __init__(self, schedules: Schedules, payloads: Payloads) -> None:
        self._schedules = schedules
        self._payloads = payloads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schedules, name)

    async def save(self, schedule: Schedule, act: ScheduleAct) -> Schedule | None:
        """Store it."""
        saved = await self._schedules.save(self._payloads.close_schedule(schedule), act)
        return None if saved is None else self._payloads.open_schedule(saved)

    async def find(self, tenant: str, name: str) -> Schedule | None:
        """Read one, or None."""
        found = await self._schedules.find(tenant, name)
        return None if found is None else self._payloads.open_schedule(found)

    async def list_schedules(self, tenant: str | None = None) -> list[Schedule]:
        """Read all, or all of a tenant."""
        return [self._payloads.open_schedule(one) for one in await self._schedules.list_schedules(tenant)]

    async def list_due(self, limit: int) -> tuple[datetime, list[Schedule]]:
        """Tell the store's time, and those that are due and can be read."""
        now, due = await self._schedules.list_due(limit)
        return now, [one for one in map(self._payloads.open_schedule, due) if not _is_shut(one)]

    async def fire(self, request: FireRequest) -> FireVerdict:
        """Fire instants."""
        return await self._schedules.fire(replace(request, store=close_request(self._payloads, request.store)))


def _is_shut(schedule: Schedule) -> bool:
    if not isinstance(schedule.input, Unreadable):
        return False
    facts = {"schedule": schedule.name, "tenant": schedule.tenant}
    log.error("engine.schedule.unreadable", **facts, error=schedule.input["unreadable"])
    return True
