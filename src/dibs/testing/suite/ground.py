"""What all parts of the suite stand on."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest_asyncio

from dibs.engine.admission.rules import Rule
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Failure
from dibs.engine.store.reading import AuditEntry, AuditFilter, PageRequest
from dibs.testing.harness import StoreHarness

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
LEASE = timedelta(seconds=300)
BOOM = ErrorInfo(type="Boom", message="it broke", traceback="line 1\nline 2")


class Ground:
    """A fresh store and a handle on it. The subclass provides the fixture `harness`."""

    @pytest_asyncio.fixture
    async def backend(self, harness: StoreHarness) -> AsyncIterator[Backend]:
        """Open the empty store."""
        await harness.reset()
        backend = await harness.open(worker_id="worker-1")
        yield backend
        await backend.close()


async def store(backend: Backend, job_id: str, **fields: Any) -> Job:
    """Store a job of type "test"."""
    stored = await backend.store_job(Job(**{"id": job_id, "job_type": "test", **fields}))
    assert stored is not None
    return stored


async def store_and_claim(backend: Backend, job_id: str = "job", **fields: Any) -> Job:
    """Store a job and claim it."""
    await store(backend, job_id, **fields)
    return await claim(backend)


async def claim(backend: Backend, **wanted: Any) -> Job:
    """Claim a job that must be there."""
    job = await backend.claim_pending_job(**wanted)
    assert job is not None, "nothing to claim"
    return job


async def claim_ids(backend: Backend, limit: int = 100, **wanted: Any) -> list[str]:
    """Claim jobs and tell their ids, in the order in which they came."""
    return [job.id for job in await backend.claim_pending_jobs(limit, **wanted)]


def failure(job: Job, **facts: Any) -> Failure:
    """Say that a claimed job failed."""
    return Failure(**{"lease": job.lease, "error": BOOM, "kind": FailureKind.TRANSIENT, **facts})


async def audit_of(backend: Backend, subject: str) -> list[AuditEntry]:
    """Read what the audit log says of a subject, oldest first."""
    page = await backend.reader.list_audit(AuditFilter(subject=subject), PageRequest(limit=1000))
    return list(reversed(page.items))


async def set_rule(backend: Backend, rule: Rule) -> None:
    """Set a rule."""
    await backend.admission.set_rule(rule, actor="op", reason="limits")
