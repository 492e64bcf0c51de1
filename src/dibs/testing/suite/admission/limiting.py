"""Limits: concurrency keys, caps of tenants, turns in fair queues, budgets."""

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.failure import FailureKind
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Failure
from dibs.errors import BadInput
from dibs.kit.clock import utc_month
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.admission.fairness import Fairness
from dibs.testing.suite.ground import BOOM, LEASE, SECOND, Ground, audit_of, claim, claim_ids, set_rule, store

End = Callable[[Backend, Job, StoreHarness], Awaitable[object]]


async def _reclaim(backend: Backend, _job: Job, harness: StoreHarness) -> None:
    await harness.advance(LEASE + SECOND)
    await backend.reap_jobs()


async def _fail(backend: Backend, job: Job, _harness: StoreHarness) -> None:
    await backend.fail_job(Failure(lease=job.lease, error=BOOM, retry_in=timedelta(hours=9)))


async def _crash(backend: Backend, job: Job, _harness: StoreHarness) -> None:
    await backend.fail_job(Failure(lease=job.lease, error=BOOM, kind=FailureKind.CRASH, retry_in=timedelta(hours=9)))


ENDS: dict[str, End] = {
    "complete": lambda backend, job, _: backend.complete_job(job.lease),
    "fail": _fail,
    "crash": _crash,
    "snooze": lambda backend, job, _: backend.snooze_job(job.lease, timedelta(hours=9)),
    "drop": lambda backend, job, _: backend.drop_job(job.lease, "no need"),
    "cancel": lambda backend, job, _: backend.cancel_job(job.id, actor="op", reason="no"),
    "reclaim": _reclaim,
}


class Keys(Ground):
    """How many jobs with one key run at once."""

    async def test_of_a_key_without_a_rule_one_job_runs_at_a_time(self, backend: Backend) -> None:
        for name in ("first", "second", "third"):
            await store(backend, name, concurrency_key="account:1")
        await store(backend, "other", concurrency_key="account:2")
        assert await claim_ids(backend) == ["first", "other"]
        assert await claim_ids(backend) == []

    @pytest.mark.parametrize("end", ENDS)
    async def test_the_write_that_ends_a_job_frees_its_key(
        self, backend: Backend, harness: StoreHarness, end: str
    ) -> None:
        await store(backend, "first", concurrency_key="k", priority=-1)
        held = await claim(backend)
        await store(backend, "second", concurrency_key="k")
        assert await claim_ids(backend) == []
        await ENDS[end](backend, held, harness)
        assert await claim_ids(backend, limit=1) == ["second"]

    async def test_a_rule_sets_how_many_may_run(self, backend: Backend) -> None:
        for number in range(5):
            await store(backend, f"job-{number}", concurrency_key="k")
        await set_rule(backend, KeyRule(name="k", max_running=3))
        assert await claim_ids(backend, limit=2) == ["job-0", "job-1"]
        assert await claim_ids(backend) == ["job-2"]
        await set_rule(backend, KeyRule(name="k", max_running=4))
        assert await claim_ids(backend) == ["job-3"]
        await set_rule(backend, KeyRule(name="k"))
        assert await backend.admission.list_rules() == []
        assert await claim_ids(backend) == []

    async def test_a_rule_for_a_family_of_keys_speaks_for_those_without_their_own(self, backend: Backend) -> None:
        await set_rule(backend, KeyRule(name="account:", max_running=2))
        await set_rule(backend, KeyRule(name="account:7", max_running=3))
        for key in ("account:1", "account:7", "other:1"):
            for number in range(4):
                await store(backend, f"{key}-{number}", concurrency_key=key)
        counts = Counter(job_id.partition("-")[0] for job_id in await claim_ids(backend))
        assert counts == {"account:1": 2, "account:7": 3, "other:1": 1}
        await set_rule(backend, KeyRule(name="account:7", max_running=1))
        assert [rule.name for rule in await backend.admission.list_rules()] == ["account:", "account:7"]
        await set_rule(backend, KeyRule(name="account:"))
        assert [rule.name for rule in await backend.admission.list_rules()] == ["account:7"]

    async def test_the_keys_of_two_tenants_do_not_meet(self, backend: Backend) -> None:
        await store(backend, "ours", concurrency_key="k", tenant="acme")
        await store(backend, "theirs", concurrency_key="k", tenant="zeta")
        assert await claim_ids(backend) == ["ours", "theirs"]

    async def test_a_key_counts_across_queues_and_types(self, backend: Backend) -> None:
        await store(backend, "first", concurrency_key="k")
        await store(backend, "elsewhere", concurrency_key="k", queue="slow", job_type="mail")
        assert await claim_ids(backend) == ["first"]
        assert await claim_ids(backend, queues=["slow"]) == []

    async def test_jobs_held_back_by_a_key_are_passed_by_others(self, backend: Backend) -> None:
        await backend.store_jobs(
            [Job(id=f"held-{n}", job_type="test", concurrency_key="k", priority=9) for n in range(200)]
        )
        await store(backend, "plain")
        assert await claim_ids(backend, limit=2) == ["held-0", "plain"]
        await store(backend, "plain too")
        assert await claim_ids(backend, limit=2) == ["plain too"]

    async def test_of_a_freed_key_the_most_urgent_job_comes_first(self, backend: Backend) -> None:
        await store(backend, "running", concurrency_key="k")
        held = await claim(backend)
        await store(backend, "low", concurrency_key="k")
        await store(backend, "high", concurrency_key="k", priority=5)
        await backend.complete_job(held.lease)
        assert await claim_ids(backend) == ["high"]

    async def test_plain_jobs_and_limited_ones_come_in_one_order(self, backend: Backend) -> None:
        await store(backend, "a", priority=1)
        await store(backend, "b", concurrency_key="x", priority=1)
        await store(backend, "c")
        await store(backend, "d", source="ebay", priority=2)
        await store(backend, "e", concurrency_key="y", priority=1)
        assert await claim_ids(backend) == ["d", "a", "b", "e", "c"]


