"""Unique jobs: one key, one job, for as long as the rule says."""

import asyncio
from datetime import timedelta
from typing import Any

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OnConflict, PruneRequest, UniqueRule, UniqueWhile
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, MINUTE, SECOND, Ground, claim, claim_ids, failure, store_and_claim

WHILE_PENDING = UniqueRule(hold=UniqueWhile.PENDING)
WHILE_UNFINISHED = UniqueRule(hold=UniqueWhile.UNFINISHED)
WITHIN_AN_HOUR = UniqueRule(hold=UniqueWhile.WINDOW, window=timedelta(hours=1))
RETURN = UniqueRule(on_conflict=OnConflict.RETURN)
REPLACE = UniqueRule(on_conflict=OnConflict.REPLACE)


async def store_keyed(backend: Backend, job_id: str, rule: UniqueRule = WHILE_UNFINISHED, **fields: Any) -> Job | None:
    """Store a job with the unique key "key"."""
    return await backend.store_job(
        Job(**{"id": job_id, "job_type": "test", "unique_key": "key", **fields}), unique=rule
    )


class Uniqueness(Ground):
    """What a unique key keeps out, and when it lets go."""

    async def test_a_second_job_with_the_key_is_not_stored(self, backend: Backend) -> None:
        assert await store_keyed(backend, "first") is not None
        assert await store_keyed(backend, "second") is None
        assert await backend.find_job("second") is None

    async def test_a_key_counts_within_its_tenant_and_type_only(self, backend: Backend) -> None:
        assert await store_keyed(backend, "first")
        assert await store_keyed(backend, "other-tenant", tenant="other")
        assert await store_keyed(backend, "other-type", job_type="other")
        assert await store_keyed(backend, "other-key", unique_key="other")
        assert await store_keyed(backend, "no-key", unique_key=None)

    async def test_a_key_held_while_pending_is_free_once_the_job_runs(self, backend: Backend) -> None:
        assert await store_keyed(backend, "first", WHILE_PENDING)
        assert await store_keyed(backend, "too-early", WHILE_PENDING) is None
        await claim(backend)
        assert await store_keyed(backend, "second", WHILE_PENDING)

    async def test_a_key_held_while_unfinished_is_taken_until_the_end(self, backend: Backend) -> None:
        assert await store_keyed(backend, "first")
        job = await claim(backend)
        assert await store_keyed(backend, "while-running") is None
        await backend.fail_job(failure(job, retry_in=timedelta(0)))
        assert await store_keyed(backend, "while-retryable") is None
        await backend.complete_job((await claim(backend)).lease)
        assert await store_keyed(backend, "after-the-end")

    async def test_a_key_held_for_a_window_is_taken_whatever_became_of_the_job(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        assert await store_keyed(backend, "first", WITHIN_AN_HOUR)
        await backend.complete_job((await claim(backend)).lease)
        assert await store_keyed(backend, "within", WITHIN_AN_HOUR) is None
        await harness.advance(61 * MINUTE)
        assert await store_keyed(backend, "after", WITHIN_AN_HOUR)

    async def test_on_conflict_the_existing_job_can_be_returned(self, backend: Backend) -> None:
        await store_keyed(backend, "first", input={"n": 1})
        found = await store_keyed(backend, "second", RETURN, input={"n": 2})
        assert found is not None
        assert (found.id, found.input) == ("first", {"n": 1})

    async def test_on_conflict_a_waiting_job_can_be_replaced(self, backend: Backend, harness: StoreHarness) -> None:
        await store_keyed(backend, "first", input={"n": 1})
        later = await backend.reader.now() + 10 * MINUTE
        replaced = await store_keyed(backend, "second", REPLACE, input={"n": 2}, priority=7, run_at=later)
        assert replaced is not None
        assert (replaced.id, replaced.input, replaced.priority, replaced.run_at) == ("first", {"n": 2}, 7, later)
        assert replaced == await backend.get_job("first")
        assert await claim_ids(backend) == []
        await harness.advance(11 * MINUTE)
        assert await claim_ids(backend) == ["first"]

    async def test_a_replaced_priority_decides_the_order(self, backend: Backend) -> None:
        await store_keyed(backend, "keyed", priority=9)
        await store_keyed(backend, "middle", unique_key=None, priority=5)
        await store_keyed(backend, "again", REPLACE, priority=1)
        assert await claim_ids(backend) == ["middle", "keyed"]

    async def test_a_running_job_is_never_replaced(self, backend: Backend) -> None:
        await store_keyed(backend, "first", input={"n": 1})
        job = await claim(backend)
        kept = await store_keyed(backend, "second", REPLACE, input={"n": 2})
        assert kept is not None
        assert (kept.id, kept.input, kept.state) == ("first", {"n": 1}, State.RUNNING)
        await backend.complete_job(job.lease)

    async def test_jobs_of_one_batch_keep_each_other_out(self, backend: Backend) -> None:
        jobs = [Job(id=f"b-{n}", job_type="test", unique_key="same" if n else None) for n in range(4)]
        stored = await backend.store_jobs(jobs)
        assert [job.id if job else None for job in stored] == ["b-0", "b-1", None, None]

    async def test_of_many_at_once_exactly_one_is_stored(self, backend: Backend, harness: StoreHarness) -> None:
        handles = [await harness.open() for _ in range(4)]
        stored = await asyncio.gather(*(store_keyed(handles[n % 4], f"racer-{n}") for n in range(20)))
        for handle in handles:
            await handle.close()
        assert sum(job is not None for job in stored) == 1

    async def test_a_reclaim_or_a_snooze_never_fails_on_a_taken_key(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_keyed(backend, "first", WHILE_PENDING)
        await claim(backend)
        await store_keyed(backend, "second", WHILE_PENDING)
        await harness.advance(LEASE + SECOND)
        assert [one.lease.job_id for one in await backend.reap_jobs()] == ["first"]
        first = await claim(backend)
        await backend.snooze_job(first.lease, timedelta(0))
        assert await claim_ids(backend) == ["first", "second"]

    async def test_a_key_is_free_again_once_its_job_is_pruned(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend, "first", unique_key="key")
        await backend.complete_job(job.lease)
        assert await store_keyed(backend, "blocked", WITHIN_AN_HOUR) is None
        await harness.advance(MINUTE)
        assert await backend.prune_jobs(PruneRequest(older_than=SECOND)) == 1
        assert await store_keyed(backend, "free", WITHIN_AN_HOUR)
