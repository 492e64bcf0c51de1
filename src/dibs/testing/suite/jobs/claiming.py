"""Who gets a job: exactly one worker, the most urgent job first."""

import asyncio
from datetime import timedelta

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, MINUTE, SECOND, Ground, claim, claim_ids, failure, store, store_and_claim


class Claiming(Ground):
    """What claiming means."""

    async def test_claim_is_atomic(self, backend: Backend) -> None:
        """The test case of the claiming decision, as it was written."""
        for i in range(10):
            await backend.store_job(Job(id=f"job-{i}", job_type="test"))

        claimed_ids = []

        async def claim_worker() -> None:
            while True:
                job = await backend.claim_pending_job()
                if job is None:
                    break
                claimed_ids.append(job.id)

        await asyncio.gather(*[claim_worker() for _ in range(5)])

        assert len(claimed_ids) == 10
        assert len(set(claimed_ids)) == 10

    async def test_many_handles_share_the_jobs_out_without_loss_or_double(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        types = ("red", "green", "blue")
        await backend.store_jobs([Job(id=f"j-{n}", job_type=types[n % 3], queue=f"q{n % 2}") for n in range(300)])
        handles = [await harness.open(worker_id=f"w-{n}") for n in range(6)]

        async def drain(handle: Backend, limit: int) -> list[str]:
            taken: list[str] = []
            while ids := await claim_ids(handle, limit):
                taken += ids
            return taken

        shares = await asyncio.gather(*(drain(handle, 1 + 4 * n) for n, handle in enumerate(handles)))
        for handle in handles:
            await handle.close()
        taken = [job_id for share in shares for job_id in share]
        assert len(taken) == len(set(taken)) == 300

    async def test_a_claimed_job_says_who_holds_it_and_until_when(self, backend: Backend) -> None:
        await store(backend, "held")
        job = await claim(backend, worker="alice", lease=timedelta(seconds=77))
        assert (job.state, job.locked_by) == (State.RUNNING, "alice")
        assert job.locked_at is not None
        assert job.started_at == job.heartbeat_at == job.locked_at
        assert job.lease_expires_at == job.locked_at + timedelta(seconds=77)
        assert job == await backend.get_job("held")

    async def test_the_lease_defaults_to_the_setting(self, backend: Backend, harness: StoreHarness) -> None:
        handle = await harness.open(lease=timedelta(seconds=42), worker_id="bob")
        job = await store_and_claim(handle)
        await handle.close()
        assert job.locked_at is not None
        assert job.lease_expires_at == job.locked_at + timedelta(seconds=42)
        assert job.locked_by == "bob"

    async def test_higher_priority_goes_first_then_the_one_stored_first(self, backend: Backend) -> None:
        for name, priority in (("a", 0), ("b", 5), ("c", -1000), ("d", 5), ("e", 1000), ("f", 0)):
            await store(backend, name, priority=priority)
        assert await claim_ids(backend) == ["e", "b", "d", "a", "f", "c"]

    async def test_the_order_holds_across_types_and_queues(self, backend: Backend) -> None:
        for number, (job_type, queue) in enumerate([("x", "p"), ("y", "q"), ("x", "q"), ("y", "p")] * 3):
            await store(backend, f"j-{number:02}", job_type=job_type, queue=queue, priority=number // 4)
        expected = [f"j-{n:02}" for n in (8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)]
        assert await claim_ids(backend, 5) + await claim_ids(backend, 2) + await claim_ids(backend) == expected

    async def test_a_delayed_job_takes_its_place_when_it_is_due(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.store_job(Job(id="delayed", job_type="test", priority=1), delay=MINUTE)
        await store(backend, "plain")
        await store(backend, "urgent", priority=2)
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend) == ["urgent", "delayed", "plain"]

    async def test_a_job_that_comes_back_keeps_its_place(self, backend: Backend) -> None:
        first = await store_and_claim(backend, "first")
        await store(backend, "second")
        await backend.release_jobs([first.lease])
        assert await claim_ids(backend) == ["first", "second"]

    async def test_only_the_wanted_types_are_claimed(self, backend: Backend) -> None:
        for job_type in ("mail", "crawl", "score"):
            await store(backend, f"j-{job_type}", job_type=job_type)
        assert await claim_ids(backend, job_types=["crawl", "nothing"]) == ["j-crawl"]
        assert await claim_ids(backend, job_types=["crawl"]) == []
        assert await claim_ids(backend, job_types=[]) == []
        assert await claim_ids(backend, job_types=["score", "mail"]) == ["j-mail", "j-score"]

    async def test_only_the_wanted_queues_are_claimed(self, backend: Backend) -> None:
        for queue in ("fast", "slow"):
            await store(backend, f"j-{queue}", queue=queue)
        assert await claim_ids(backend, queues=["slow"]) == ["j-slow"]
        assert await claim_ids(backend, queues=[]) == []
        assert await claim_ids(backend, queues=["slow", "fast"]) == ["j-fast"]

    async def test_queues_and_types_can_be_wanted_together(self, backend: Backend) -> None:
        for queue in ("fast", "slow"):
            for job_type in ("mail", "crawl"):
                await store(backend, f"{queue}-{job_type}", queue=queue, job_type=job_type)
        assert await claim_ids(backend, queues=["slow"], job_types=["mail", "score"]) == ["slow-mail"]
        assert await claim_ids(backend, queues=["slow", "fast"], job_types=["crawl"]) == ["fast-crawl", "slow-crawl"]
        assert await claim_ids(backend, queues=["fast", "slow"], job_types=["mail", "crawl"]) == ["fast-mail"]

    async def test_only_the_wanted_tenant_is_claimed(self, backend: Backend) -> None:
        for number in range(6):
            await store(backend, f"j-{number}", tenant="acme" if number % 2 else "zeta")
        assert await claim_ids(backend, 2, tenant="acme") == ["j-1", "j-3"]
        assert await claim_ids(backend, tenant="nobody") == []
        assert await claim_ids(backend, tenant="acme") == ["j-5"]
        assert await claim_ids(backend) == ["j-0", "j-2", "j-4"]

    async def test_a_due_job_is_found_behind_any_number_of_others_that_came_due_before_it(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await backend.store_jobs([Job(job_type="other") for _ in range(4500)], delay=MINUTE)
        await backend.store_job(Job(id="type", job_type="wanted"), delay=MINUTE + SECOND)
        await backend.store_job(Job(id="queue", job_type="other", queue="wanted"), delay=MINUTE + SECOND)
        await backend.store_job(Job(id="tenant", job_type="other", tenant="wanted"), delay=MINUTE + SECOND)
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend, 1, job_types=["wanted"]) == ["type"]
        assert await claim_ids(backend, 1, queues=["wanted"]) == ["queue"]
        assert await claim_ids(backend, 1, tenant="wanted") == ["tenant"]

    async def test_a_batch_takes_no_more_than_asked(self, backend: Backend) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(7)])
        assert len(await claim_ids(backend, 3)) == 3
        assert len(await claim_ids(backend, 3)) == 3
        assert len(await claim_ids(backend, 3)) == 1

    async def test_a_running_job_is_not_offered_even_when_its_lease_lapsed(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_and_claim(backend)
        await harness.advance(LEASE + SECOND)
        assert await backend.claim_pending_job() is None

    async def test_tokens_only_ever_grow(self, backend: Backend, harness: StoreHarness) -> None:
        job = await store_and_claim(backend)
        tokens = [job.lease_token]
        await backend.snooze_job(job.lease, timedelta(0))
        tokens.append((job := await claim(backend)).lease_token)
        await backend.fail_job(failure(job))
        tokens.append((await claim(backend)).lease_token)
        await harness.advance(LEASE + SECOND)
        await backend.reap_jobs()
        tokens.append((await backend.get_job("job")).lease_token)
        tokens.append((await claim(backend)).lease_token)
        await backend.cancel_job("job", actor="op", reason="test")
        tokens.append((await backend.get_job("job")).lease_token)
        await backend.retry_job("job", actor="op", reason="test")
        tokens.append((await backend.get_job("job")).lease_token)
        tokens.append((await claim(backend)).lease_token)
        assert tokens == sorted(set(tokens))

    async def test_two_jobs_never_carry_the_same_token(self, backend: Backend) -> None:
        await backend.store_jobs([Job(job_type="test") for _ in range(50)])
        jobs = [*await backend.claim_pending_jobs(20), *await backend.claim_pending_jobs(30)]
        assert len({job.lease_token for job in jobs}) == 50