class Tenants(Ground):
    """How much one tenant may have at once."""

    async def test_a_cap_holds_for_all_jobs_of_the_tenant(self, backend: Backend) -> None:
        await store(backend, "before", tenant="acme")
        assert await claim_ids(backend) == ["before"]
        for number in range(4):
            await store(backend, f"job-{number}", tenant="acme", queue=f"q-{number % 2}")
        await set_rule(backend, TenantRule(name="acme", max_running=3))
        await store(backend, "free", tenant="zeta")
        assert await claim_ids(backend) == ["job-0", "job-1", "free"]
        assert await claim_ids(backend) == []

    @pytest.mark.parametrize("end", ENDS)
    async def test_the_write_that_ends_a_job_frees_its_tenants_slot(
        self, backend: Backend, harness: StoreHarness, end: str
    ) -> None:
        await set_rule(backend, TenantRule(name="acme", max_running=1))
        await store(backend, "first", tenant="acme", priority=-1)
        held = await claim(backend)
        await store(backend, "second", tenant="acme")
        assert await claim_ids(backend) == []
        await ENDS[end](backend, held, harness)
        assert await claim_ids(backend, limit=1) == ["second"]

    async def test_a_cap_of_nothing_stops_a_tenant_and_no_cap_lets_it_go_on(self, backend: Backend) -> None:
        await store(backend, "job", tenant="acme")
        await set_rule(backend, TenantRule(name="acme", max_running=0))
        assert await claim_ids(backend) == []
        await set_rule(backend, TenantRule(name="acme"))
        assert await claim_ids(backend) == ["job"]

    async def test_a_rule_is_in_the_audit_log_of_its_tenant(self, backend: Backend) -> None:
        await set_rule(backend, TenantRule(name="acme", max_running=2))
        await set_rule(backend, TenantRule(name="acme", max_running=5, weight=2))
        first, second = await audit_of(backend, "tenant:acme")
        assert (first.action, first.tenant, first.actor, first.reason) == ("RULE_SET", "acme", "op", "limits")
        assert (first.detail["before"], first.detail["after"]["max_running"]) == (None, 2)
        assert (second.detail["before"], second.detail["after"]["weight"]) == (first.detail["after"], 2)

    async def test_rules_are_listed_by_kind_and_name(self, backend: Backend) -> None:
        rules: list[Rule] = [
            KeyRule(name="k", max_running=2),
            QueueRule(name="shared", fair=True),
            TenantRule(name="acme", weight=3),
            TenantRule(name="zeta", daily_budget_microcents=7),
        ]
        for rule in reversed(rules):
            await set_rule(backend, rule)
        assert await backend.admission.list_rules() == rules

    async def test_a_rule_that_cannot_be_is_refused(self, backend: Backend) -> None:
        wrong: list[Rule] = [
            TenantRule(name="acme", max_running=-1),
            TenantRule(name="acme", weight=0),
            TenantRule(name="", max_running=1),
            KeyRule(name="k", max_running=0),
            TenantRule(name="acme", daily_budget_microcents=-1),
            QueueRule(name="q", fair="yes"),  # type: ignore[arg-type]
        ]
        for rule in wrong:
            with pytest.raises(BadInput):
                await set_rule(backend, rule)
        assert await backend.admission.list_rules() == []


