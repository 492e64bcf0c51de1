"""Who forgets finished jobs, where not all workers know the same types."""

from datetime import timedelta
from typing import Any

import pytest

from dibs.backends.memory import build_parts
from dibs.engine.events import Events
from dibs.engine.job import Job
from dibs.engine.loops.pruning import Pruning
from dibs.engine.retention import Retention
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Reach
from dibs.settings import Settings

AT_ONCE = Retention(succeeded=timedelta(microseconds=1), failed=None)


@pytest.fixture
def backend() -> Backend:
    return Backend(build_parts(), Settings())


def make_pruning(backend: Backend, owner: str, *job_types: str) -> Pruning:
    facts: dict[str, Any] = {"owner": owner, "job_types": job_types, "interval": timedelta(hours=1)}
    return Pruning(backend, Reach(Events()), AT_ONCE, **facts)


async def finish(backend: Backend, *job_types: str) -> None:
    for job_type in job_types:
        await backend.store_job(Job(job_type=job_type))
        job = await backend.claim_pending_job(job_types=[job_type])
        assert job is not None
        await backend.complete_job(job.lease, None)


async def test_a_worker_that_knows_other_types_forgets_those_while_the_first_one_lives(backend):
    await finish(backend, "MAIL", "MAIL", "CRAWL")
    assert await make_pruning(backend, "first", "MAIL").tick() == 2
    assert await make_pruning(backend, "second", "CRAWL").tick() == 1


async def test_of_workers_that_know_the_same_types_one_forgets(backend):
    await finish(backend, "MAIL")
    assert await make_pruning(backend, "first", "MAIL", "CRAWL").tick() == 1
    await finish(backend, "MAIL")
    assert await make_pruning(backend, "second", "CRAWL", "MAIL").tick() == 0
