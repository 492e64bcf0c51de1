"""A payload that is written otherwise, under another key say, is the same job still."""

from collections.abc import AsyncIterator

import msgspec
import pytest_asyncio

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Failure, PayloadField, Rewrite
from dibs.kit.codec import Json
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import Ground, claim_ids, store, store_and_claim

ONE, OTHER = ErrorInfo(type="E", message="one", traceback="t"), ErrorInfo(type="E", message="other")


def rewrite(job_id: str, field: PayloadField, before: object, after: object) -> Rewrite:
    """Ask for it."""
    return Rewrite(
        job_id=job_id, field=field, before=Json(msgspec.json.encode(before)), after=Json(msgspec.json.encode(after))
    )


class Rewriting(Ground):
    """Input, output, progress, error."""

    @pytest_asyncio.fixture
    async def plain(self, harness: StoreHarness) -> AsyncIterator[Backend]:
        """A handle that keeps payloads as they are given."""
        await harness.reset()
        async with await harness.open(encryption_keys=()) as backend:
            yield backend

    async def test_a_waiting_jobs_input_is_rewritten_and_it_waits_as_before(self, plain: Backend) -> None:
        for name in ("first", "second"):
            await store(plain, name, input={"of": name})
        asked = [rewrite(name, PayloadField.INPUT, {"of": name}, [name]) for name in ("second", "first")]
        assert await plain.jobs.rewrite(asked) == [True, True]
        assert [job.input for job in await plain.claim_pending_jobs(5)] == [["first"], ["second"]]

    async def test_only_what_still_stands_is_rewritten(self, plain: Backend) -> None:
        await store(plain, "job", input={"n": 1})
        asked = [rewrite(name, PayloadField.INPUT, {"n": 2}, {"n": 3}) for name in ("job", "missing")]
        assert await plain.jobs.rewrite(asked) == [False, False]
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.OUTPUT, None, 1)]) == [False]
        assert (await plain.get_job("job")).input == {"n": 1}

    async def test_a_running_job_stays_with_its_holder(self, plain: Backend) -> None:
        job = await store_and_claim(plain, "job", input=1)
        await plain.report_progress(job.lease, "half")
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.PROGRESS, "half", "1/2")]) == [True]
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.INPUT, 1, 2)]) == [True]
        found = await plain.get_job("job")
        assert (found.state, found.lease, found.input, found.progress) == (State.RUNNING, job.lease, 2, "1/2")
        await plain.complete_job(job.lease, {"out": 1})
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.OUTPUT, {"out": 1}, {"out": 2})]) == [True]
        done = await plain.get_job("job")
        assert (done.state, done.input, done.progress, done.output) == (State.SUCCEEDED, 2, "1/2", {"out": 2})

    async def test_an_error_is_rewritten_in_the_job_and_in_its_history(self, plain: Backend) -> None:
        await plain.store_job(Job(id="job", job_type="test", max_retries=5))
        for error in (ONE, OTHER, ONE):
            await plain.fail_job(Failure(lease=(await plain.claim_pending_jobs(1))[0].lease, error=error))
        after = ErrorInfo(type="E", message="shut")
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.ERROR, ONE, after)]) == [True]
        assert (await plain.get_job("job")).error == after
        assert [one.error for one in await plain.reader.list_attempts("job")] == [after, OTHER, after]
        assert await plain.jobs.rewrite([rewrite("job", PayloadField.ERROR, ONE, after)]) == [False]
        assert await claim_ids(plain) == ["job"]
