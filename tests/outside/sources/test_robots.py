"""What a site asks of crawlers is asked for once, and obeyed."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.errors import PermitRefused, ProviderFault, RobotsRefused
from dibs.outside.sources import robots
from dibs.outside.sources.sources import Sources
from tests.outside.hostile import in_turn, redirect, say

WISHES = b"User-agent: *\nDisallow: /private\n\nUser-agent: dibs\nDisallow: /secret\nAllow: /secret/page\n"


@pytest.fixture
def polite(scene):
    scene.set_policy(robots=True)
    scene.hostile.on("/robots.txt", say(200, WISHES))
    for path in ("/", "/private", "/secret", "/secret/page"):
        scene.hostile.on(path, say(200, b"x"))
    return scene


async def test_a_page_that_crawlers_are_kept_from_is_not_asked_for(polite):
    with pytest.raises(RobotsRefused, match="robots=False"):
        await polite.fetch("/secret")
    for path in ("/secret/page", "/private", "/"):
        assert (await polite.fetch(path)).is_good
    assert polite.hostile.paths() == ["/robots.txt", "/secret/page", "/private", "/"]
    assert polite.hostile.asked[0].headers["user-agent"].startswith("dibs/")


@pytest.mark.parametrize("path", ["/x/../secret", "/x/%2e%2e/secret", "/%73ecret"])
async def test_a_detour_does_not_get_around_it(polite, path):
    with pytest.raises(RobotsRefused):
        await polite.fetch(path)


async def test_a_redirect_does_not_get_around_it_either(polite, other):
    polite.hostile.on("/", redirect("/secret"))
    with pytest.raises(RobotsRefused):
        await polite.fetch()
    assert "/secret" not in polite.hostile.paths()
    source = await polite.source()
    assert (source.failure_streak, source.last_success_at is None) == (0, False)


async def test_the_wishes_of_another_site_that_a_redirect_leads_to_are_asked_for(polite, other):
    hosts = frozenset({polite.hostile.host, other.host})
    polite.set_policy(rules=replace(polite.policy.rules, allow_hosts=hosts))
    polite.hostile.on("/", redirect(other.url("/private")))
    other.on("/robots.txt", say(200, b"User-agent: *\nDisallow: /private\n"))
    with pytest.raises(RobotsRefused, match=str(other.port)):
        await polite.fetch()
    assert other.paths() == ["/robots.txt"]


async def test_it_is_asked_for_once_a_day_also_by_other_processes(polite):
    await polite.fetch()
    polite.set_policy()
    await polite.fetch("/private")
    await polite.advance(hours=23)
    polite.set_policy()
    await polite.fetch("/private")
    assert polite.hostile.paths().count("/robots.txt") == 1
    await polite.advance(hours=2)
    polite.set_policy()
    await polite.fetch("/private")
    assert polite.hostile.paths().count("/robots.txt") == 2


async def test_a_process_remembers_it_without_a_cache(polite):
    polite.sources = Sources(
        polite.backend.sources, type(polite.cache)(None), polite.transport, policies={"shop": polite.policy}
    )
    for path in ("/", "/private", "/secret/page"):
        await polite.fetch(path)
    assert polite.hostile.paths().count("/robots.txt") == 1


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_a_site_without_wishes_is_free(polite, status):
    polite.hostile.on("/robots.txt", say(status))
    assert (await polite.fetch("/secret")).is_good


async def test_a_site_that_cannot_tell_its_wishes_is_left_alone(polite):
    polite.hostile.on("/robots.txt", in_turn(say(503), say(200, WISHES)))
    with pytest.raises(ProviderFault):
        await polite.fetch()
    assert polite.hostile.paths() == ["/robots.txt"]
    assert (await polite.source()).failure_streak == 1
    assert (await polite.fetch()).is_good


async def test_it_takes_a_permit_of_its_own(polite):
    await polite.declare(rate_limit_per_minute=1)
    with pytest.raises(PermitRefused):
        await polite.fetch()
    assert polite.hostile.paths() == ["/robots.txt"]
    await polite.advance(minutes=1)
    assert (await polite.fetch()).is_good


@pytest.mark.parametrize("wish", [b"Crawl-delay: 30", b"Request-rate: 2/60"])
async def test_a_pace_that_the_site_asks_for_tightens_ours(polite, wish):
    polite.hostile.on("/robots.txt", say(200, b"User-agent: *\n" + wish + b"\nDisallow: /private\n"))
    await polite.fetch("/")
    now = polite.store.now()
    with pytest.raises(PermitRefused) as caught:
        await polite.fetch("/secret")
    assert caught.value.until is not None
    assert timedelta(seconds=25) < caught.value.until - now <= timedelta(seconds=30)
    await polite.advance(seconds=31)
    assert (await polite.fetch("/secret")).is_good


async def test_it_is_not_asked_for_where_it_does_not_apply(polite):
    polite.set_policy(robots=False)
    assert (await polite.fetch("/secret")).is_good
    assert polite.hostile.paths() == ["/secret"]


async def test_wishes_without_end_are_read_up_to_a_limit(polite):
    long = WISHES + b"# filler\n" * 60_000 + b"User-agent: *\nDisallow: /\n"
    assert len(long) > robots.MOST_BYTES
    polite.hostile.on("/robots.txt", say(200, long))
    assert (await polite.fetch("/")).is_good
    with pytest.raises(RobotsRefused):
        await polite.fetch("/secret")


async def test_credentials_are_not_sent_for_it(polite):
    await polite.fetch(headers={"Authorization": "secret"})
    assert "authorization" not in polite.hostile.asked[0].headers
    assert polite.hostile.asked[1].headers["authorization"] == "secret"
