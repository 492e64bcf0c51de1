"""Ends that are under way while a rule is set do not know of it, and tell nobody."""

from datetime import timedelta

import pytest

import dibs
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.suite.ground import claim, claim_ids

ACT = {"actor": "op", "reason": "test"}
RULES = (
    dibs.TenantRule(name="acme", max_running=1),
    dibs.TenantRule(name="acme", daily_budget_microcents=10),
    dibs.TenantRule(name="acme", monthly_budget_microcents=10),
)


@pytest.mark.parametrize("rule", RULES)
async def test_who_is_held_back_by_a_job_whose_end_was_under_way_is_soon_looked_at_again(
    store: PostgresStore, backend: dibs.Backend, rule: dibs.TenantRule
) -> None:
    jobs = [dibs.Job(id=name, job_type="t", tenant="acme", max_cost_microcents=10) for name in ("first", "second")]
    await backend.store_job(jobs[0])
    first = await claim(backend)
    assert backend.transactions is not None
    async with backend.transactions.begin() as connection:
        await backend.complete_jobs([backend.completion(first.lease)], connection=connection)
        await backend.admission.set_rule(rule, **ACT)
        await backend.store_job(jobs[1])
        assert await claim_ids(backend) == [], "until the end is committed, it still counts"
    await store.advance(timedelta(seconds=2))
    assert await claim_ids(backend) == ["second"]
