"""Fair queues: whose turn it is, and with which of its jobs."""

from collections import Counter
from typing import Any

from dibs.engine.admission.rules import QueueRule, TenantRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OnConflict, UniqueRule
from dibs.testing.suite.ground import Ground, claim_ids, set_rule, store


async def store_unique(backend: Backend, keys: list[dict[str, Any]], *, priority: int) -> None:
    """Store jobs that replace those with the same keys."""
    jobs = [Job(job_type="test", priority=priority, **one) for one in keys]
    await backend.store_jobs(jobs, unique=UniqueRule(on_conflict=OnConflict.REPLACE))


class Fairness(Ground):
    """Whose turn it is in a fair queue."""

    async def _store_for(self, backend: Backend, tenant: str, count: int, **facts: object) -> None:
        jobs = [Job(id=f"{tenant}-{n}", job_type="test", tenant=tenant, **facts) for n in range(count)]  # type: ignore[arg-type]
        await backend.store_jobs(jobs)

    async def test_tenants_of_a_fair_queue_take_turns(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 6)
        await self._store_for(backend, "zeta", 2)
        await self._store_for(backend, "moss", 1)
        claimed = await claim_ids(backend)
        assert claimed == ["acme-0", "moss-0", "zeta-0", "acme-1", "zeta-1", "acme-2", "acme-3", "acme-4", "acme-5"]

    async def test_turns_go_on_from_claim_to_claim(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 4)
        await self._store_for(backend, "zeta", 4)
        claimed = [(await claim_ids(backend, limit=1))[0] for _ in range(4)]
        assert claimed == ["acme-0", "zeta-0", "acme-1", "zeta-1"]

    async def test_jobs_stored_before_the_queue_became_fair_take_turns_too(self, backend: Backend) -> None:
        await self._store_for(backend, "acme", 30)
        await self._store_for(backend, "zeta", 2)
        await set_rule(backend, QueueRule(name="default", fair=True))
        assert await claim_ids(backend, limit=4) == ["acme-0", "zeta-0", "acme-1", "zeta-1"]

    async def test_a_heavier_tenant_gets_more_turns(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await set_rule(backend, TenantRule(name="acme", weight=3))
        await self._store_for(backend, "acme", 12)
        await self._store_for(backend, "zeta", 12)
        counts = Counter(job_id.partition("-")[0] for job_id in await claim_ids(backend, limit=12))
        assert counts == {"acme": 9, "zeta": 3}

    async def test_priority_counts_inside_a_tenant_only(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 2, priority=9)
        await store(backend, "zeta-low", tenant="zeta")
        await store(backend, "zeta-high", tenant="zeta", priority=1)
        assert await claim_ids(backend) == ["acme-0", "zeta-high", "acme-1", "zeta-low"]

    async def test_a_tenant_that_was_away_does_not_get_its_turns_back(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 8)
        await claim_ids(backend, limit=4)
        await self._store_for(backend, "zeta", 4)
        assert sorted(await claim_ids(backend, limit=4)) == ["acme-4", "acme-5", "zeta-0", "zeta-1"]

    async def test_a_tenant_whose_first_jobs_were_cancelled_keeps_its_turn(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 20)
        for cost in range(8):
            await store(backend, f"gone-{cost}", tenant="zeta", priority=1, max_cost_microcents=cost)
        await store(backend, "zeta-last", tenant="zeta", max_cost_microcents=9)
        assert await claim_ids(backend, limit=1) == ["acme-0"]
        await backend.cancel_jobs([f"gone-{cost}" for cost in range(8)], actor="op", reason="limits")
        assert await claim_ids(backend, limit=3) == ["zeta-last", "acme-1", "acme-2"]

    async def test_a_job_that_became_less_urgent_speaks_no_more_for_its_tenant(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        # As many kinds as are read at once, and more.
        keys = [{"tenant": "zeta", "unique_key": f"k{cost}", "max_cost_microcents": cost} for cost in range(5)]
        await store_unique(backend, keys, priority=5)
        await store(backend, "better", tenant="zeta", priority=1, max_cost_microcents=9)
        await store_unique(backend, keys, priority=0)
        assert (await claim_ids(backend, limit=1)) == ["better"]

    async def test_a_tenant_held_back_gives_its_turn_to_the_next(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await set_rule(backend, TenantRule(name="acme", max_running=1))
        await self._store_for(backend, "acme", 3)
        await self._store_for(backend, "zeta", 3)
        assert await claim_ids(backend) == ["acme-0", "zeta-0", "zeta-1", "zeta-2"]

    async def test_who_is_held_back_does_not_stand_for_its_queue(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="turns", fair=True))
        await set_rule(backend, TenantRule(name="acme", max_running=0))
        await store(backend, "held", tenant="acme", queue="turns", priority=-1)
        await store(backend, "urgent", tenant="zeta", queue="turns", priority=1)
        await store(backend, "plain")
        await store(backend, "keyed", concurrency_key="k")
        assert await claim_ids(backend, limit=1) == ["urgent"]

    async def test_among_queues_the_more_urgent_job_comes_first(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 2)
        await store(backend, "plain", queue="other", priority=1)
        await store(backend, "late", queue="other")
        assert await claim_ids(backend) == ["plain", "acme-0", "acme-1", "late"]

    async def test_a_claim_for_one_tenant_gets_that_ones_jobs(self, backend: Backend) -> None:
        await set_rule(backend, QueueRule(name="default", fair=True))
        await self._store_for(backend, "acme", 2)
        await self._store_for(backend, "zeta", 2)
        assert await claim_ids(backend, tenant="zeta") == ["zeta-0", "zeta-1"]
