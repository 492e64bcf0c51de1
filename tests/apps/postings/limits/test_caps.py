"""How often agents may apply, by company, board and day."""

import asyncio
from datetime import timedelta

import pytest

from dibs.apps.postings.limits.actions import list_caps, set_cap
from dibs.apps.postings.limits.caps import Cap, CapScope
from dibs.apps.postings.records import By
from dibs.errors import BadInput, PostingConflict
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import TENANT, keep, make_posting

ADA = By(actor="ada", reason="slowly")
TITLES = ("Cook", "Baker", "Clerk", "Pilot")


@pytest.fixture(autouse=True)
async def postings(office):
    await keep(office, *(make_posting(str(number), title=title) for number, title in enumerate(TITLES)))
    await keep(office, make_posting("9", company="Wren", title="Nurse"), board="brex")


async def cap(office, scope, name="*", **limits):
    return await set_cap(office, TENANT, Cap(scope=CapScope(scope), name=name, **limits), ADA)


async def refusal(office, run_id, job_id, board="ramp"):
    with pytest.raises(PostingConflict) as refused:
        await claim(office, run_id, job_id, board)
    return refused.value


@pytest.mark.parametrize(
    ("scope", "name"), [("all", "*"), ("board", "ramp"), ("board", "*"), ("company", "IBIS, Inc.")]
)
async def test_a_cap_refuses_one_too_many_within_a_day(office, clock, scope, name):
    await cap(office, scope, name, most_a_day=2)
    first = await claim(office, "run-0", "0")
    clock.advance(timedelta(hours=1))
    await claim(office, "run-1", "1")
    refused = await refusal(office, "run-2", "2")
    assert (refused.rule, refused.holder) == ("cap", "run-0")
    assert refused.retry_at == first.run.created_at + timedelta(hours=24)
    clock.advance(timedelta(hours=23, seconds=1))
    await claim(office, "run-2", "2")
    assert (await refusal(office, "run-3", "3")).rule == "cap"


async def test_a_cap_of_one_board_or_company_leaves_the_others_alone(office):
    await cap(office, "board", "ramp", most_a_day=1)
    await cap(office, "company", "Ibis", most_a_day=1)
    await claim(office, "run-0", "0")
    assert (await refusal(office, "run-1", "1")).rule == "cap"
    assert (await claim(office, "run-9", "9", "brex")).run.run_id == "run-9"


async def test_what_failed_does_not_count(office):
    await cap(office, "all", most_a_day=1)
    await claim(office, "run-0", "0")
    await report(office, "run-0", status="failed")
    assert (await claim(office, "run-1", "1")).run.run_id == "run-1"
    assert (await refusal(office, "run-2", "2")).rule == "cap"


async def test_a_cool_down_makes_wait_after_the_last(office, clock):
    await cap(office, "company", cool_down=timedelta(days=3))
    first = await claim(office, "run-0", "0")
    clock.advance(timedelta(days=2))
    refused = await refusal(office, "run-1", "1")
    assert (refused.rule, refused.retry_at) == ("cool_down", first.run.created_at + timedelta(days=3))
    await claim(office, "run-9", "9", "brex")
    clock.advance(timedelta(days=1, seconds=1))
    await claim(office, "run-1", "1")


async def test_a_cap_of_its_own_goes_before_that_of_each(office):
    await cap(office, "board", most_a_day=1)
    await cap(office, "board", "ramp", most_a_day=3)
    for number in range(3):
        await claim(office, f"run-{number}", str(number))
    assert (await refusal(office, "run-3", "3")).rule == "cap"


async def test_of_claims_at_once_no_more_are_given_than_fit(office):
    await cap(office, "all", most_a_day=2)
    wanted = (claim(office, f"run-{number}", str(number)) for number in range(4))
    answers = await asyncio.gather(*wanted, return_exceptions=True)
    assert sum(not isinstance(answer, BaseException) for answer in answers) == 2


async def test_a_cap_without_limits_is_taken_away(office):
    await cap(office, "all", most_a_day=1)
    await cap(office, "all", most_a_day=5)
    assert await list_caps(office, TENANT) == [Cap(scope=CapScope.ALL, most_a_day=5)]
    await cap(office, "all")
    assert await list_caps(office, TENANT) == []


@pytest.mark.parametrize("limits", [{"most_a_day": 0}, {"cool_down": timedelta(0)}, {"name": "ramp", "most_a_day": 1}])
async def test_a_cap_that_makes_no_sense_is_refused(office, limits):
    with pytest.raises(BadInput):
        await cap(office, "all", **limits)
