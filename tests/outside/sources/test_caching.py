"""A page that was fetched is not fetched again before its time, and is asked about politely afterwards."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.errors import LeaseLost, PermitRefused, ProviderFault
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.freshness import CacheRules
from dibs.outside.cache.keys import join_key
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.sources.sources import Sources
from tests.outside.hostile import head, in_turn, raw, redirect, say

UNCHANGED = raw(head(304, 'ETag: "1"', "X-News: yes"), close=False)


async def test_a_fresh_page_is_shown_from_the_cache_and_spends_no_permit(scene):
    await scene.declare(rate_limit_per_minute=1)
    scene.hostile.on("/", say(200, b"hello"))
    first, second = await scene.fetch(), await scene.fetch()
    assert (first.is_cached, second.is_cached) == (False, True)
    assert (second.status, second.text, second.url, second.digest) == (200, "hello", first.url, first.digest)
    assert len(scene.hostile.asked) == 1
    assert (await scene.source()).quota_used == 1


async def test_after_its_time_a_page_is_fetched_again(scene):
    scene.hostile.on("/", in_turn(say(200, b"old"), say(200, b"new")))
    await scene.fetch()
    await scene.advance(minutes=61)
    assert (await scene.fetch()).text == "new"
    assert "if-none-match" not in scene.hostile.asked[1].headers


async def test_the_requests_time_goes_before_the_sources_and_that_before_the_settings(scene):
    scene.hostile.on("/", say(200, b"x"))
    scene.set_policy(cache=CacheRules(ttl=timedelta(minutes=10)))
    await scene.fetch(key="source")
    await scene.fetch(key="request", ttl=timedelta(minutes=1))
    await scene.advance(minutes=5)
    assert (await scene.fetch(key="source")).is_cached
    assert not (await scene.fetch(key="request")).is_cached
    await scene.advance(minutes=6)
    assert not (await scene.fetch(key="source")).is_cached


async def test_a_page_with_validators_is_asked_about_and_a_304_makes_it_fresh_again(scene):
    modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    scene.hostile.on("/", in_turn(say(200, b"body", 'ETag: "1"', f"Last-Modified: {modified}"), UNCHANGED))
    await scene.fetch()
    await scene.advance(minutes=61)
    again = await scene.fetch()
    asked = scene.hostile.asked[1].headers
    assert (asked["if-none-match"], asked["if-modified-since"]) == ('"1"', modified)
    assert (again.text, again.status, again.is_revalidated, again.is_cached) == ("body", 200, True, False)
    assert again.headers["x-news"] == "yes"
    await scene.advance(minutes=59)
    assert (await scene.fetch()).is_cached
    assert len(scene.hostile.asked) == 2


async def test_a_page_whose_validator_cannot_be_sent_is_fetched_anew(scene):
    scene.hostile.on("/", in_turn(say(200, b"old", 'ETag: "é"'), say(200, b"new")))
    assert (await scene.fetch()).text == "old"
    await scene.advance(minutes=61)
    assert (await scene.fetch()).text == "new"


async def test_a_page_behind_a_redirect_is_asked_about_where_it_was_found(scene):
    scene.hostile.on("/latest", redirect("/one"))
    scene.hostile.on("/one", in_turn(say(200, b"one", 'ETag: "1"'), UNCHANGED))
    await scene.fetch("/latest")
    await scene.advance(minutes=61)
    again = await scene.fetch("/latest")
    assert (again.text, again.is_revalidated) == ("one", True)
    assert ["if-none-match" in asked.headers for asked in scene.hostile.asked] == [False, False, False, True]


async def test_a_redirect_that_leads_elsewhere_brings_what_is_there(scene):
    """What is there is older than the page that was kept: asked by its date, it would be "unchanged"."""
    scene.hostile.on("/latest", in_turn(redirect("/one"), redirect("/two")))
    scene.hostile.on("/one", say(200, b"one", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"))

    async def answer_by_date(asked, writer):
        await (UNCHANGED if "if-modified-since" in asked.headers else say(200, b"two"))(asked, writer)

    scene.hostile.on("/two", answer_by_date)
    assert (await scene.fetch("/latest")).text == "one"
    await scene.advance(minutes=61)
    assert (await scene.fetch("/latest")).text == "two"


async def test_a_page_that_has_changed_takes_the_place_of_the_old_one(scene):
    scene.hostile.on("/", in_turn(say(200, b"old", 'ETag: "1"'), say(200, b"new", 'ETag: "2"')))
    await scene.fetch()
    await scene.advance(minutes=61)
    assert (await scene.fetch()).text == "new"
    assert (await scene.fetch()).text == "new"
    assert len(scene.hostile.asked) == 2


@pytest.mark.parametrize("status", [404, 410])
async def test_what_is_gone_is_remembered_for_a_while(scene, status):
    scene.hostile.on("/", say(status, b"gone"))
    assert (await scene.fetch()).status == status
    assert (await scene.fetch()).is_cached
    await scene.advance(minutes=11)
    assert not (await scene.fetch()).is_cached
    assert (await scene.source()).failure_streak == 0


async def test_other_refusals_are_answers_but_not_kept(scene):
    scene.hostile.on("/", say(403, b"no"))
    first, second = await scene.fetch(), await scene.fetch()
    assert (first.status, first.is_good, second.is_cached) == (403, False, False)


@pytest.mark.parametrize("control", ["no-store", "private"])
async def test_what_the_other_side_forbids_is_not_kept_unless_the_source_says_so(scene, control):
    scene.hostile.on("/", say(200, b"x", f"Cache-Control: {control}"))
    await scene.fetch()
    assert not (await scene.fetch()).is_cached
    scene.set_policy(cache=CacheRules(respect_no_store=False, respect_private=False))
    await scene.fetch()
    assert (await scene.fetch()).is_cached


async def test_the_callers_key_names_the_page_for_one_tenant(scene):
    scene.hostile.on("/a", say(200, b"a"))
    scene.hostile.on("/b", say(200, b"b"))
    key = join_key("shop", 1909, "S", "1C", "Lincoln", "VDB")
    assert (await scene.fetch("/a", key=key)).text == "a"
    assert (await scene.fetch("/b", key=key)).text == "a"
    assert (await scene.fetch("/b", key=key, tenant="acme")).text == "b"


async def test_credentials_keep_pages_apart(scene):
    scene.hostile.on("/", in_turn(say(200, b"mine"), say(200, b"yours")))
    assert (await scene.fetch(headers={"Authorization": "me"})).text == "mine"
    assert (await scene.fetch(headers={"Authorization": "you"})).text == "yours"


async def test_a_request_that_changes_something_is_never_answered_from_the_cache(scene):
    scene.hostile.on("/", say(200, b"done"))
    for _ in range(2):
        await scene.fetch(method="POST", body=b"x")
    assert [asked.method for asked in scene.hostile.asked] == ["POST", "POST"]
    for _ in range(2):
        await scene.fetch(method="POST", body=b"query", key="search")
    assert len(scene.hostile.asked) == 3


async def test_without_a_cache_every_fetch_goes_out(scene):
    scene.hostile.on("/", say(200, b"x"))
    sources = Sources(scene.backend.sources, Cache(None), scene.transport, policies={"shop": scene.policy})
    scene.sources = sources
    for _ in range(2):
        assert not (await scene.fetch()).is_cached
    scene.set_policy(cache=CacheRules(enabled=False))
    assert not (await scene.fetch()).is_cached
    assert len(scene.hostile.asked) == 3


def held_back(gate, answer):
    async def wait(asked, writer):
        await gate.wait()
        await answer(asked, writer)

    return wait


async def test_of_many_who_want_a_page_at_once_one_fetches_it_for_all(scene):
    gate = asyncio.Event()
    scene.hostile.on("/", held_back(gate, say(200, b"x", "Cache-Control: no-store")))
    await scene.declare(rate_limit_per_minute=1)
    fetching = [asyncio.create_task(scene.fetch()) for _ in range(50)]
    await scene.hostile.arrived.wait()
    gate.set()
    assert {(await one).text for one in fetching} == {"x"}
    assert len(scene.hostile.asked) == 1


async def test_a_fault_is_shared_by_those_who_wait_and_counted_once(scene):
    gate = asyncio.Event()
    scene.hostile.on("/", held_back(gate, say(503)))
    fetching = [asyncio.create_task(scene.fetch()) for _ in range(10)]
    await scene.hostile.arrived.wait()
    gate.set()
    answers = await asyncio.gather(*fetching, return_exceptions=True)
    assert {(type(one), getattr(one, "status", None)) for one in answers} == {(ProviderFault, 503)}
    assert (await scene.source()).failure_streak == 1


async def test_when_the_one_who_fetches_is_cancelled_another_goes(scene):
    gate = asyncio.Event()
    scene.hostile.on("/", in_turn(held_back(gate, say(200, b"never")), say(200, b"second")))
    leader = asyncio.create_task(scene.fetch())
    await scene.hostile.arrived.wait()
    followers = [asyncio.create_task(scene.fetch()) for _ in range(3)]
    await asyncio.sleep(0)
    leader.cancel()
    assert {(await one).text for one in followers} == {"second"}
    assert len(scene.hostile.asked) == 2


async def test_a_refused_permit_or_a_lost_lease_is_its_owners_alone(scene):
    scene.hostile.on("/", say(200, b"x"))
    job = await scene.claim_job()
    await scene.backend.cancel_job(job.id, actor="ada", reason="not needed")
    answers = await asyncio.gather(scene.fetch(lease=job.lease), scene.fetch(), return_exceptions=True)
    assert isinstance(answers[0], LeaseLost)
    assert not isinstance(answers[1], BaseException)


async def test_two_processes_worth_of_sources_fetch_a_page_once(scene, tmp_path):
    """Two caches on one file, as two processes have them; the second waits for the first one's turn to end."""
    gate = asyncio.Event()
    scene.hostile.on("/", held_back(gate, say(200, b"x")))
    stores = [SqliteCache(str(tmp_path / "c.db"), max_bytes=10_000_000, clock=scene.store.now) for _ in range(2)]
    both = [
        Sources(scene.backend.sources, Cache(store), scene.transport, policies={"shop": scene.policy})
        for store in stores
    ]
    scene.sources = both[0]
    first = asyncio.create_task(scene.fetch())
    await scene.hostile.arrived.wait()
    scene.sources = both[1]
    second = asyncio.create_task(scene.fetch())
    await asyncio.sleep(0.1)
    gate.set()
    assert ((await first).text, (await second).text) == ("x", "x")
    assert ((await first).is_cached, (await second).is_cached) == (False, True)
    assert len(scene.hostile.asked) == 1
    for store in stores:
        await store.close()


