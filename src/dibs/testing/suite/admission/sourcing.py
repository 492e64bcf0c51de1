"""Sources: the breaker, what is declared, and what operators do."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from dibs.engine.admission.source import FetchVerdict, Source, SourceRule
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.admission.limiting import ENDS
from dibs.testing.suite.admission.pacing import Pacing, break_source, declare, report, store_bound
from dibs.testing.suite.ground import MINUTE, SECOND, Ground, audit_of, claim, claim_ids


class Breaking(Ground):
    """When a source is left alone because it is not well."""

    async def test_five_faults_in_a_row_pause_the_source_for_five_minutes(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_bound(backend, "job")
        await break_source(backend, times=4)
        assert not (await report(backend, FetchVerdict.OK)).failure_streak
        await break_source(backend, times=5)
        assert await claim_ids(backend) == []
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(5 * MINUTE - 10 * SECOND)
        assert await claim_ids(backend) == []
        await harness.advance(10 * SECOND)
        assert await claim_ids(backend) == ["job"]

    async def test_a_verdict_given_in_words_is_the_one_they_mean(self, backend: Backend) -> None:
        for verdict in FetchVerdict:
            told = await report(backend, verdict.value, retry_after=MINUTE)  # type: ignore[arg-type]
        assert (told.failure_streak, told.parser_streak, told.host_streak) == (1, 1, 1)
        assert None not in (told.last_success_at, told.limited_until)
        with pytest.raises(BadInput, match="is not a verdict"):
            await report(backend, "fine")  # type: ignore[arg-type]

    async def test_how_many_faults_and_how_long_can_be_declared(self, backend: Backend, harness: StoreHarness) -> None:
        await declare(backend, failure_limit=2, pause=MINUTE)
        await store_bound(backend, "job")
        await break_source(backend, times=2)
        assert await claim_ids(backend) == []
        await harness.advance(MINUTE)
        assert await claim_ids(backend) == ["job"]

    async def test_after_the_pause_one_job_probes_and_its_success_lets_the_others_go(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_bound(backend, "a", "b", "c")
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        [probe] = await backend.claim_pending_jobs(10)
        assert await claim_ids(backend) == []
        assert (await backend.sources.take_permit("ebay", probe.lease)).granted
        mended = await report(backend, FetchVerdict.OK, probe)
        assert (mended.failure_streak, mended.paused_until) == (0, None)
        assert await claim_ids(backend) == ["b", "c"]

    async def test_a_probe_that_fails_pauses_the_source_again(self, backend: Backend, harness: StoreHarness) -> None:
        await store_bound(backend, "a", "b")
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await claim(backend)
        await report(backend, FetchVerdict.PROVIDER_FAULT, probe)
        await backend.complete_job(probe.lease)
        assert await claim_ids(backend) == []
        await harness.advance(5 * MINUTE)
        assert await claim_ids(backend) == ["b"]

    @pytest.mark.parametrize("verdict", [FetchVerdict.OK, FetchVerdict.PROVIDER_FAULT])
    async def test_a_job_that_has_tried_a_source_and_runs_on_keeps_nobody_from_trying_it_later(
        self, backend: Backend, harness: StoreHarness, verdict: FetchVerdict
    ) -> None:
        await declare(backend, pause=MINUTE)
        await store_bound(backend, "a", "b")
        await break_source(backend)
        await harness.advance(MINUTE)
        probe = await claim(backend, lease=timedelta(hours=1))
        assert await claim_ids(backend) == []
        assert (await backend.sources.take_permit("ebay", probe.lease)).granted
        await report(backend, verdict, probe)
        if verdict is FetchVerdict.OK:
            await break_source(backend)
        assert await claim_ids(backend) == []
        await harness.advance(MINUTE)
        assert await claim_ids(backend) == ["b"]

    async def test_a_job_that_ran_before_and_tries_a_source_in_vain_keeps_nobody_from_it(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await declare(backend, pause=MINUTE)
        await store_bound(backend, "a", "b")
        early = await claim(backend, lease=timedelta(hours=1))
        assert (await backend.sources.take_permit("ebay", early.lease)).granted
        await break_source(backend)
        await harness.advance(MINUTE)
        assert (await backend.sources.take_permit("ebay", early.lease)).granted
        assert await claim_ids(backend) == []
        assert (await report(backend, FetchVerdict.PROVIDER_FAULT, early)).failure_streak == 6
        await harness.advance(MINUTE)
        assert await claim_ids(backend) == ["b"]

    async def test_a_fault_that_is_not_the_providers_leaves_the_probe_to_its_job(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_bound(backend, "a", "b")
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await claim(backend)
        assert (await report(backend, FetchVerdict.HOST_FAULT, probe)).is_broken
        assert await claim_ids(backend) == []
        assert not (await report(backend, FetchVerdict.OK, probe)).is_broken
        assert await claim_ids(backend) == ["b"]

    @pytest.mark.parametrize("end", ENDS)
    async def test_a_probe_that_ends_without_a_word_lets_another_try(
        self, backend: Backend, harness: StoreHarness, end: str
    ) -> None:
        await store_bound(backend, "first", priority=-1)
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await claim(backend)
        await store_bound(backend, "second", "third")
        assert await claim_ids(backend) == []
        await ENDS[end](backend, probe, harness)
        assert await claim_ids(backend) == ["second"]

    async def test_outside_of_jobs_one_probe_is_let_through_a_pause(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        granted = [(await backend.sources.take_permit("ebay")).granted for _ in range(3)]
        assert granted == [True, False, False]
        await harness.advance(5 * MINUTE)
        probe = await backend.sources.take_permit("ebay")
        assert probe.granted
        assert not (await report(backend, FetchVerdict.OK, token=probe.token)).is_broken
        assert (await backend.sources.take_permit("ebay")).granted

    async def test_a_late_success_outside_of_jobs_does_not_close_the_breaker(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        old = await backend.sources.take_permit("ebay")
        await break_source(backend)
        assert (await report(backend, FetchVerdict.OK, token=old.token)).is_broken
        await harness.advance(5 * MINUTE)
        assert (await report(backend, FetchVerdict.OK, token=old.token)).is_broken
        probe = await backend.sources.take_permit("ebay")
        assert probe.granted
        assert (await report(backend, FetchVerdict.OK, token=old.token)).is_broken
        assert not (await report(backend, FetchVerdict.OK, token=probe.token)).is_broken

    async def test_a_probe_outside_of_jobs_that_fails_pauses_the_source_again(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await backend.sources.take_permit("ebay")
        assert (await report(backend, FetchVerdict.PROVIDER_FAULT, token=probe.token)).failure_streak == 6
        assert (await report(backend, FetchVerdict.OK, token=probe.token)).is_broken
        assert not (await backend.sources.take_permit("ebay")).granted

    async def test_a_probe_outside_of_jobs_may_follow_redirects(self, backend: Backend, harness: StoreHarness) -> None:
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await backend.sources.take_permit("ebay")
        hop = await backend.sources.take_permit("ebay", hop_of=probe.token)
        assert (hop.granted, hop.token) == (True, probe.token)
        assert not (await report(backend, FetchVerdict.OK, token=probe.token)).is_broken

    async def test_a_probe_that_succeeds_leaves_the_pause_of_an_operator(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_bound(backend, "a", "b")
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await claim(backend)
        until = await backend.reader.now() + timedelta(hours=1)
        await backend.sources.pause("ebay", until, actor="op", reason="they asked")
        mended = await report(backend, FetchVerdict.OK, probe)
        assert (mended.is_broken, mended.paused_until) == (False, until)
        assert await claim_ids(backend) == []
        await harness.advance(timedelta(hours=1))
        assert await claim_ids(backend) == ["b"]

    async def test_an_operators_shorter_pause_does_not_cut_that_of_the_breaker(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await break_source(backend)
        now = await backend.reader.now()
        paused = await backend.sources.pause("ebay", now + MINUTE, actor="op", reason="they asked")
        assert paused.paused_until is not None
        assert paused.paused_until > now + 4 * MINUTE
        await harness.advance(2 * MINUTE)
        assert not (await backend.sources.take_permit("ebay")).granted

    async def test_nor_does_one_that_takes_the_place_of_a_longer_one(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await break_source(backend)
        now = await backend.reader.now()
        await backend.sources.pause("ebay", now + 20 * MINUTE, actor="op", reason="they asked")
        shorter = await backend.sources.pause("ebay", now + MINUTE, actor="op", reason="they asked")
        assert shorter.held_until == now + MINUTE
        assert shorter.paused_until is not None
        assert abs(shorter.paused_until - now - 5 * MINUTE) < 5 * SECOND
        await harness.advance(2 * MINUTE)
        assert not (await backend.sources.take_permit("ebay")).granted
        await harness.advance(4 * MINUTE)
        assert (await backend.sources.take_permit("ebay")).granted

    async def test_after_a_clock_was_set_back_a_broken_source_is_tried(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await harness.advance(timedelta(days=1))
        await break_source(backend)
        await harness.advance(timedelta(days=-1))
        assert (await backend.sources.take_permit("ebay")).granted
        assert not (await backend.sources.take_permit("ebay")).granted

    async def test_a_late_success_of_another_job_does_not_close_the_breaker(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_bound(backend, "old", "a", "b")
        old = await claim(backend)
        await break_source(backend)
        assert (await report(backend, FetchVerdict.OK, old)).is_broken
        await harness.advance(5 * MINUTE)
        await backend.heartbeat_jobs([old.lease])
        assert await claim_ids(backend) == ["a"]
        assert (await report(backend, FetchVerdict.OK, old)).is_broken
        assert await claim_ids(backend) == []

    async def test_faults_of_our_own_and_of_the_parser_do_not_open_the_breaker(self, backend: Backend) -> None:
        await store_bound(backend, "job")
        for verdict in (FetchVerdict.HOST_FAULT, FetchVerdict.PARSER_FAULT) * 6:
            source = await report(backend, verdict)
        assert (source.failure_streak, source.host_streak, source.parser_streak) == (0, 6, 6)
        assert source.last_failure_at is not None
        assert await claim_ids(backend) == ["job"]

    async def test_too_many_requests_go_to_the_limiter_and_not_to_the_breaker(self, backend: Backend) -> None:
        for _ in range(6):
            source = await report(backend, FetchVerdict.LIMITED, retry_after=SECOND)
        assert (source.failure_streak, source.is_broken, source.last_failure_at) == (0, False, None)

    async def test_opening_and_closing_of_the_breaker_are_in_the_audit_log(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await break_source(backend)
        await harness.advance(5 * MINUTE)
        probe = await backend.sources.take_permit("ebay")
        await report(backend, FetchVerdict.OK, token=probe.token)
        broken, mended = await audit_of(backend, "source:ebay")
        assert (broken.action, broken.actor, broken.tenant) == ("SOURCE_BROKEN", "dibs:breaker", "*")
        assert broken.detail == {"failure_streak": 5}
        assert (mended.action, mended.detail) == ("SOURCE_MENDED", {"failure_streak": 0})


class Keeping(Ground):
    """What is declared of sources, and what operators do."""

    async def test_a_source_is_kept_as_declared(self, backend: Backend, harness: StoreHarness) -> None:
        rule = SourceRule(
            name="ebay",
            rate_limit_per_minute=7,
            burst=2,
            daily_quota=1000,
            failure_limit=3,
            pause=90 * SECOND,
            enabled=True,
        )
        declared = await backend.sources.declare(rule, actor="op", reason="new")
        assert declared == Source(rule=rule)
        async with await harness.open() as other:
            assert await other.sources.find("ebay") == declared
            assert await other.sources.list_sources() == [declared]
        assert await backend.sources.find("unknown") is None

    async def test_declaring_anew_does_not_touch_how_the_source_stands(self, backend: Backend) -> None:
        await break_source(backend, times=3)
        anew = await declare(backend, rate_limit_per_minute=9)
        assert (anew.failure_streak, anew.rule.rate_limit_per_minute) == (3, 9)

    async def test_declaring_anew_does_not_undo_a_pause(self, backend: Backend) -> None:
        assert (await declare(backend)).rule.enabled
        await backend.sources.pause("ebay", actor="op", reason="for good")
        until = await backend.reader.now() + MINUTE
        await backend.sources.pause("ebay", until, actor="op", reason="and until then")
        anew = await declare(backend, rate_limit_per_minute=9)
        assert (anew.rule.enabled, anew.paused_until, anew.held_until) == (False, until, until)
        [*_, entry] = await audit_of(backend, "source:ebay")
        assert entry.detail["after"]["enabled"] is False
        assert (await declare(backend, enabled=True)).rule.enabled

    async def test_an_operator_pauses_and_resumes(self, backend: Backend, harness: StoreHarness) -> None:
        await store_bound(backend, "a", "b")
        until = await backend.reader.now() + MINUTE
        paused = await backend.sources.pause("ebay", until, actor="op", reason="they asked")
        assert (paused.paused_until, await claim_ids(backend)) == (until, [])
        await harness.advance(MINUTE + SECOND)
        assert await claim_ids(backend, limit=1) == ["a"]
        await backend.sources.pause("ebay", actor="op", reason="for good")
        await harness.advance(timedelta(days=9))
        assert await claim_ids(backend) == []
        resumed = await backend.sources.resume("ebay", actor="op", reason="again")
        assert resumed.rule.enabled
        assert await claim_ids(backend) == ["b"]
        log = await audit_of(backend, "source:ebay")
        assert [entry.action for entry in log] == ["SOURCE_PAUSED", "SOURCE_PAUSED", "SOURCE_RESUMED"]
        first, second, third = (entry.detail for entry in log)
        assert (first["before"], datetime.fromisoformat(first["after"]["paused_until"])) == (None, until)
        assert (second["before"], second["after"]["enabled"]) == (first["after"], False)
        well = {"enabled": True, "failure_streak": 0, "paused_until": None, "limited_until": None}
        assert (third["before"], third["after"]) == (second["after"], well)

    async def test_resuming_closes_the_breaker_and_ends_every_wait(self, backend: Backend) -> None:
        await store_bound(backend, "job")
        await break_source(backend)
        await report(backend, FetchVerdict.LIMITED, retry_after=10 * MINUTE)
        resumed = await backend.sources.resume("ebay", actor="op", reason="fixed")
        assert (resumed.failure_streak, resumed.paused_until, resumed.limited_until) == (0, None, None)
        assert await claim_ids(backend) == ["job"]

    async def test_a_declaration_is_in_the_audit_log_with_before_and_after(self, backend: Backend) -> None:
        await declare(backend, rate_limit_per_minute=5)
        await declare(backend, rate_limit_per_minute=9)
        first, second = await audit_of(backend, "source:ebay")
        assert (first.action, first.actor, first.detail["before"]) == ("SOURCE_DECLARED", "op", None)
        assert second.detail["before"] == first.detail["after"]
        assert second.detail["after"]["rate_limit_per_minute"] == 9

    async def test_a_source_that_cannot_be_is_refused(self, backend: Backend) -> None:
        wrong: list[dict[str, Any]] = [
            {"name": ""},
            {"rate_limit_per_minute": 0},
            {"burst": 0},
            {"daily_quota": -1},
            {"failure_limit": 0},
            {"pause": timedelta(seconds=-1)},
        ]
        for facts in wrong:
            with pytest.raises(BadInput):
                await declare(backend, **{"name": "ebay", **facts})
        assert await backend.sources.list_sources() == []

    async def test_a_source_is_the_same_after_every_kind_of_report(self, backend: Backend) -> None:
        for verdict in FetchVerdict:
            told = await report(backend, verdict, retry_after=MINUTE)
            assert await backend.sources.find("ebay") == told


class Sourcing(Pacing, Breaking, Keeping):
    """All about sources."""
