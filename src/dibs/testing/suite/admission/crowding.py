"""Many lanes that are held back: they are out of the way, and come back when what holds them ends."""

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.testing.suite.ground import Ground, claim_ids

CROWD = 120
ACT = {"actor": "op", "reason": "crowds"}


async def set_rules(backend: Backend, *rules: Rule) -> None:
    """Set rules."""
    for rule in rules:
        await backend.admission.set_rule(rule, **ACT)


class Crowding(Ground):
    """More lanes than a claim reads at once."""

    async def test_tenants_at_their_cap_leave_the_rotation_and_come_back(self, backend: Backend) -> None:
        names = [f"t{number:03}" for number in range(CROWD)]
        caps = [TenantRule(name=name, max_running=1) for name in names]
        await set_rules(backend, QueueRule(name="default", fair=True), *caps)
        await backend.store_jobs([Job(id=f"{n}-{name}", job_type="t", tenant=name) for n in range(2) for name in names])
        first = await backend.claim_pending_jobs(2 * CROWD)
        assert [job.id for job in first] == [f"0-{name}" for name in names]
        assert await claim_ids(backend) == []
        await backend.store_job(Job(id="free", job_type="t", tenant="nobody's cap"))
        assert await claim_ids(backend) == ["free"]
        freed = [first[50], first[7]]
        await backend.complete_jobs([backend.completion(job.lease) for job in freed])
        assert await claim_ids(backend) == ["1-t007", "1-t050"]
        await set_rules(backend, TenantRule(name="t001", max_running=2))
        assert await claim_ids(backend) == ["1-t001"]

    async def test_blocked_lanes_of_one_source_hold_up_nobody_in_a_fair_queue(self, backend: Backend) -> None:
        await set_rules(backend, QueueRule(name="default", fair=True))
        await backend.sources.pause("ebay", actor="op", reason="crowds")
        blocked = [Job(job_type="t", tenant="big", source="ebay", concurrency_key=f"k{n}") for n in range(CROWD)]
        await backend.store_jobs([*blocked, Job(id="small", job_type="t", tenant="small")])
        assert await claim_ids(backend, limit=1) == ["small"]
        await backend.sources.resume("ebay", **ACT)
        assert len(await claim_ids(backend, limit=2 * CROWD)) == CROWD

    async def test_a_rule_opens_what_it_held_and_nothing_else(self, backend: Backend) -> None:
        await backend.store_jobs(
            [Job(id=f"{n}-{k}", job_type="t", concurrency_key=f"a:{k}") for n in "12" for k in "xyz"]
        )
        await backend.store_job(Job(id="gated", job_type="gated", source="ebay"))
        await set_rules(backend, Gate(scope=GateScope.SOURCE, name="ebay", mode=GateMode.DRAIN))
        assert await claim_ids(backend) == ["1-x", "1-y", "1-z"]
        await set_rules(backend, KeyRule(name="a:y", max_running=2))
        assert await claim_ids(backend) == ["2-y"]
        await set_rules(backend, KeyRule(name="a:", max_running=2))
        assert await claim_ids(backend) == ["2-x", "2-z"]
        await set_rules(backend, Gate(scope=GateScope.SOURCE, name="ebay", mode=GateMode.OPEN))
        assert await claim_ids(backend) == ["gated"]

    async def test_a_queue_that_is_not_fair_any_more_gives_who_was_put_aside(self, backend: Backend) -> None:
        await set_rules(backend, QueueRule(name="default", fair=True), TenantRule(name="acme", max_running=1))
        await backend.store_jobs([Job(id=f"job-{n}", job_type="t", tenant="acme") for n in range(3)])
        [first] = await backend.claim_pending_jobs(5)
        await set_rules(backend, QueueRule(name="default", fair=False))
        assert await claim_ids(backend) == []
        await backend.complete_job(first.lease)
        assert await claim_ids(backend) == ["job-1"]
