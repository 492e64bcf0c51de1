"""What is held back, and why: one look for everybody, kept for a few seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec
from msgspec.structs import replace

from dibs.engine.admission.explaining import explain
from dibs.engine.job import Job
from dibs.engine.states import WAITING
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import JobNotFound

KEPT_SECONDS = 3.0
LOOKED_AT = 100
MOST_EXPLAINED = 8
# Waiting for its time or its turn is how jobs live; nobody needs to do anything about it.
ORDINARY = frozenset({"behind", "not_due", "no_slot", "source_limited", "source_awaited"})


class Holdup(msgspec.Struct, frozen=True, kw_only=True):
    """One reason, and how many of the jobs that were looked at it holds. `job_id` is one of them."""

    sentence: str
    code: str
    tenants: tuple[str, ...]
    source: str | None
    job_type: str
    queue: str
    job_id: str
    count: int
    until: datetime | None = None


class Holdups:
    """Looks at the waiting jobs that were stored last."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]]) -> None:
        self._open_backend = open_backend
        self._kept: dict[str | None, tuple[float, asyncio.Task[list[Holdup]]]] = {}

    async def find(self, tenant: str | None) -> list[Holdup]:
        """Tell what holds jobs of a tenant (None: of all) back, the most frequent first."""
        now = asyncio.get_running_loop().time()
        self._kept = {name: kept for name, kept in self._kept.items() if now < kept[0]}
        if tenant not in self._kept:
            self._kept[tenant] = now + KEPT_SECONDS, asyncio.create_task(self._look(tenant))
        return await asyncio.shield(self._kept[tenant][1])

    async def _look(self, tenant: str | None) -> list[Holdup]:
        backend = await self._open_backend()
        wanted = JobFilter(states=WAITING, tenant=tenant)
        jobs = (await backend.reader.list_jobs(wanted, PageRequest(limit=LOOKED_AT))).items
        groups: dict[tuple[str | None, ...], list[Job]] = {}
        for job in jobs:
            groups.setdefault(_alike(job), []).append(job)
        largest = sorted(groups.values(), key=len, reverse=True)[:MOST_EXPLAINED]
        found = [await _explain(backend, group) for group in largest]
        return _merge([one for one in found if one is not None])


def _alike(job: Job) -> tuple[str | None, ...]:
    return job.job_type, job.queue, job.tenant, job.source, job.concurrency_key


def _merge(found: list[Holdup]) -> list[Holdup]:
    """Tell each reason once, for all whom it holds."""
    merged: dict[str, Holdup] = {}
    for one in found:
        first = merged.get(one.sentence)
        if first is not None:
            names = dict.fromkeys((*first.tenants, *one.tenants))
            one = replace(first, count=first.count + one.count, tenants=tuple(names))  # noqa: PLW2901 - it is that one now
        merged[one.sentence] = one
    return sorted(merged.values(), key=lambda one: -one.count)


async def _explain(backend: Backend, group: list[Job]) -> Holdup | None:
    job = group[0]
    try:
        reasons = (await explain(backend, job.id)).reasons
    except JobNotFound:
        return None
    reason = next((one for one in reasons if one.code not in ORDINARY), None)
    if reason is None:
        return None
    return Holdup(
        sentence=reason.sentence,
        code=reason.code,
        until=reason.until,
        count=len(group),
        tenants=(job.tenant,),
        source=job.source,
        job_type=job.job_type,
        queue=job.queue,
        job_id=job.id,
    )
