"""What happens to jobs whose worker vanished."""

import asyncio

from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import (
    LEASE,
    MINUTE,
    SECOND,
    Ground,
    audit_of,
    claim,
    claim_ids,
    failure,
    store_and_claim,
)


class Reclaiming(Ground):
    """The reaper, safe in parallel, and quarantine."""

    async def test_a_job_within_its_lease_is_left_alone(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        await harness.advance(LEASE - 30 * SECOND)
        assert await backend.reap_jobs() == []
        await backend.heartbeat_jobs([job.lease])
        await harness.advance(LEASE - 30 * SECOND)
        assert await backend.reap_jobs() == []

    async def test_a_lapsed_claim_is_offered_again(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        await harness.advance(LEASE + SECOND)
        [reclaimed] = await backend.reap_jobs()
        assert (reclaimed.lease, reclaimed.worker, reclaimed.state) == (job.lease, "worker-1", State.PENDING)
        waiting = await backend.get_job("job")
        assert (waiting.state, waiting.attempts, waiting.worker_deaths) == (State.PENDING, 1, 1)
        assert (waiting.locked_by, waiting.lease_expires_at, waiting.heartbeat_at) == (None, None, None)
        assert waiting.lease_token > job.lease_token
        assert await claim_ids(backend) == ["job"]

    async def test_a_reclaim_names_the_prior_holder_in_log_and_history(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        job = await store_and_claim(backend, tenant="acme")
        await harness.advance(LEASE + SECOND)
        await backend.reap_jobs()
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.tenant) == ("JOB_RECLAIMED", "dibs:reaper", "acme")
        assert entry.detail == {"locked_by": "worker-1"}
        assert entry.token == (await backend.get_job("job")).lease_token
        [attempt] = await backend.reader.list_attempts("job")
        assert (attempt.outcome, attempt.worker, attempt.token) == (AttemptOutcome.LOST, "worker-1", job.lease_token)

    async def test_the_third_worker_death_quarantines_the_job(self, backend: Backend, harness: StoreHarness) -> None:
        await store_and_claim(backend, max_retries=0)
        states = []
        for _ in range(3):
            await harness.advance(LEASE + SECOND)
            [reclaimed] = await backend.reap_jobs()
            states.append(reclaimed.state)
            await backend.claim_pending_job()
        assert states == [State.PENDING, State.PENDING, State.FAILED]
        job = await backend.get_job("job")
        assert (job.state, job.attempts, job.worker_deaths, job.locked_by) == (State.FAILED, 3, 3, "worker-1")
        assert job.error is not None
        assert (job.error.type, "3 workers" in job.error.message) == ("WorkerLost", True)
        assert job.finished_at is not None
        last = (await audit_of(backend, "job:job"))[-1]
        assert (last.action, last.actor, last.detail) == ("JOB_QUARANTINED", "dibs:reaper", {"locked_by": "worker-1"})

    async def test_the_limit_of_worker_deaths_can_be_set(self, backend: Backend, harness: StoreHarness) -> None:
        strict = await harness.open(max_worker_deaths=1)
        await store_and_claim(backend)
        await harness.advance(LEASE + SECOND)
        [reclaimed] = await strict.reap_jobs()
        await strict.close()
        assert reclaimed.state is State.FAILED

    async def test_a_reclaim_keeps_errors_apart_from_deaths(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend, max_retries=1)
        await backend.fail_job(failure(job))
        await claim(backend)
        await harness.advance(LEASE + SECOND)
        await backend.reap_jobs()
        job = await claim(backend)
        assert (job.attempts, job.worker_deaths, job.errors) == (2, 1, 1)

    async def test_those_that_lapsed_first_are_taken_first(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(3)])
        for seconds in (30, 10, 20):
            await claim(backend, lease=seconds * SECOND)
        await harness.advance(MINUTE)
        first = await backend.reap_jobs(2)
        assert [one.lease.job_id for one in first] == ["j-1", "j-2"]
        assert [one.lease.job_id for one in await backend.reap_jobs(2)] == ["j-0"]

    async def test_reapers_in_parallel_take_each_job_once(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(40)])
        await backend.claim_pending_jobs(40)
        await harness.advance(LEASE + SECOND)
        handles = [await harness.open() for _ in range(4)]
        rounds = await asyncio.gather(*(handle.reap_jobs() for handle in handles for _ in range(3)))
        for handle in handles:
            await handle.close()
        taken = [one.lease.job_id for reclaimed in rounds for one in reclaimed]
        assert sorted(taken) == sorted(f"j-{n}" for n in range(40))

    async def test_live_jobs_do_not_hide_lapsed_ones_from_the_reaper(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(30)])
        live = await backend.claim_pending_jobs(29, lease=60 * LEASE)
        await claim(backend, lease=SECOND)
        await harness.advance(MINUTE)
        assert [one.lease.job_id for one in await backend.reap_jobs(5)] == ["j-29"]
        assert all(await backend.heartbeat_jobs([job.lease for job in live]))
