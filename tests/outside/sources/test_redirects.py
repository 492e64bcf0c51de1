"""A redirect is one more request to its source, and counts as one."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.engine.admission.source import FetchReport, FetchVerdict
from dibs.errors import PermitRefused
from tests.outside.hostile import redirect, say

HOPS = 3


def lead_on(hostile) -> None:
    """Let `/` lead to its page over three redirects."""
    for number in range(HOPS):
        here = "/" if number == 0 else f"/{number}"
        hostile.on(here, redirect(f"/{number + 1}"))
    hostile.on(f"/{HOPS}", say(200, b"page"))


async def test_each_redirect_counts_against_the_quota(scene):
    await scene.declare(daily_quota=100)
    lead_on(scene.hostile)
    assert (await scene.fetch()).text == "page"
    assert (await scene.source()).quota_used == 1 + HOPS


async def test_a_redirect_beyond_the_quota_is_not_followed(scene):
    await scene.declare(daily_quota=2)
    lead_on(scene.hostile)
    with pytest.raises(PermitRefused):
        await scene.fetch()
    assert (await scene.source()).quota_used == 2


async def test_whoever_comes_next_waits_for_the_redirects_too(scene):
    await scene.declare(rate_limit_per_minute=6)
    lead_on(scene.hostile)
    job = await scene.claim_job()
    before = scene.store.now()
    assert (await scene.fetch(lease=job.lease)).text == "page"
    source = await scene.source()
    assert source.next_free_at is not None
    assert source.next_free_at >= before + (1 + HOPS) * timedelta(seconds=10)
    with pytest.raises(PermitRefused) as refused:
        await scene.fetch(f"/{HOPS}")
    assert refused.value.until == source.next_free_at


async def test_a_site_that_asks_for_a_pace_is_still_followed_where_it_leads(scene):
    scene.set_policy(robots=True)
    scene.hostile.on("/robots.txt", say(200, b"User-agent: *\nCrawl-delay: 30\n"))
    lead_on(scene.hostile)
    assert (await scene.fetch()).text == "page"


async def test_outside_of_jobs_a_probe_that_is_led_on_closes_the_breaker(scene):
    await scene.declare(failure_limit=1, pause=timedelta(minutes=5))
    scene.hostile.on("/", say(500))
    with pytest.raises(Exception, match="answered 500"):
        await scene.fetch()
    assert (await scene.source()).is_broken
    lead_on(scene.hostile)
    await scene.store.advance(timedelta(minutes=5))
    assert (await scene.fetch()).text == "page"
    assert not (await scene.source()).is_broken


@pytest.fixture
def next_door(scene, other):
    """A second site, to which `/` of the first one leads; both are asked what they wish of crawlers."""
    hosts = frozenset({scene.hostile.host, other.host})
    scene.set_policy(robots=True, rules=replace(scene.policy.rules, allow_hosts=hosts))
    scene.hostile.on("/robots.txt", say(404))
    scene.hostile.on("/", redirect(other.url("/page")))
    other.on("/robots.txt", say(404))
    other.on("/page", say(200, b"page"))
    return other


async def test_a_paced_source_is_followed_to_a_site_whose_wishes_nobody_knows_yet(scene, next_door):
    await scene.declare(rate_limit_per_minute=1)
    with pytest.raises(PermitRefused):
        await scene.fetch()
    await scene.advance(minutes=1)
    assert (await scene.fetch()).text == "page"
    assert next_door.paths() == ["/robots.txt", "/page"]
    source = await scene.source()
    # The wishes of both, the page, and where it is: those that come next wait for all of it.
    assert source.quota_used == 4
    assert source.next_free_at is not None
    assert source.next_free_at - scene.store.now() > timedelta(minutes=2)


async def test_a_site_that_asks_for_a_pace_is_followed_to_another_site_as_well(scene, next_door):
    scene.hostile.on("/robots.txt", say(200, b"User-agent: *\nCrawl-delay: 30\n"))
    assert (await scene.fetch()).text == "page"
    assert next_door.paths() == ["/robots.txt", "/page"]


async def test_the_wishes_of_another_site_are_not_asked_for_beyond_the_quota(scene, next_door):
    await scene.declare(daily_quota=2)
    with pytest.raises(PermitRefused):
        await scene.fetch()
    assert next_door.paths() == []


async def test_a_site_that_a_redirect_leads_to_may_ask_for_a_pace_too(scene, next_door):
    next_door.on("/robots.txt", say(200, b"User-agent: *\nCrawl-delay: 30\n"))
    assert (await scene.fetch()).text == "page"
    with pytest.raises(PermitRefused) as refused:
        await scene.fetch("/other")
    assert refused.value.until is not None
    assert timedelta(seconds=25) < refused.value.until - scene.store.now() <= timedelta(seconds=30)


async def test_a_fetch_whose_source_breaks_while_it_is_led_on_tries_it(scene):
    await scene.declare(failure_limit=1, pause=timedelta(minutes=5))
    lead_on(scene.hostile)
    take_permit = scene.backend.sources.take_permit

    async def break_before_hops(name, lease=None, *, hop_of=None):
        if hop_of == 0:
            await scene.backend.sources.report(FetchReport(source=name, verdict=FetchVerdict.PROVIDER_FAULT))
            await scene.advance(minutes=5)
        return await take_permit(name, lease, hop_of=hop_of)

    scene.backend.sources.take_permit = break_before_hops
    assert (await scene.fetch()).text == "page"
    assert not (await scene.source()).is_broken
