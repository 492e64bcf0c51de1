"""What two stores that lived through the same history must agree on."""

from collections.abc import Mapping
from typing import Any

from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest

EVERYTHING = PageRequest(limit=1_000)

# Times and tokens differ from store to store; everything else must not.
AGREED_FIELDS = (
    "id", "job_type", "tenant", "queue", "priority", "input", "max_retries", "unique_key", "state", "output", "error",
    "progress", "cost_microcents", "attempts", "worker_deaths", "locked_by",
)  # fmt: skip
PRESENT_FIELDS = ("locked_at", "heartbeat_at", "lease_expires_at", "started_at", "finished_at")


def view_job(job: Job) -> dict[str, Any]:
    """Take from a job what must be the same in every store."""
    agreed = {field: getattr(job, field) for field in AGREED_FIELDS}
    return agreed | {field: getattr(job, field) is not None for field in PRESENT_FIELDS}


async def view_store(backend: Backend) -> dict[str, Any]:
    """Take from a store what must be the same in every store, after the same history."""
    jobs = (await backend.reader.list_jobs(JobFilter(), EVERYTHING)).items
    audit = (await backend.reader.list_audit(AuditFilter(), EVERYTHING)).items
    attempts = {job.id: await backend.reader.list_attempts(job.id) for job in jobs}
    return {
        "jobs": [view_job(job) for job in jobs],
        "counts": await backend.reader.count_jobs(JobFilter()),
        "attempts": {
            job_id: [(one.number, one.worker, one.outcome, one.error) for one in history]
            for job_id, history in attempts.items()
        },
        "audit": sorted((one.tenant, one.actor, one.action, one.subject, one.reason, str(one.detail)) for one in audit),
    }


async def read_tokens(backend: Backend) -> Mapping[str, int]:
    """Read every job's token."""
    jobs = (await backend.reader.list_jobs(JobFilter(), EVERYTHING)).items
    return {job.id: job.lease_token for job in jobs}


async def read_running(backend: Backend) -> dict[str, Lease]:
    """Read the lease of every running job."""
    running = JobFilter(states=frozenset({State.RUNNING}))
    return {job.id: job.lease for job in (await backend.reader.list_jobs(running, EVERYTHING)).items}
