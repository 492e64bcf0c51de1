"""The same is true of the cache in SQLite, PostgreSQL and Redis."""

import asyncio
import os
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.outside.cache.keys import join_key
from dibs.outside.cache.records import CachePrune, Slot, Span
from dibs.outside.cache.rows import CHECK_SHARE
from tests.outside.cache.conftest import CAP, HOUR, page, slot

LEASE = timedelta(seconds=5)


async def test_what_was_kept_is_found_as_it_was(place):
    kept = page(b"\x00\xff body", etag='"1"', vary="accept")
    await place.store.put(slot(), kept, HOUR)
    found = await place.store.find(slot())
    assert found.page == kept
    assert found.is_fresh
    assert timedelta(0) <= found.age < timedelta(minutes=1)


async def test_a_page_is_fresh_then_stale_then_gone_by_the_stores_clock(place):
    await place.store.put(slot(), page(), HOUR)
    await place.advance(timedelta(minutes=59))
    assert (await place.store.find(slot())).is_fresh
    await place.advance(timedelta(minutes=2))
    stale = await place.store.find(slot())
    assert (stale.is_fresh, stale.page) == (False, page())
    assert timedelta(minutes=60) < stale.age < timedelta(minutes=62)
    await place.advance(timedelta(hours=1))
    assert await place.store.find(slot()) is None


async def test_a_slot_is_of_one_tenant_one_source_and_one_key(place):
    slots = [slot(), slot("other"), slot(source="pcgs"), slot(tenant="acme")]
    for number, one in enumerate(slots):
        await place.store.put(one, page(str(number).encode()), HOUR)
    assert [(await place.store.find(one)).page.body for one in slots] == [b"0", b"1", b"2", b"3"]


async def test_a_later_page_takes_the_place_of_the_one_before(place):
    await place.store.put(slot(), page(b"old"), HOUR)
    await place.store.put(slot(), page(b"new"), HOUR)
    assert (await place.store.find(slot())).page.body == b"new"
    assert (await place.store.measure()).bodies == 1


async def test_equal_bodies_are_kept_once_and_for_as_long_as_one_page_has_them(place):
    for key in ("a", "b"):
        await place.store.put(slot(key), page(b"x" * 10_000), HOUR)
    size = await place.store.measure()
    assert (size.pages, size.bodies) == (2, 1)
    assert 10_000 < size.bytes < 12_000
    await place.store.put(slot("a"), page(b"other"), HOUR)
    assert (await place.store.find(slot("b"))).page.body == b"x" * 10_000
    await place.store.put(slot("b"), page(b"other"), HOUR)
    size = await place.store.measure()
    assert (size.pages, size.bodies) == (2, 1)
    assert size.bytes < 2_000


async def test_a_refreshed_page_is_fresh_again_with_its_new_headers_and_its_old_body(place):
    await place.store.put(slot(), page(b"body", etag="1"), HOUR)
    await place.advance(timedelta(minutes=90))
    await place.store.refresh(slot(), page(b"body", etag="2"), HOUR)
    found = await place.store.find(slot())
    assert (found.is_fresh, found.page) == (True, page(b"body", etag="2"))
    assert found.age < timedelta(minutes=1)


async def test_refreshing_what_is_not_there_brings_nothing(place):
    await place.store.refresh(slot(), page(), HOUR)
    assert await place.store.find(slot()) is None


