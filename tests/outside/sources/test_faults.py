"""Whose fault it was decides what becomes of a source: the breaker, the limiter, or nothing."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from msgspec.structs import replace

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.source import LIMITED_FOR
from dibs.errors import (
    AddressRefused,
    BodyTooLarge,
    FetchTimeout,
    HostFault,
    PermitRefused,
    ProviderFault,
    StoreUnavailable,
    TooManyRedirects,
)
from dibs.outside.sources.verdicts import read_retry_after
from tests.outside.hostile import endless, hang, in_turn, redirect, reset, say

DAY = timedelta(days=1)

PROVIDER_FAULTS = {
    "500": (say(500), ProviderFault),
    "502": (say(502), ProviderFault),
    "503": (say(503), ProviderFault),
    "408": (say(408), ProviderFault),
    "425": (say(425), ProviderFault),
    "hangs": (hang, FetchTimeout),
    "resets": (reset, ProviderFault),
    "endless": (endless, BodyTooLarge),
    "redirects for ever": (redirect("/"), TooManyRedirects),
    "redirects to loopback": (redirect("http://127.0.0.1:1/"), AddressRefused),
    "redirects to what is no URL": (redirect("http://[::1"), AddressRefused),
    "redirects to metadata": (redirect("http://169.254.169.254/latest/meta-data"), AddressRefused),
}


@pytest.mark.parametrize("name", PROVIDER_FAULTS)
async def test_a_fault_of_the_provider_counts_towards_the_breaker(scene, name):
    answer, error = PROVIDER_FAULTS[name]
    scene.hostile.on("/", answer)
    with pytest.raises(error):
        await scene.fetch()
    source = await scene.source()
    assert (source.failure_streak, source.host_streak, source.limited_until) == (1, 0, None)


async def test_a_fault_of_this_machine_does_not(scene, monkeypatch):
    async def fail(*_, **__):
        raise HostFault("no route")

    monkeypatch.setattr(scene.transport, "send", fail)
    with pytest.raises(HostFault):
        await scene.fetch()
    source = await scene.source()
    assert (source.failure_streak, source.host_streak) == (0, 1)


async def test_a_url_that_leads_to_a_private_place_says_nothing_about_the_source(scene):
    scene.set_policy(rules=replace(scene.policy.rules, allow_hosts=frozenset({f"localhost:{scene.hostile.port}"})))
    for _ in range(6):
        with pytest.raises(AddressRefused):
            await scene.fetch()
    found = await scene.backend.sources.find("shop")
    assert found is None or (found.failure_streak, found.quota_used) == (0, 0)


async def test_a_parsers_fault_is_counted_apart(scene):
    scene.hostile.on("/", say(200, b"<html>"))
    response = await scene.fetch()
    await response.report_parser_fault()
    with pytest.raises(ZeroDivisionError):
        async with response.parsing():
            _ = 1 / 0
    async with response.parsing():
        pass
    source = await scene.source()
    assert (source.failure_streak, source.parser_streak) == (0, 2)


async def test_five_faults_open_the_breaker_one_probe_tries_and_a_success_closes_it(scene):
    faults = [say(500)] * 5
    scene.hostile.on("/", in_turn(*faults, say(500), say(200, b"well")))
    for _ in range(5):
        with pytest.raises(ProviderFault):
            await scene.fetch()
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until == (await scene.source()).paused_until
    assert len(scene.hostile.asked) == 5
    await scene.advance(minutes=5)
    with pytest.raises(ProviderFault):
        await scene.fetch()
    with pytest.raises(PermitRefused):
        await scene.fetch()
    await scene.advance(minutes=5)
    assert (await scene.fetch()).text == "well"
    source = await scene.source()
    assert (source.failure_streak, source.is_broken, source.paused_until) == (0, False, None)


async def test_while_the_breaker_is_open_an_old_page_is_shown_and_marked(scene):
    scene.hostile.on("/", in_turn(say(200, b"old"), say(500)))
    await scene.fetch()
    await scene.advance(hours=2)
    for _ in range(4):
        with pytest.raises(ProviderFault):
            await scene.fetch()
    opened = await scene.fetch()
    assert (opened.text, opened.is_stale, opened.is_cached) == ("old", True, True)
    assert opened.age >= timedelta(hours=2)
    asked = len(scene.hostile.asked)
    assert (await scene.fetch()).is_stale
    assert len(scene.hostile.asked) == asked
    with pytest.raises(PermitRefused):
        await scene.fetch("/never-seen")
    await scene.advance(days=8)
    with pytest.raises((PermitRefused, ProviderFault)):
        await scene.fetch()


async def test_a_source_that_only_waits_for_its_pace_shows_nothing_stale(scene):
    await scene.declare(rate_limit_per_minute=1, burst=1)
    scene.hostile.on("/", say(200, b"old"))
    await scene.fetch(ttl=timedelta(seconds=1))
    await scene.advance(seconds=5)
    with pytest.raises(PermitRefused):
        await scene.fetch()


@pytest.mark.parametrize("status", [429, 503])
async def test_a_retry_after_in_seconds_is_everybodys_wait_and_no_fault(scene, status):
    scene.hostile.on("/", in_turn(say(status, b"", "Retry-After: 120"), say(200, b"x")))
    now = scene.store.now()
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    until = caught.value.until
    assert until is not None
    assert now + timedelta(seconds=120) <= until < now + timedelta(seconds=125)
    with pytest.raises(PermitRefused) as again:
        await scene.fetch("/other")
    assert again.value.until == until
    source = await scene.source()
    assert (source.failure_streak, len(scene.hostile.asked)) == (0, 1)
    await scene.advance(seconds=121)
    assert (await scene.fetch()).text == "x"


async def test_a_retry_after_as_a_date_counts_from_the_date_of_the_answer(scene):
    theirs = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
    fields = [f"Date: {format_datetime(theirs, usegmt=True)}"]
    fields += [f"Retry-After: {format_datetime(theirs + timedelta(minutes=3), usegmt=True)}"]
    scene.hostile.on("/", say(429, b"", *fields))
    now = scene.store.now()
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until is not None
    assert timedelta(minutes=3) <= caught.value.until - now < timedelta(minutes=3, seconds=5)


async def test_a_429_without_a_word_waits_the_usual_time(scene):
    scene.hostile.on("/", say(429))
    now = scene.store.now()
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until is not None
    assert LIMITED_FOR <= caught.value.until - now < LIMITED_FOR + timedelta(seconds=5)


async def test_too_many_requests_that_may_come_back_at_once_wait_a_second(scene):
    scene.hostile.on("/", say(429, b"", "Retry-After: 0"))
    now = scene.store.now()
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until is not None
    assert timedelta(seconds=1) <= caught.value.until - now < timedelta(seconds=6)
    with pytest.raises(PermitRefused):
        await scene.fetch("/other")
    assert len(scene.hostile.asked) == 1


async def test_a_source_that_is_unavailable_and_asks_for_no_pause_is_at_fault(scene):
    scene.hostile.on("/", say(503, b"", "Retry-After: 0"))
    with pytest.raises(ProviderFault):
        await scene.fetch()
    assert (await scene.source()).failure_streak == 1


async def test_a_refusal_behind_a_closed_gate_names_the_gate(scene):
    gate = Gate(scope=GateScope.SOURCE, name="shop", mode=GateMode.CLOSED)
    await scene.backend.admission.set_rule(gate, actor="ada", reason="their terms have changed")
    with pytest.raises(PermitRefused, match="opens its gate"):
        await scene.fetch()
    assert scene.hostile.asked == []


async def test_a_retry_after_of_years_is_capped(scene):
    scene.hostile.on("/", say(429, b"", "Retry-After: 999999999999999999"))
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until is not None
    assert caught.value.until - scene.store.now() <= DAY


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0", timedelta(0)),
        ("7", timedelta(seconds=7)),
        (" 7 ", timedelta(seconds=7)),
        ("99999999999", DAY),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 1994 08:49:37 GMT", timedelta(0)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", timedelta(0)),
        ("Sun Nov  6 08:49:37 1994", timedelta(0)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY),
    ],
)
def test_a_retry_after_is_read_in_every_form(text, span):
    assert read_retry_after({"retry-after": text}, DAY) == span


async def test_a_report_that_is_lost_costs_no_answer(scene, monkeypatch):
    async def fail(_):
        raise StoreUnavailable("gone")

    scene.hostile.on("/", say(200, b"x"))
    scene.hostile.on("/limited", say(429))
    monkeypatch.setattr(scene.backend.sources, "report", fail)
    assert (await scene.fetch()).text == "x"
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch("/limited")
    assert caught.value.until is None


async def test_a_job_spends_the_permit_that_its_claim_reserved_and_then_takes_more(scene):
    await scene.declare(rate_limit_per_minute=60, burst=2)
    scene.hostile.on("/", say(200, b"x"))
    job = await scene.claim_job()
    await scene.fetch(lease=job.lease, key="1")
    await scene.fetch(lease=job.lease, key="1")
    await scene.fetch(lease=job.lease, key="2")
    with pytest.raises(PermitRefused):
        await scene.fetch(lease=job.lease, key="3")
    assert (await scene.source()).quota_used == 2


async def test_a_disabled_source_is_not_asked(scene):
    await scene.backend.sources.pause("shop", actor="ada", reason="their terms")
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch()
    assert caught.value.until is None
    assert scene.hostile.asked == []
