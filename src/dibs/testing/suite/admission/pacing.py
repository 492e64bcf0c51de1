"""Sources: pace, quota, and what a claim reserves of them."""

from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.source import FetchReport, FetchVerdict, Source, SourceRule
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import ClaimRequest
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.admission.limiting import ENDS
from dibs.testing.suite.ground import LEASE, MINUTE, SECOND, Ground, claim, claim_ids, store

_LAST_HOUR = 23
WIDE = ClaimRequest(worker="asks", limit=1)


async def declare(backend: Backend, name: str = "ebay", **facts: Any) -> Source:
    """Declare a source."""
    return await backend.sources.declare(SourceRule(name=name, **facts), actor="op", reason="new")


async def report(backend: Backend, verdict: FetchVerdict, job: Job | None = None, **facts: Any) -> Source:
    """Report a fetch."""
    told = {"token": 0 if job is None else job.lease_token, **facts}
    return await backend.sources.report(FetchReport(source="ebay", verdict=verdict, **told))


async def break_source(backend: Backend, times: int = 5) -> None:
    """Let a source fail until its breaker opens."""
    for _ in range(times):
        await report(backend, FetchVerdict.PROVIDER_FAULT)


async def store_bound(backend: Backend, *names: str, **facts: Any) -> None:
    """Store jobs that name the source."""
    for name in names:
        await store(backend, name, source="ebay", **facts)


