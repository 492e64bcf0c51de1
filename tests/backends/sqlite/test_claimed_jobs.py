"""A claim tells all of a job, though it reads what few jobs have in one piece."""

import pytest
from msgspec.structs import replace

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Failure


async def assert_claimed_as_stored(backend: Backend) -> Job:
    claimed = await backend.claim_pending_job()
    assert claimed is not None
    assert claimed == await backend.get_job(claimed.id)
    return claimed


@pytest.mark.parametrize("link", ["unique_key", "concurrency_key", "source", "parent_id"])
async def test_one_link_is_enough_to_be_told(backend: Backend, link: str) -> None:
    await backend.store_job(replace(Job(id="job", job_type="test"), **{link: "a link"}))
    assert getattr(await assert_claimed_as_stored(backend), link) == "a link"


async def test_a_plain_job_is_told_as_it_is(backend: Backend) -> None:
    await backend.store_job(Job(id="job", job_type="test", priority=7, input={"text": 'é "quoted"'}))
    await assert_claimed_as_stored(backend)


async def test_what_earlier_attempts_left_is_told(backend: Backend) -> None:
    await backend.store_job(Job(id="job", job_type="test"))
    first = await assert_claimed_as_stored(backend)
    await backend.report_progress(first.lease, {"done": 'half, "quoted"'})
    error = ErrorInfo(type="ValueError", message='a "quoted" word')
    await backend.fail_job(Failure(lease=first.lease, error=error, cost_microcents=2**53 - 1))
    again = await assert_claimed_as_stored(backend)
    assert (again.error, again.progress, again.attempts) == (error, {"done": 'half, "quoted"'}, 1)
    assert again.cost_microcents == 2**53 - 1


async def test_the_cost_of_a_job_that_an_operator_revived_is_told(backend: Backend) -> None:
    await backend.store_job(Job(id="job", job_type="test"))
    first = await assert_claimed_as_stored(backend)
    error = ErrorInfo(type="ValueError")
    await backend.fail_job(Failure(lease=first.lease, error=error, kind=FailureKind.PERMANENT, cost_microcents=5))
    await backend.retry_job("job", actor="operator", reason="a test")
    revived = await assert_claimed_as_stored(backend)
    assert (revived.cost_microcents, revived.attempts) == (5, 0)
