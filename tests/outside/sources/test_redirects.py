"""A redirect is one more request to its source, and counts as one."""

from datetime import timedelta

import pytest

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