class Pacing(Ground):
    """How often a source is asked."""

    @pytest_asyncio.fixture(autouse=True)
    async def hours_before_midnight(self, backend: Backend, harness: StoreHarness) -> None:
        """Leave the last hour of a day: quotas begin anew at its end, and none of this takes an hour."""
        if (await backend.reader.now()).hour == _LAST_HOUR:
            await harness.advance(timedelta(hours=2))

    async def test_a_source_that_nobody_declared_has_no_limit(self, backend: Backend) -> None:
        await store_bound(backend, "a", "b", "c")
        assert await claim_ids(backend) == ["a", "b", "c"]

    async def test_claims_are_let_through_at_the_pace_of_the_source(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=6)
        await store_bound(backend, "a", "b", "c")
        await store(backend, "plain")
        first = await claim(backend)
        assert (first.id, await claim_ids(backend)) == ("a", ["plain"])
        assert (await backend.sources.take_permit("ebay", first.lease)).granted
        assert await claim_ids(backend) == []
        await harness.advance(5 * SECOND)
        assert await claim_ids(backend) == []
        await harness.advance(5 * SECOND)
        assert await claim_ids(backend) == ["b"]

    async def test_a_burst_may_be_taken_ahead(self, backend: Backend, harness: StoreHarness) -> None:
        await declare(backend, rate_limit_per_minute=6, burst=3)
        await store_bound(backend, "a", "b", "c", "d", "e")
        claimed = await backend.claim_pending_jobs(10)
        assert [job.id for job in claimed] == ["a", "b", "c"]
        for job in claimed:
            assert (await backend.sources.take_permit("ebay", job.lease)).granted
        assert await claim_ids(backend) == []
        await harness.advance(11 * SECOND)
        assert await claim_ids(backend) == ["d"]

    @pytest.mark.parametrize("end", ENDS)
    async def test_a_permit_that_was_not_spent_goes_back(
        self, backend: Backend, harness: StoreHarness, end: str
    ) -> None:
        await declare(backend, rate_limit_per_minute=1)
        await store_bound(backend, "first", priority=-1)
        held = await claim(backend)
        await store_bound(backend, "second")
        assert await claim_ids(backend) == []
        await ENDS[end](backend, held, harness)
        assert await claim_ids(backend, limit=1) == ["second"]

    async def test_a_permit_that_was_spent_does_not_go_back(self, backend: Backend) -> None:
        await declare(backend, rate_limit_per_minute=1)
        await store_bound(backend, "first", "second")
        held = await claim(backend)
        assert (await backend.sources.take_permit("ebay", held.lease)).granted
        await backend.complete_job(held.lease)
        assert await claim_ids(backend) == []

    async def test_a_further_fetch_takes_its_own_permit_or_learns_the_instant(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=1)
        await store_bound(backend, "job")
        job = await claim(backend)
        assert (await backend.sources.take_permit("ebay", job.lease)).granted
        refused = await backend.sources.take_permit("ebay", job.lease)
        assert not refused.granted
        source = await backend.sources.find("ebay")
        assert source is not None
        assert refused.until == source.next_free_at
        await harness.advance(MINUTE)
        assert (await backend.sources.take_permit("ebay", job.lease)).granted

    async def test_a_fetch_outside_of_jobs_keeps_the_same_pace(self, backend: Backend) -> None:
        await declare(backend, rate_limit_per_minute=1)
        assert (await backend.sources.take_permit("ebay")).granted
        assert not (await backend.sources.take_permit("ebay")).granted
        await store_bound(backend, "job")
        assert await claim_ids(backend) == []

    async def test_a_reserved_permit_is_not_given_to_others(self, backend: Backend) -> None:
        await declare(backend, rate_limit_per_minute=1)
        await store_bound(backend, "job")
        job = await claim(backend)
        refused = await backend.sources.take_permit("ebay")
        assert (refused.granted, refused.until) == (False, None)
        assert (await backend.sources.take_permit("ebay", job.lease)).granted

    async def test_a_superseded_holder_gets_no_permit(self, backend: Backend, harness: StoreHarness) -> None:
        await declare(backend, rate_limit_per_minute=60)
        await store_bound(backend, "job")
        job = await claim(backend)
        await harness.advance(LEASE + SECOND)
        await backend.reap_jobs()
        refused = await backend.sources.take_permit("ebay", job.lease)
        assert (refused.granted, refused.is_lease_lost) == (False, True)
        source = await backend.sources.find("ebay")
        assert source is not None
        assert source.next_free_at is None

    async def test_a_quota_holds_for_the_utc_day(self, backend: Backend, harness: StoreHarness) -> None:
        await declare(backend, daily_quota=2)
        await store_bound(backend, "a", "b", "c")
        claimed = await backend.claim_pending_jobs(10)
        assert [job.id for job in claimed] == ["a", "b"]
        for job in claimed:
            assert (await backend.sources.take_permit("ebay", job.lease)).granted
            await backend.complete_job(job.lease)
        assert await claim_ids(backend) == []
        await harness.advance(timedelta(days=1))
        assert await claim_ids(backend) == ["c"]

    async def test_over_midnight_and_back_a_day_has_one_quota(self, backend: Backend, harness: StoreHarness) -> None:
        await declare(backend, daily_quota=2)
        assert [(await backend.sources.take_permit("ebay")).granted for _ in range(3)] == [True, True, False]
        await harness.advance(timedelta(days=1))
        assert (await backend.sources.take_permit("ebay")).granted
        await harness.advance(timedelta(days=-1))
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(timedelta(days=1))
        assert [(await backend.sources.take_permit("ebay")).granted for _ in range(2)] == [True, False]

    async def test_after_a_clock_was_set_back_the_source_is_asked_at_its_pace(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=60, burst=2)
        await harness.advance(timedelta(days=1))
        assert (await backend.sources.take_permit("ebay")).granted
        await harness.advance(timedelta(days=-1))
        assert [(await backend.sources.take_permit("ebay")).granted for _ in range(2)] == [True, False]
        await harness.advance(SECOND)
        assert (await backend.sources.take_permit("ebay")).granted

    async def test_who_was_refused_before_a_clock_was_set_back_is_judged_anew(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=1)
        long_ago = await backend.reader.now() - timedelta(days=2)
        await store_bound(backend, "a", "b", "c", run_at=long_ago)
        first = await claim(backend)
        assert (await backend.sources.take_permit("ebay", first.lease)).granted
        assert await claim_ids(backend) == []
        await harness.advance(-timedelta(hours=13))
        assert await claim_ids(backend) == ["b"]

    async def test_resuming_frees_those_who_wait_by_a_clock_that_was_set_back(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=60)
        await store_bound(backend, "first", "second")
        await harness.advance(timedelta(days=1))
        first = await claim(backend)
        assert (await backend.sources.take_permit("ebay", first.lease)).granted
        assert await claim_ids(backend) == []
        await harness.advance(timedelta(days=-1))
        await backend.sources.resume("ebay", actor="op", reason="the clock is right again")
        # Stored by the clock as it was, they are due.
        assert await claim_ids(backend) == ["second"]

    async def test_what_was_taken_ahead_counts_under_a_new_rate_too(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=1)
        assert (await backend.sources.take_permit("ebay")).granted
        await declare(backend, rate_limit_per_minute=6)
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(10 * SECOND)
        assert (await backend.sources.take_permit("ebay")).granted
        await declare(backend, rate_limit_per_minute=1)
        await harness.advance(50 * SECOND)
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(10 * SECOND)
        assert (await backend.sources.take_permit("ebay")).granted

    async def test_under_a_smaller_burst_nobody_waits_longer_than_that(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=1, burst=4)
        assert [(await backend.sources.take_permit("ebay")).granted for _ in range(4)] == [True] * 4
        await declare(backend, rate_limit_per_minute=1)
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(MINUTE)
        assert (await backend.sources.take_permit("ebay")).granted

    async def test_a_redirect_is_followed_at_once_and_those_after_it_wait(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, rate_limit_per_minute=1, daily_quota=3)
        first = await backend.sources.take_permit("ebay")
        assert (await backend.sources.take_permit("ebay", hop_of=first.token)).granted
        await harness.advance(MINUTE + SECOND)
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(MINUTE)
        last = await backend.sources.take_permit("ebay")
        assert last.granted
        assert not (await backend.sources.take_permit("ebay", hop_of=last.token)).granted

    async def test_a_redirect_to_a_paused_source_is_not_followed(self, backend: Backend) -> None:
        await store_bound(backend, "job")
        job = await claim(backend)
        first = await backend.sources.take_permit("ebay", job.lease)
        assert first.token == job.lease_token
        await backend.sources.pause("ebay", actor="op", reason="they asked")
        assert not (await backend.sources.take_permit("ebay", job.lease, hop_of=first.token)).granted

    @pytest.mark.parametrize(("mode", "is_granted"), [(GateMode.DRAIN, True), (GateMode.CLOSED, False)])
    async def test_behind_a_closed_gate_of_the_source_nothing_more_is_fetched(
        self, backend: Backend, mode: GateMode, *, is_granted: bool
    ) -> None:
        await store_bound(backend, "job")
        job = await claim(backend)
        expires_at = await backend.reader.now() + MINUTE
        gate = Gate(scope=GateScope.SOURCE, name="ebay", mode=mode, expires_at=expires_at)
        await backend.admission.set_rule(gate, actor="op", reason="they asked")
        permit = await backend.sources.take_permit("ebay", job.lease)
        assert (permit.granted, permit.until) == (is_granted, None if is_granted else expires_at)
        refused = await backend.sources.take_permit("ebay")
        assert (refused.granted, refused.until) == (False, expires_at)
        assert (await backend.sources.take_permit("other", job.lease)).granted

    async def test_a_retry_after_is_obeyed_by_all(self, backend: Backend, harness: StoreHarness) -> None:
        await store_bound(backend, "a", "b")
        await store(backend, "plain")
        first = await claim(backend, job_types=["test"])
        await report(backend, FetchVerdict.LIMITED, first, retry_after=10 * MINUTE)
        assert await claim_ids(backend) == ["plain"]
        refused = await backend.sources.take_permit("ebay", first.lease)
        assert (refused.granted, refused.until is not None) == (False, True)
        await harness.advance(10 * MINUTE)
        assert await claim_ids(backend) == ["b"]

    async def test_a_shorter_retry_after_does_not_end_a_longer_one(self, backend: Backend) -> None:
        longer = await report(backend, FetchVerdict.LIMITED, retry_after=10 * MINUTE)
        shorter = await report(backend, FetchVerdict.LIMITED, retry_after=MINUTE)
        assert shorter.limited_until == longer.limited_until

    async def test_jobs_held_back_by_a_source_cost_nothing(self, backend: Backend) -> None:
        await declare(backend, enabled=False)
        await store_bound(backend, "job")
        for _ in range(3):
            assert await claim_ids(backend) == []
        waiting = await backend.get_job("job")
        assert (waiting.state, waiting.attempts, waiting.lease_token) == (State.PENDING, 0, 0)

    async def test_a_claim_knows_when_to_come_again(self, backend: Backend, harness: StoreHarness) -> None:
        assert await backend.admission.find_wake(WIDE) is None
        await declare(backend, rate_limit_per_minute=1)
        await store_bound(backend, "first", "second")
        held = await claim(backend)
        assert await backend.admission.find_wake(WIDE) is None
        await backend.sources.take_permit("ebay", held.lease)
        assert await claim_ids(backend) == []
        wake = await backend.admission.find_wake(WIDE)
        assert wake is not None
        assert 50 * SECOND < wake <= MINUTE
        await store(backend, "soon", run_at=await backend.reader.now() + 10 * SECOND)
        wake = await backend.admission.find_wake(WIDE)
        assert wake is not None
        assert wake <= 10 * SECOND
        await harness.advance(MINUTE)
        assert await backend.admission.find_wake(WIDE) == timedelta(0)
