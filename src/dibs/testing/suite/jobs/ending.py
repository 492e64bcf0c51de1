"""How a holder ends its work: done, later, or no longer needed."""

from datetime import timedelta
from decimal import Decimal

from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import (
    MINUTE,
    SECOND,
    Ground,
    audit_of,
    claim,
    claim_ids,
    failure,
    store,
    store_and_claim,
)


class Ending(Ground):
    """Completing, snoozing, releasing, dropping."""

    async def test_a_completed_job_has_succeeded_and_keeps_its_output(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.complete_job(job.lease, {"answer": [42, None, "ü"]}, cost_cents=Decimal("1.25"))
        done = await backend.get_job("job")
        assert (done.state, done.output, done.cost_cents) == (
            State.SUCCEEDED,
            {"answer": [42, None, "ü"]},
            Decimal("1.25"),
        )
        assert (done.attempts, done.error, done.lease_expires_at) == (0, None, None)
        assert (done.locked_by, done.locked_at, done.lease_token) == ("worker-1", job.locked_at, job.lease_token)
        assert done.finished_at is not None
        assert job.started_at is not None
        assert done.finished_at >= job.started_at

    async def test_many_are_completed_in_one_go_each_by_its_own_token(self, backend: Backend) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(5)])
        jobs = await backend.claim_pending_jobs(5)
        await backend.complete_job(jobs[2].lease, "early")
        moved = await backend.complete_jobs([backend.completion(job.lease, job.id) for job in reversed(jobs)])
        assert moved == [True, True, False, True, True]
        outputs = [job.output for job in await backend.reader.find_jobs([job.id for job in jobs]) if job]
        assert outputs == ["j-0", "j-1", "early", "j-3", "j-4"]

    async def test_a_completion_is_in_the_audit_log(self, backend: Backend) -> None:
        job = await store_and_claim(backend, tenant="acme")
        await backend.complete_job(job.lease, {"secret": 1})
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.tenant) == ("JOB_SUCCEEDED", "worker-1", "acme")
        assert (entry.token, entry.reason, entry.detail) == (job.lease_token, "", None)
        assert entry.at == (await backend.get_job("job")).finished_at

    async def test_success_after_an_error_clears_the_error_but_not_the_history(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.fail_job(failure(job))
        job = await claim(backend)
        await backend.complete_job(job.lease)
        done = await backend.get_job("job")
        assert (done.state, done.error, done.attempts) == (State.SUCCEEDED, None, 1)
        history = await backend.reader.list_attempts("job")
        assert [attempt.outcome for attempt in history] == [AttemptOutcome.ERRORED, AttemptOutcome.SUCCEEDED]
        assert [attempt.number for attempt in history] == [1, 2]
        assert history[1].token == job.lease_token
        assert history[1].ended_at == done.finished_at

    async def test_a_snoozed_job_comes_back_later_at_no_cost(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        await backend.snooze_job(job.lease, 5 * MINUTE)
        waiting = await backend.get_job("job")
        assert (waiting.state, waiting.attempts, waiting.locked_by) == (State.PENDING, 0, None)
        assert (waiting.lease_expires_at, waiting.heartbeat_at, waiting.locked_at) == (None, None, None)
        assert waiting.started_at == job.started_at
        assert await claim_ids(backend) == []
        await harness.advance(5 * MINUTE + SECOND)
        assert await claim_ids(backend) == ["job"]
        history = await backend.reader.list_attempts("job")
        assert [attempt.outcome for attempt in history] == [AttemptOutcome.SNOOZED, AttemptOutcome.RUNNING]

    async def test_a_released_job_is_claimable_at_once(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        assert await backend.release_jobs([job.lease]) == [True]
        assert (await backend.get_job("job")).attempts == 0
        assert await claim_ids(backend) == ["job"]
        history = await backend.reader.list_attempts("job")
        assert [attempt.outcome for attempt in history] == [AttemptOutcome.RELEASED, AttemptOutcome.RUNNING]

    async def test_a_holder_can_say_that_its_job_is_not_needed_any_more(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.drop_job(job.lease, "the posting is gone", cost_cents=2)
        dropped = await backend.get_job("job")
        assert (dropped.state, dropped.attempts, dropped.cost_cents) == (State.CANCELLED, 0, Decimal(2))
        assert dropped.finished_at is not None
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.reason) == ("JOB_DROPPED", "worker-1", "the posting is gone")
        [attempt] = await backend.reader.list_attempts("job")
        assert attempt.outcome is AttemptOutcome.CANCELLED

    async def test_costs_of_all_attempts_add_up_exactly(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.snooze_job(job.lease, timedelta(0), cost_cents=Decimal("0.000001"))
        await backend.fail_job(failure(await claim(backend), cost_microcents=2))
        await backend.complete_job((await claim(backend)).lease, cost_cents=Decimal("0.1"))
        assert (await backend.get_job("job")).cost_microcents == 1 + 2 + 100_000

    async def test_progress_is_kept_and_survives_a_retry(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.report_progress(job.lease, {"done": 3, "of": 10})
        assert (await backend.get_job("job")).progress == {"done": 3, "of": 10}
        await backend.fail_job(failure(job))
        assert (await claim(backend)).progress == {"done": 3, "of": 10}

    async def test_a_heartbeat_moves_the_end_of_the_lease(self, backend: Backend, harness: StoreHarness) -> None:
        await store(backend, "other")
        job = await store_and_claim(backend)
        await harness.advance(MINUTE)
        assert await backend.heartbeat_jobs([job.lease], duration=2 * MINUTE) == [True]
        beaten = await backend.get_job(job.id)
        assert beaten.heartbeat_at is not None
        assert job.locked_at is not None
        assert beaten.heartbeat_at >= job.locked_at + MINUTE
        assert beaten.lease_expires_at == beaten.heartbeat_at + 2 * MINUTE
        assert (beaten.locked_at, beaten.lease_token) == (job.locked_at, job.lease_token)