class Budgets(Ground):
    """What a tenant may spend."""

    async def test_a_job_without_room_is_passed_over(self, backend: Backend) -> None:
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=100))
        await store(backend, "first", tenant="acme", max_cost_microcents=60)
        await store(backend, "second", tenant="acme", max_cost_microcents=60)
        await store(backend, "free", tenant="zeta", max_cost_microcents=60)
        assert await claim_ids(backend) == ["first", "free"]

    @pytest.mark.parametrize("end", ENDS)
    async def test_the_end_of_an_attempt_releases_its_reservation(
        self, backend: Backend, harness: StoreHarness, end: str
    ) -> None:
        await set_rule(backend, TenantRule(name="acme", monthly_budget_microcents=100))
        await store(backend, "first", tenant="acme", max_cost_microcents=60, priority=-1)
        held = await claim(backend)
        await store(backend, "second", tenant="acme", max_cost_microcents=60)
        assert await claim_ids(backend) == []
        await ENDS[end](backend, held, harness)
        assert await claim_ids(backend, limit=1) == ["second"]

    async def test_what_an_attempt_cost_is_spent_whether_it_was_good_or_bad(self, backend: Backend) -> None:
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=100))
        for name in ("good", "bad", "snoozed", "dropped"):
            await store(backend, name, tenant="acme")
            job = await claim(backend)
            if name == "good":
                await backend.complete_jobs([backend.completion(job.lease, cost_cents=0.00003)])
            elif name == "bad":
                error = Failure(lease=job.lease, error=BOOM, kind=FailureKind.PERMANENT, cost_microcents=20)
                await backend.fail_job(error)
            elif name == "snoozed":
                await backend.snooze_job(job.lease, timedelta(days=3), cost_cents=0.00001)
            else:
                await backend.drop_job(job.lease, cost_cents=0.00001)
        await store(backend, "fits not", tenant="acme", max_cost_microcents=31)
        assert await claim_ids(backend) == []
        standing = await backend.admission.find_standing("fits not")
        assert standing is not None
        assert (standing.spent_today_microcents, standing.reserved_microcents) == (70, 0)
        await backend.cancel_job("fits not", actor="op", reason="too dear")
        await store(backend, "fits", tenant="acme", max_cost_microcents=30)
        assert await claim_ids(backend) == ["fits"]

    async def test_a_tenant_that_overspent_starts_nothing_more(self, backend: Backend) -> None:
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=100))
        await store(backend, "dear", tenant="acme")
        await backend.complete_jobs([backend.completion((await claim(backend)).lease, cost_cents=1)])
        await store(backend, "free of charge", tenant="acme")
        assert await claim_ids(backend) == []

    async def test_a_new_day_has_its_own_budget_and_the_month_goes_on(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        now = await backend.reader.now()
        second_of_month = utc_month(now, ahead=2) + timedelta(days=1, hours=12)
        await harness.advance(second_of_month - now)
        rule = TenantRule(name="acme", daily_budget_microcents=50, monthly_budget_microcents=100)
        await set_rule(backend, rule)
        await store(backend, "first", tenant="acme", max_cost_microcents=50)
        job = await claim(backend)
        await backend.complete_jobs([backend.completion(job.lease, cost_cents=0.00005)])
        await store(backend, "second", tenant="acme", max_cost_microcents=50)
        assert await claim_ids(backend) == []
        await harness.advance(timedelta(days=1))
        second = await claim(backend)
        await backend.complete_jobs([backend.completion(second.lease, cost_cents=0.00005)])
        await store(backend, "third", tenant="acme", max_cost_microcents=50)
        await harness.advance(timedelta(days=1))
        assert await claim_ids(backend) == []
        await harness.advance(timedelta(days=31))
        assert await claim_ids(backend) == ["third"]

    @pytest.mark.parametrize("names", [{}, {"source": "ebay"}, {"concurrency_key": "account"}])
    async def test_a_job_that_never_fits_its_budget_does_not_hold_up_cheaper_ones(
        self, backend: Backend, names: dict[str, str]
    ) -> None:
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=100))
        await store(backend, "dear", tenant="acme", max_cost_microcents=200, priority=5, **names)
        await store(backend, "dearer", tenant="acme", max_cost_microcents=201, priority=5, **names)
        await store(backend, "cheap", tenant="acme", max_cost_microcents=1, **names)
        assert await claim_ids(backend) == ["cheap"]
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=1_000))
        await backend.complete_jobs([backend.completion((await backend.get_job("cheap")).lease)])
        assert (await claim_ids(backend))[0] == "dear"

    async def test_who_stands_before_a_job_can_be_told(self, backend: Backend) -> None:
        find_first = backend.admission.find_first
        for kind in ({}, {"source": "ebay", "max_cost_microcents": 3}):
            first, second = f"first{len(kind)}", f"second{len(kind)}"
            await store(backend, second, job_type="kind", **kind)
            assert await find_first(second) is None
            await store(backend, first, job_type="kind", priority=1, **kind)
            assert (await find_first(first), await find_first(second)) == (None, first)
            assert await claim_ids(backend, limit=1) == [first]
            assert (await find_first(first), await find_first(second)) == (None, None)
            assert await claim_ids(backend, limit=1) == [second]
        await store(backend, "later", run_at=await backend.reader.now() + timedelta(hours=1))
        assert (await find_first("later"), await find_first("nobody")) == (None, None)

    async def test_raising_a_budget_lets_waiting_jobs_go_on(self, backend: Backend) -> None:
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=10))
        await store(backend, "job", tenant="acme", max_cost_microcents=60)
        assert await claim_ids(backend) == []
        await set_rule(backend, TenantRule(name="acme", daily_budget_microcents=60))
        assert await claim_ids(backend) == ["job"]

    async def test_the_most_a_job_may_cost_stays_with_it(self, backend: Backend) -> None:
        await store(backend, "job", max_cost_microcents=60)
        job = await claim(backend)
        assert job.max_cost_microcents == 60
        await backend.complete_job(job.lease)
        assert (await backend.get_job("job")).max_cost_microcents == 60
        with pytest.raises(BadInput):
            await store(backend, "odd", max_cost_microcents=-1)


class Limiting(Keys, Tenants, Fairness, Budgets):
    """All limits."""
