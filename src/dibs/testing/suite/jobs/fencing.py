"""Promise 3: nothing that a superseded holder writes is accepted."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from dibs.engine.failure import FailureKind
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest
from dibs.errors import LeaseLost
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, SECOND, Ground, audit_of, claim, failure, store, store_and_claim

LateWrite = Callable[[Backend, Job], Awaitable[object]]

LATE_WRITES: dict[str, LateWrite] = {
    "complete": lambda backend, job: backend.complete_job(job.lease, {"late": True}, cost_cents=5),
    "fail": lambda backend, job: backend.fail_job(failure(job, cost_microcents=5)),
    "fail for good": lambda backend, job: backend.fail_job(failure(job, kind=FailureKind.PERMANENT)),
    "crash": lambda backend, job: backend.fail_job(failure(job, kind=FailureKind.CRASH)),
    "snooze": lambda backend, job: backend.snooze_job(job.lease, timedelta(hours=1), cost_cents=5),
    "drop": lambda backend, job: backend.drop_job(job.lease, "late", cost_cents=5),
    "progress": lambda backend, job: backend.report_progress(job.lease, "late"),
}


async def reclaim(backend: Backend, harness: StoreHarness) -> None:
    """Let every lease lapse and take the jobs back."""
    await harness.advance(LEASE + SECOND)
    assert await backend.reap_jobs()


async def give_to_another(backend: Backend, harness: StoreHarness) -> None:
    """Let another worker have the job."""
    await reclaim(backend, harness)
    await claim(backend, worker="worker-2")


async def let_another_finish(backend: Backend, harness: StoreHarness) -> None:
    """Let another worker finish the job."""
    await reclaim(backend, harness)
    job = await claim(backend, worker="worker-2")
    await backend.complete_job(job.lease, {"by": "worker-2"})


async def snooze(backend: Backend, harness: StoreHarness) -> None:
    """The holder itself gave the job back."""
    job = await backend.get_job("job")
    await backend.snooze_job(job.lease, timedelta(0))


async def fail(backend: Backend, harness: StoreHarness) -> None:
    """The holder itself reported an error."""
    await backend.fail_job(failure(await backend.get_job("job")))


async def complete(backend: Backend, harness: StoreHarness) -> None:
    """The holder itself finished."""
    await backend.complete_job((await backend.get_job("job")).lease, {"by": "worker-1"})


async def cancel(backend: Backend, harness: StoreHarness) -> None:
    """An operator cancelled the job."""
    await backend.cancel_job("job", actor="op", reason="not needed")


async def cancel_and_retry(backend: Backend, harness: StoreHarness) -> None:
    """An operator cancelled the job and put it back; another worker has it."""
    await cancel(backend, harness)
    await backend.retry_job("job", actor="op", reason="needed after all")
    await claim(backend, worker="worker-2")


SUPERSEDINGS = [reclaim, give_to_another, let_another_finish, snooze, fail, complete, cancel, cancel_and_retry]


class Fencing(Ground):
    """Every late write, after everything that can supersede its writer."""

    @pytest.mark.parametrize("supersede", SUPERSEDINGS, ids=lambda one: one.__name__)
    @pytest.mark.parametrize("write", LATE_WRITES.values(), ids=LATE_WRITES.keys())
    async def test_a_late_write_is_refused_and_changes_nothing(
        self,
        backend: Backend,
        harness: StoreHarness,
        write: LateWrite,
        supersede: Callable[[Backend, StoreHarness], Awaitable[None]],
    ) -> None:
        stale = await store_and_claim(backend, max_retries=9)
        await supersede(backend, harness)
        before = (
            await backend.get_job("job"),
            await backend.reader.list_attempts("job"),
            await audit_of(backend, "job:job"),
        )
        with pytest.raises(LeaseLost, match="job"):
            await write(backend, stale)
        after = (
            await backend.get_job("job"),
            await backend.reader.list_attempts("job"),
            await audit_of(backend, "job:job"),
        )
        assert after == before

    @pytest.mark.parametrize("supersede", SUPERSEDINGS, ids=lambda one: one.__name__)
    async def test_a_late_heartbeat_revives_nothing(
        self,
        backend: Backend,
        harness: StoreHarness,
        supersede: Callable[[Backend, StoreHarness], Awaitable[None]],
    ) -> None:
        stale = await store_and_claim(backend, max_retries=9)
        await supersede(backend, harness)
        before = await backend.get_job("job")
        assert await backend.heartbeat_jobs([stale.lease], duration=timedelta(hours=9)) == [False]
        assert await backend.get_job("job") == before

    async def test_a_stale_entry_of_a_batch_spoils_only_itself(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(4)])
        jobs = await backend.claim_pending_jobs(4)
        await backend.cancel_job("j-1", actor="op", reason="test")
        leases = [job.lease for job in jobs]
        assert await backend.heartbeat_jobs(leases) == [True, False, True, True]
        moved = await backend.complete_jobs([backend.completion(lease) for lease in leases])
        assert moved == [True, False, True, True]
        assert (await backend.get_job("j-1")).state is State.CANCELLED

    async def test_an_old_and_a_current_lease_of_one_job_can_stand_in_one_batch(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        stale = await store_and_claim(backend)
        await reclaim(backend, harness)
        current = await claim(backend)
        assert await backend.heartbeat_jobs([stale.lease, current.lease]) == [False, True]
        late, good = backend.completion(stale.lease, "late"), backend.completion(current.lease, "good")
        assert await backend.complete_jobs([late, good]) == [False, True]
        assert (await backend.get_job("job")).output == "good"

    async def test_a_token_of_the_future_or_of_another_job_opens_nothing(self, backend: Backend) -> None:
        job = await store_and_claim(backend, "one")
        other = await store_and_claim(backend, "two")
        forged = [Lease("one", job.lease_token + 9), Lease("one", 0), Lease("one", other.lease_token), Lease("none", 1)]
        for lease in forged:
            with pytest.raises(LeaseLost):
                await backend.complete_job(lease)
        assert await backend.heartbeat_jobs(forged) == [False] * 4
        assert (await backend.get_job("one")) == job

    async def test_a_lapse_alone_changes_nothing(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        await harness.advance(10 * LEASE)
        assert await backend.heartbeat_jobs([job.lease]) == [True]
        await harness.advance(10 * LEASE)
        await backend.report_progress(job.lease, 1)
        await backend.complete_job(job.lease)
        assert (await backend.get_job("job")).state is State.SUCCEEDED

    async def test_a_reused_id_never_honours_an_old_token(self, backend: Backend, harness: StoreHarness) -> None:
        stale = await store_and_claim(backend)
        await let_another_finish(backend, harness)
        await harness.advance(SECOND)
        assert await backend.prune_jobs(PruneRequest(older_than=timedelta(0))) == 1
        await store(backend, "job")
        current = await claim(backend)
        assert current.lease_token > stale.lease_token
        with pytest.raises(LeaseLost):
            await backend.complete_job(stale.lease)