async def test_a_refused_permit_tells_the_instant(scene):
    scene.hostile.on("/a", say(200, b"a"))
    await scene.declare(rate_limit_per_minute=2)
    await scene.fetch("/a", key="1")
    with pytest.raises(PermitRefused) as caught:
        await scene.fetch("/a", key="2")
    assert caught.value.source == "shop"
    assert caught.value.until == (await scene.source()).next_free_at
    assert len(scene.hostile.asked) == 1


async def test_pages_too_large_to_keep_are_still_shown(scene):
    scene.cache.max_body_bytes = 3
    scene.hostile.on("/", say(200, b"long"))
    assert (await scene.fetch()).text == "long"
    assert not (await scene.fetch()).is_cached


async def test_text_is_read_by_the_charset_that_the_source_names(scene):
    scene.hostile.on("/", say(200, "Grüße".encode("latin-1"), "Content-Type: text/html; charset=ISO-8859-1"))
    scene.hostile.on("/odd", say(200, "Grüße".encode(), "Content-Type: text/html; charset=klingon"))
    scene.hostile.on("/json", say(200, b'{"a": [1]}', "Content-Type: application/json"))
    assert (await scene.fetch()).text == "Grüße"
    assert (await scene.fetch("/odd")).text == "Grüße"
    assert (await scene.fetch("/json")).json() == {"a": [1]}


async def test_policies_are_values(scene):
    assert replace(scene.policy, robots=True) != scene.policy
    assert hash(scene.policy.rules) == hash(replace(scene.policy.rules))


async def test_answers_are_counted_by_where_they_came_from(scene):
    scene.hostile.on("/", in_turn(say(200, b"body", 'ETag: "1"'), UNCHANGED))
    for minutes in (0, 1, 61, 1):
        await scene.advance(minutes=minutes)
        await scene.fetch()
    await scene.fetch(method="POST", body=b"not for the cache")
    await scene.cache._write_tallies()
    (tally,) = await scene.cache.read_tallies()
    assert (tally.source, tally.hits, tally.revalidated, tally.misses) == ("shop", 2, 1, 1)
