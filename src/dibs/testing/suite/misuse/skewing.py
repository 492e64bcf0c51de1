"""A client whose clock is ten minutes off changes nothing: here the store's clock is, and the client's is right."""

from datetime import datetime, timedelta

import pytest

from dibs.engine.failure import FailureKind
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest, UniqueRule, UniqueWhile
from dibs.engine.store.protocols import WorkerCard
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
    store,
    store_and_claim,
)

# A busy machine may take a while between the look at the clock and the step that is looked at.
SLACK = MINUTE
ENOUGH_TO_COPY = 1_000
WITHIN_FIVE_MINUTES = UniqueRule(hold=UniqueWhile.WINDOW, window=5 * MINUTE)

ten_minutes_off = pytest.mark.parametrize("skew", [-10 * MINUTE, 10 * MINUTE], ids=["behind", "ahead"])


def is_about(instant: datetime | None, expected: datetime) -> bool:
    """Tell whether an instant is the expected one, give or take much less than the skew."""
    return instant is not None and abs(instant - expected) < SLACK


class Skewing(Ground):
    """Every instant is the store's, and every span is counted from it."""

    @ten_minutes_off
    async def test_with_clocks_apart_a_job_is_due_at_once(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        stored = await store(backend, "stored")
        keyed = await store(backend, "keyed", unique_key="key")
        await backend.copy_jobs([Job(id="copied", job_type="test")])
        now = await backend.reader.now()
        for job in (stored, keyed, await backend.get_job("copied")):
            assert job.run_at == job.created_at
            assert is_about(job.created_at, now)
        assert await claim_ids(backend) == ["stored", "keyed", "copied"]

    @ten_minutes_off
    async def test_with_clocks_apart_a_large_copy_is_due_at_once(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        await backend.copy_jobs([Job(job_type="test") for _ in range(ENOUGH_TO_COPY)])
        claimed = await backend.claim_pending_jobs(ENOUGH_TO_COPY)
        assert len(claimed) == ENOUGH_TO_COPY
        assert is_about(claimed[0].created_at, await backend.reader.now())

    @ten_minutes_off
    async def test_with_clocks_apart_delays_last_as_long_as_they_say(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        now = await backend.reader.now()
        await backend.store_job(Job(id="delayed", job_type="test"), delay=5 * MINUTE)
        await backend.copy_jobs([Job(id="copied", job_type="test")], delay=5 * MINUTE)
        await store(backend, "dated", run_at=now + 5 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(4 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend) == ["delayed", "copied", "dated"]

    @ten_minutes_off
    async def test_with_clocks_apart_a_lease_lasts_as_long_as_it_says(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        job = await store_and_claim(backend)
        now = await backend.reader.now()
        assert is_about(job.locked_at, now)
        assert is_about(job.started_at, now)
        assert is_about(job.lease_expires_at, now + LEASE)
        await harness.advance(LEASE - MINUTE)
        assert await backend.reap_jobs() == []
        assert await backend.heartbeat_jobs([job.lease]) == [True]
        assert is_about((await backend.get_job("job")).heartbeat_at, await backend.reader.now())
        await harness.advance(LEASE - MINUTE)
        assert await backend.reap_jobs() == []
        await harness.advance(2 * MINUTE)
        assert [one.lease for one in await backend.reap_jobs()] == [job.lease]

    @ten_minutes_off
    async def test_with_clocks_apart_pauses_last_as_long_as_they_say(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        for name in ("failed", "crashed", "snoozed"):
            await store(backend, name)
        failed, crashed, snoozed = await backend.claim_pending_jobs(3)
        await backend.fail_job(failure(failed, retry_in=5 * MINUTE))
        await backend.fail_job(failure(crashed, kind=FailureKind.CRASH, retry_in=5 * MINUTE))
        await backend.snooze_job(snoozed.lease, 5 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(4 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend) == ["failed", "crashed", "snoozed"]

    @ten_minutes_off
    async def test_with_clocks_apart_a_job_released_or_retried_by_hand_is_due_at_once(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        job = await store_and_claim(backend)
        await backend.release_jobs([job.lease])
        await backend.fail_job(failure(await claim(backend), retry_in=timedelta(0)))
        await backend.fail_job(failure(await claim(backend), kind=FailureKind.PERMANENT))
        await backend.retry_job("job", actor="op", reason="test")
        assert await claim_ids(backend) == ["job"]

    @ten_minutes_off
    async def test_with_clocks_apart_a_unique_window_lasts_as_long_as_it_says(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)

        async def is_stored(name: str) -> bool:
            job = Job(id=name, job_type="test", unique_key="key")
            return await backend.store_job(job, unique=WITHIN_FIVE_MINUTES) is not None

        assert await is_stored("first")
        await harness.advance(4 * MINUTE)
        assert not await is_stored("within")
        await harness.advance(2 * MINUTE)
        assert await is_stored("after")

    @ten_minutes_off
    async def test_with_clocks_apart_a_finished_job_is_kept_as_long_as_asked(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        await backend.complete_job((await store_and_claim(backend)).lease)
        await harness.advance(4 * MINUTE)
        assert await backend.prune_jobs(PruneRequest(older_than=5 * MINUTE)) == 0
        await harness.advance(2 * MINUTE)
        assert await backend.prune_jobs(PruneRequest(older_than=5 * MINUTE)) == 1

    @ten_minutes_off
    async def test_with_clocks_apart_the_records_tell_the_stores_time(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        await backend.complete_job((await store_and_claim(backend, "done")).lease)
        await backend.fail_job(failure(await store_and_claim(backend, "failed"), kind=FailureKind.PERMANENT))
        await store(backend, "cancelled")
        await backend.cancel_job("cancelled", actor="op", reason="test")
        now = await backend.reader.now()
        for name, state in (("done", State.SUCCEEDED), ("failed", State.FAILED), ("cancelled", State.CANCELLED)):
            job = await backend.get_job(name)
            assert job.state is state
            assert is_about(job.finished_at, now)
            assert all(is_about(entry.at, now) for entry in await audit_of(backend, f"job:{name}"))
            for attempt in await backend.reader.list_attempts(name):
                assert is_about(attempt.started_at, now)
                assert is_about(attempt.ended_at, now)

    @ten_minutes_off
    async def test_with_clocks_apart_named_leases_and_worker_cards_end_when_they_say(
        self, backend: Backend, harness: StoreHarness, skew: timedelta
    ) -> None:
        await harness.advance(skew)
        now = await backend.reader.now()
        lease = await backend.leases.acquire("lock", "ann", 5 * MINUTE)
        assert lease is not None
        assert is_about(lease.expires_at, now + 5 * MINUTE)
        card = WorkerCard(worker_id="ann", host="here", pid=7, state="working", job_types=("test",))
        await backend.workers.announce(card, 5 * MINUTE)
        await harness.advance(4 * MINUTE)
        assert await backend.leases.find("lock") is not None
        [shown] = await backend.workers.list_workers()
        assert is_about(shown.seen_at, now)
        await harness.advance(MINUTE + SECOND)
        assert await backend.leases.find("lock") is None
        assert await backend.workers.list_workers() == []

    async def test_a_clock_that_is_set_back_loses_no_job(self, backend: Backend, harness: StoreHarness) -> None:
        await store(backend, "plain")
        await backend.store_job(Job(id="delayed", job_type="test"), delay=MINUTE)
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend, tenant="nobody") == []
        await harness.advance(-10 * MINUTE)
        given = await claim_ids(backend)
        await harness.advance(10 * MINUTE)
        assert sorted([*given, *await claim_ids(backend)]) == ["delayed", "plain"]
