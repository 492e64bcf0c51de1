"""What the store says in the end, read through an honest wire."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping

from dibs.engine.audit.actions import job_subject
from dibs.engine.job import Attempt, Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import LARGEST_PAGE, AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.torture.checker.cases import Account

AT_ONCE = 8


async def collect_accounts(backend: Backend, booked: Iterable[tuple[str, int]] = ()) -> dict[str, Account]:
    """Read every job with its attempts, its audit entries and its booked effects."""
    jobs = await _read_jobs(backend)
    attempts = await _read_attempts(backend, [job.id for job in jobs])
    audit = await _read_audit(backend)
    effects: defaultdict[str, list[int]] = defaultdict(list)
    for job_id, token in booked:
        effects[job_id].append(token)
    accounts = {job.id: _account(job, attempts, audit, effects) for job in jobs}
    strangers = {job_id: Account(job=None, booked=effects[job_id]) for job_id in effects if job_id not in accounts}
    return accounts | strangers


def _account(
    job: Job,
    attempts: Mapping[str, list[Attempt]],
    audit: Mapping[str, list[AuditEntry]],
    effects: Mapping[str, list[int]],
) -> Account:
    return Account(
        job=job,
        attempts=attempts[job.id],
        audit=audit.get(job_subject(job.id), []),
        booked=effects.get(job.id, []),
    )


async def _read_jobs(backend: Backend) -> list[Job]:
    jobs: list[Job] = []
    cursor = None
    while True:
        page = await backend.reader.list_jobs(JobFilter(), PageRequest(cursor=cursor, limit=LARGEST_PAGE))
        jobs += page.items
        cursor = page.next_cursor
        if cursor is None:
            return jobs


async def _read_attempts(backend: Backend, job_ids: list[str]) -> dict[str, list[Attempt]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def read(job_id: str) -> tuple[str, list[Attempt]]:
        async with gate:
            return job_id, await backend.reader.list_attempts(job_id)

    return dict(await asyncio.gather(*(read(job_id) for job_id in job_ids)))


async def _read_audit(backend: Backend) -> dict[str, list[AuditEntry]]:
    """Read the log, oldest entry first, by what it speaks of."""
    found: defaultdict[str, list[AuditEntry]] = defaultdict(list)
    cursor = None
    while True:
        page = await backend.reader.list_audit(AuditFilter(), PageRequest(cursor=cursor, limit=LARGEST_PAGE))
        for entry in page.items:
            found[entry.subject].append(entry)
        cursor = page.next_cursor
        if cursor is None:
            return {subject: entries[::-1] for subject, entries in found.items()}