async def test_what_was_stored_first_makes_room_first(place):
    body = CAP // 20
    for number in range(40):
        await place.store.put(slot(str(number)), page(number.to_bytes(2) * (body // 2)), HOUR)
        assert (await place.store.measure()).bytes <= CAP + CAP // CHECK_SHARE + 1_000
    left = [number for number in range(40) if await place.store.find(slot(str(number))) is not None]
    assert left == list(range(40 - len(left), 40))
    assert len(left) >= 18


async def test_pages_without_bodies_count_too(place):
    padding = {"x-pad": "p" * 10_000}
    for number in range(150):
        await place.store.put(slot(str(number)), page(b"", **padding), HOUR)
    size = await place.store.measure()
    assert size.pages < 110
    assert size.bytes <= CAP + CAP // CHECK_SHARE + 11_000


async def test_pruning_forgets_what_was_kept_long_enough_in_batches(place):
    for number in range(5):
        await place.store.put(slot(str(number)), page(str(number).encode()), HOUR)
    await place.store.put(slot("long"), page(), Span(fresh=timedelta(days=1)))
    assert await place.store.prune(CachePrune()) == 0
    await place.advance(timedelta(hours=3))
    assert await place.store.prune(CachePrune(dry_run=True)) == 5
    assert await place.store.prune(CachePrune(limit=2, dry_run=True)) == 2
    assert (await place.store.measure()).pages == 6
    assert [await place.store.prune(CachePrune(limit=2)) for _ in range(4)] == [2, 2, 1, 0]
    size = await place.store.measure()
    assert (size.pages, size.bodies) == (1, 1)


async def test_pruning_may_be_of_one_source_or_tenant_and_of_fresh_pages_too(place):
    for tenant in ("acme", "default"):
        for source in ("ebay", "pcgs"):
            await place.store.put(slot(tenant=tenant, source=source), page(), HOUR)
    assert await place.store.prune(CachePrune(tenant="acme")) == 0
    assert await place.store.prune(CachePrune(tenant="acme", expired_only=False, dry_run=True)) == 2
    assert await place.store.prune(CachePrune(tenant="acme", expired_only=False)) == 2
    assert await place.store.prune(CachePrune(source="ebay", expired_only=False)) == 1
    assert await place.store.find(slot(source="pcgs")) is not None


async def test_one_at_a_time_fetches_a_page(place):
    other = place.make()
    assert await place.store.claim(slot(), "a", LEASE)
    assert not await other.claim(slot(), "b", LEASE)
    assert await other.claim(slot("else"), "b", LEASE)
    assert await place.store.claim(slot(), "a", LEASE)
    await other.release(slot(), "b")
    assert not await other.claim(slot(), "b", LEASE)
    await place.store.release(slot(), "a")
    assert await other.claim(slot(), "b", LEASE)
    await other.close()


async def test_whoever_vanishes_while_fetching_holds_others_up_only_so_long(place):
    assert await place.store.claim(slot(), "vanished", LEASE)
    await place.advance(LEASE - timedelta(seconds=1))
    assert not await place.store.claim(slot(), "b", LEASE)
    await place.advance(timedelta(seconds=2))
    assert await place.store.claim(slot(), "b", LEASE)
    await place.store.release(slot(), "vanished")
    assert not await place.store.claim(slot(), "c", LEASE)


async def test_of_many_who_ask_at_once_one_fetches(place):
    others = [place.make() for _ in range(4)]
    answers = await asyncio.gather(
        *(others[number % 4].claim(slot(), str(number), LEASE) for number in range(20)),
    )
    assert sum(answers) == 1
    for one in others:
        await one.close()


async def test_many_writers_at_once_leave_whole_pages(place):
    stores = [place.make() for _ in range(3)]
    bodies = [os.urandom(2_000) for _ in range(4)]

    async def work(store, number):
        for turn in range(12):
            one = slot(str((number + turn) % 5))
            await store.put(one, page(bodies[(number * turn) % 4]), HOUR)
            found = await store.find(one)
            assert found is None or found.page.body in bodies

    await asyncio.gather(*(work(store, number) for number, store in enumerate(stores)))
    size = await place.store.measure()
    assert (size.pages, size.bodies) == (5, len(bodies)) or size.bodies <= len(bodies)
    await place.store.prune(CachePrune(expired_only=False))
    assert (await place.store.measure()).bodies == 0
    for one in stores:
        await one.close()


async def test_a_second_opening_finds_what_the_first_one_kept(place):
    await place.store.put(slot(), page(), HOUR)
    other = place.make()
    assert (await other.find(slot())).page == page()
    await other.close()


PARTS = st.lists(st.text("a|\\", max_size=4), min_size=1, max_size=4)


@given(PARTS, PARTS)
def test_different_parts_never_make_the_same_key(left, right):
    assert (join_key(*left) == join_key(*right)) == (left == right)


def test_the_parts_of_the_seed_make_its_key():
    assert join_key("pcgs", 1909, "S", "1C", "Lincoln", "VDB") == "pcgs|1909|S|1C|Lincoln|VDB"
    assert join_key("pcgs", 1909, None, "a|b") == "pcgs|1909||a\\|b"


@pytest.mark.parametrize("change", [{"tenant": "ab"}, {"source": "a"}, {"key": "bc"}])
def test_slots_that_differ_have_different_names(change):
    one = Slot(tenant="a", source="b", key="c")
    assert replace(one, **change).digest != one.digest
    assert Slot(tenant="a", source="bc", key="").digest != Slot(tenant="ab", source="c", key="").digest
