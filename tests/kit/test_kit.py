"""The small tools."""

import asyncio
import math
import os
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.errors import BadInput, NotJson, PayloadTooLarge
from dibs.kit.backoff import exponential
from dibs.kit.clock import from_micros, to_micros
from dibs.kit.codec import decode_json, encode_all, encode_json
from dibs.kit.ids import new_id, new_ids
from dibs.kit.money import to_cents, to_microcents
from dibs.kit.text import cut_middle
from dibs.kit.waiting import wait_set

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_ids_are_uuids_of_version_7_and_sort_by_time() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(UUID(one).version == 7 and str(UUID(one)) == one for one in ids)
    assert [one[:13] for one in ids] == sorted(one[:13] for one in ids)


@pytest.mark.parametrize("count", [1, 2, 4_096])
def test_ids_that_are_made_together_sort_as_they_were_made(count: int) -> None:
    ids = new_ids(count)
    assert len(ids) == len(set(ids)) == count
    assert all(UUID(one).version == 7 and str(UUID(one)) == one for one in ids)
    assert ids == sorted(ids)


def test_of_very_many_ids_only_neighbours_may_stand_the_other_way_round() -> None:
    ids = new_ids(100_000)
    assert len(set(ids)) == len(ids)
    places = [one[:18] for one in ids]
    assert places == sorted(places)


def test_ids_made_together_at_one_moment_by_two_are_not_the_same() -> None:
    assert not {one[19:] for one in new_ids(1_000)} & {one[19:] for one in new_ids(1_000)}


@given(JSON)
def test_what_is_encoded_comes_back_the_same(value: object) -> None:
    try:
        encoded = encode_json(value, limit=10**6, what="it")
    except NotJson:
        # Lone surrogates are the only strings that JSON in UTF-8 cannot carry.
        assert any(0xD800 <= ord(letter) < 0xE000 for letter in repr_text(value))
    else:
        assert decode_json(encoded) == value


def repr_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(repr_text(one) for pair in value.items() for one in pair)
    return "".join(repr_text(one) for one in value) if isinstance(value, list) else ""


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        (math.nan, "the number nan"),
        ([None, {"a": [1, -math.inf]}], "the number -inf"),
        ({"at": datetime(2030, 1, 1, tzinfo=UTC)}, "a datetime"),
        ([b"bytes"], "a bytes"),
        ({"price": Decimal(1)}, "a Decimal"),
        ({"ids": {1, 2}}, "a set"),
        ((1, 2), "a tuple"),
        (UUID(int=1), "a UUID"),
        ({1: "a"}, "the key 1"),
    ],
)
def test_what_json_would_not_give_back_as_it_is_is_refused(odd: object, named: str) -> None:
    with pytest.raises(NotJson, match=named):
        encode_json(odd, limit=100, what="it")


def test_a_payload_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert encode_json("x" * 8, limit=10, what="it") == b'"xxxxxxxx"'
    with pytest.raises(PayloadTooLarge, match="11 bytes, over the limit of 10"):
        encode_json("x" * 9, limit=10, what="it")


@pytest.mark.parametrize("odd", [math.nan, {1: "a"}, (1, 2), "\ud800", 2**64, "x" * 9, [[]] * 2])
def test_many_payloads_are_written_as_each_would_be_or_none_is(odd: object) -> None:
    fine: list[object] = ["x" * 8, None, [1, 2], {}]
    encoded = [encode_json(one, limit=10, what="it") for one in fine]
    assert encode_all(fine, limit=10) == encoded
    try:
        encoded.append(encode_json(odd, limit=10, what="it"))
    except (NotJson, PayloadTooLarge):
        assert encode_all([*fine, odd], limit=10) is None
    else:
        assert encode_all([*fine, odd], limit=10) == encoded


def test_pauses_double_up_to_the_cap() -> None:
    base, cap = timedelta(seconds=10), timedelta(hours=24)
    pauses = [exponential(base, factor=2, cap=cap, step=step).total_seconds() for step in (0, 1, 2, 3, 13, 14, 10_000)]
    assert pauses == [10, 20, 40, 80, 81_920, 86_400, 86_400]


@given(st.datetimes(datetime(1970, 1, 1), datetime(2199, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_instants_survive_as_microseconds(instant: datetime) -> None:
    assert from_micros(to_micros(instant)) == instant


@given(st.integers(0, 10**15))
def test_money_is_exact(microcents: int) -> None:
    assert to_microcents(to_cents(microcents)) == microcents


@pytest.mark.parametrize("odd", [math.nan, math.inf, -1, "abc", 2**60, "1e999999", "1e999999999", "-1e999999999"])
def test_what_is_no_cost_is_refused(odd: float | str) -> None:
    with pytest.raises(BadInput, match="no cost"):
        to_microcents(odd)


def test_a_cost_of_a_million_digits_is_refused_at_once() -> None:
    began = time.process_time()
    for odd in ("-1e999990", "1e999990"):
        with pytest.raises(BadInput, match="no cost"):
            to_microcents(odd)
    assert time.process_time() - began < 2


def test_a_tenth_of_a_cent_is_a_tenth_of_a_cent() -> None:
    assert to_microcents(0.1) == 100_000
    assert to_cents(100_000) == Decimal("0.1")


async def test_a_cancellation_that_comes_with_the_event_is_not_swallowed() -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(wait_set(event, 60))
    await asyncio.sleep(0)
    event.set()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_waiting_for_an_event_has_an_end() -> None:
    event = asyncio.Event()
    assert not await wait_set(event, 0.01)
    event.set()
    assert await wait_set(event, 0)


@given(st.text(max_size=300), st.integers(0, 200))
def test_cut_text_keeps_to_its_limit_and_both_ends(text: str, limit: int) -> None:
    cut = cut_middle(text, limit)
    assert len(cut) <= limit
    assert cut == text or "left out" in cut or limit < 40
    if len(text) > limit > 100:
        assert text.startswith(cut[:10])
        assert text.endswith(cut[-10:])


def test_forked_processes_draw_different_ids() -> None:
    new_id()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, "\n".join(new_id() for _ in range(300)).encode())
        os._exit(0)
    mine = {new_id()[14:] for _ in range(300)}
    os.close(writing)
    with os.fdopen(reading) as lines:
        theirs = {line.strip()[14:] for line in lines}
    os.waitpid(child, 0)
    assert len(theirs) == 300
    assert not mine & theirs
