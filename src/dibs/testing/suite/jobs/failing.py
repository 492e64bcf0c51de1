"""What a failure costs, and when a job has failed for good."""

from datetime import timedelta

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import (
    BOOM,
    MINUTE,
    SECOND,
    Ground,
    audit_of,
    claim,
    claim_ids,
    failure,
    store_and_claim,
)


class Failing(Ground):
    """Transient, permanent, crashed."""

    async def test_a_transient_error_makes_the_job_retryable_after_a_pause(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        job = await store_and_claim(backend)
        before = await backend.reader.now()
        assert await backend.fail_job(failure(job, retry_in=10 * MINUTE)) is State.RETRYABLE
        waiting = await backend.get_job("job")
        assert (waiting.state, waiting.attempts, waiting.error, waiting.locked_by) == (State.RETRYABLE, 1, BOOM, None)
        assert waiting.run_at is not None
        assert before + 10 * MINUTE - SECOND <= waiting.run_at <= before + 11 * MINUTE
        assert await claim_ids(backend) == []
        await harness.advance(10 * MINUTE + SECOND)
        assert await claim_ids(backend) == ["job"]

    async def test_three_retries_allow_four_executions(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=3)
        states = [await backend.fail_job(failure(job))]
        for _ in range(3):
            job = await claim(backend)
            states.append(await backend.fail_job(failure(job)))
        assert states == [State.RETRYABLE] * 3 + [State.FAILED]
        failed = await backend.get_job("job")
        assert (failed.attempts, failed.error, failed.locked_by) == (4, BOOM, "worker-1")
        assert failed.finished_at is not None
        assert await claim_ids(backend) == []

    async def test_spent_retries_are_in_the_audit_log(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=0)
        await backend.fail_job(failure(job))
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.reason) == ("JOB_EXHAUSTED_RETRIES", "worker-1", "Boom")
        assert (entry.token, entry.detail) == (job.lease_token, None)

    async def test_a_permanent_error_fails_the_job_at_once(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=3)
        assert await backend.fail_job(failure(job, kind=FailureKind.PERMANENT)) is State.FAILED
        assert (await backend.get_job("job")).attempts == 1
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.reason) == ("JOB_FAILED", "Boom")

    async def test_every_error_is_in_the_history(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=1)
        first = ErrorInfo(type="First", message="naïve 🙂 \\ \"'", traceback="x" * 5000)
        await backend.fail_job(failure(job, error=first))
        again = await claim(backend, worker="worker-2")
        await backend.fail_job(failure(again))
        history = await backend.reader.list_attempts("job")
        assert [(attempt.number, attempt.worker, attempt.error) for attempt in history] == [
            (1, "worker-1", first),
            (2, "worker-2", BOOM),
        ]
        assert [attempt.token for attempt in history] == [job.lease_token, again.lease_token]
        assert [attempt.outcome for attempt in history] == [AttemptOutcome.ERRORED] * 2
        assert [attempt.started_at for attempt in history] == [job.locked_at, again.locked_at]
        assert all(attempt.ended_at and attempt.ended_at >= attempt.started_at for attempt in history)

    async def test_a_batch_of_failures_tells_where_each_job_stands(self, backend: Backend) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test", max_retries=n) for n in range(3)])
        jobs = await backend.claim_pending_jobs(3)
        await backend.complete_job(jobs[1].lease)
        states = await backend.fail_jobs([failure(job) for job in jobs])
        assert states == [State.FAILED, None, State.RETRYABLE]

    async def test_a_crash_costs_a_worker_death_and_no_retry(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=0)
        assert await backend.fail_job(failure(job, kind=FailureKind.CRASH)) is State.PENDING
        waiting = await backend.get_job("job")
        assert (waiting.attempts, waiting.worker_deaths, waiting.errors) == (1, 1, 0)
        [attempt, *_] = await backend.reader.list_attempts("job")
        assert (attempt.outcome, attempt.error) == (AttemptOutcome.CRASHED, BOOM)

    async def test_a_job_that_keeps_crashing_is_quarantined(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        for _ in range(2):
            assert await backend.fail_job(failure(job, kind=FailureKind.CRASH)) is State.PENDING
            job = await claim(backend)
        assert await backend.fail_job(failure(job, kind=FailureKind.CRASH)) is State.FAILED
        assert (await backend.get_job("job")).worker_deaths == 3
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.reason) == ("JOB_QUARANTINED", "worker-1", "Boom")

    async def test_worker_deaths_do_not_use_up_retries(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=1)
        await backend.fail_job(failure(job, kind=FailureKind.CRASH))
        assert await backend.fail_job(failure(await claim(backend))) is State.RETRYABLE
        assert await backend.fail_job(failure(await claim(backend))) is State.FAILED
        job = await backend.get_job("job")
        assert (job.attempts, job.worker_deaths, job.errors) == (3, 1, 2)

    async def test_a_crash_may_be_followed_by_a_pause(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        await backend.fail_job(failure(job, kind=FailureKind.CRASH, retry_in=timedelta(minutes=1)))
        assert await claim_ids(backend) == []
        await harness.advance(MINUTE + SECOND)
        assert await claim_ids(backend) == ["job"]
