"""Claims of free postings that are written together."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update

from dibs.apps.postings import store
from dibs.apps.postings.actions import get_run
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.limits.caps import Cap, CapScope
from dibs.apps.postings.limits.store import set_cap
from dibs.apps.postings.office import lock_name
from dibs.apps.postings.records import BoardPolicy, RoleRule
from dibs.apps.postings.tables import POSTINGS
from dibs.engine.store.protocols import NamedLease
from dibs.errors import PostingConflict, PostingMalformed, StoreUnavailable
from dibs.kit.clock import utc_now
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import FREE, TENANT, find, keep, make_posting

TRADES = ("Cook", "Baker", "Brewer", "Miller", "Cooper", "Smith")


@pytest.fixture
def written(office, monkeypatch):
    """How many claims were written at once, each time."""
    whole, sizes = office.joint._write, []

    async def count(tenant, plans):
        begun = await whole(tenant, plans)
        sizes.append(len(begun))
        return begun

    monkeypatch.setattr(office.joint, "_write", count)
    return sizes


async def post(office, *trades, policy=FREE):
    await keep(office, *(make_posting(trade, title=trade, text="") for trade in trades), policy=policy)


def ask(run_id, job_id="12345", board="ramp"):
    return ClaimRequest(run_id=run_id, job_id=job_id, board=board)


async def claim_all(office, *trades, **more):
    asked = (claim(office, f"run-{trade}", trade, **more) for trade in trades)
    return await asyncio.gather(*asked, return_exceptions=True)


async def test_claims_that_come_at_once_are_written_at_once_and_are_as_if_each_had_come_alone(office, written):
    await post(office, *TRADES)
    answers = await claim_all(office, *TRADES, variant_id="v1", artifacts={"note": {"by": "agent"}})
    assert len(written) <= 2
    assert sum(written) == len(TRADES)
    for trade, claimed in zip(TRADES, answers, strict=True):
        kept = await find(office, trade)
        assert (kept.holder, kept.token, kept.state) == (f"run-{trade}", 1, "queued")
        assert kept.expires_at == claimed.run.created_at + office.lease
        story = await get_run(office, TENANT, f"run-{trade}")
        assert story.run == claimed.run
        assert [(one.version, one.patch) for one in story.versions] == [(1, {"note": {"by": "agent"}})]
    again = await claim(office, "run-Cook", "Cook", variant_id="v1", artifacts={"note": {"by": "agent"}})
    assert again.is_repeated
    assert (await report(office, "run-Cook", "success")).state is RunState.SUCCESS


async def test_one_id_for_two_postings_at_once_is_refused_for_the_second_and_hurts_nobody(office):
    await post(office, *TRADES[:3])
    asked = (claim(office, "twice", "Cook"), claim(office, "twice", "Baker"), claim(office, "once", "Brewer"))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(one, PostingConflict) and one.rule for one in answers] == [False, "run_id", False]
    assert (await find(office, "Baker")).holder is None


async def test_who_loses_a_posting_on_the_way_is_judged_alone_and_the_others_are_given_theirs(
    office, locks, monkeypatch
):
    await post(office, *TRADES[:3])
    whole = office.joint._plan

    async def lose(tenant, requests):
        plans = await whole(tenant, requests)
        async with office.tables.writing(sight_of(TENANT)) as transaction:
            soon = transaction.now + office.lease
            lost = update(POSTINGS).where(POSTINGS.c.external_id == "Baker")
            await transaction.change(lost.values(holder="other", token=1, expires_at=soon))
        monkeypatch.setattr(office.joint, "_plan", whole)
        return plans

    monkeypatch.setattr(office.joint, "_plan", lose)
    lost, _ = await claim_all(office, "Baker", "Brewer")
    assert isinstance(lost, PostingConflict)
    assert (await find(office, "Baker")).holder == "other"
    assert (await find(office, "Brewer")).holder == "run-Brewer"
    if locks is not None:
        assert await locks.find(lock_name(TENANT, "ramp", "Baker")) is None


async def test_a_fault_while_they_are_written_leaves_each_to_itself(office, monkeypatch):
    await post(office, *TRADES)
    whole, tries = run_store.add_runs, []

    async def clash(transaction, runs):
        tries.append(len(runs))
        await whole(transaction, runs)
        # As if another server had kept one of these ids at the same moment.
        await whole(transaction, runs[:1])

    monkeypatch.setattr(run_store, "add_runs", clash)
    answers = await claim_all(office, *TRADES)
    assert tries
    assert [one.run.run_id for one in answers] == [f"run-{trade}" for trade in TRADES]
    assert [(await find(office, trade)).token for trade in TRADES] == [1] * len(TRADES)


async def test_a_cap_counts_claims_that_come_at_once_one_by_one(office, written):
    await post(office, *TRADES)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await set_cap(transaction, Cap(scope=CapScope.BOARD, name="ramp", most_a_day=2))
    answers = await claim_all(office, *TRADES)
    assert sum(isinstance(one, PostingConflict) for one in answers) == len(TRADES) - 2
    assert not written


async def test_who_is_refused_by_a_rule_as_it_stands_takes_no_turn_among_the_writers(office, monkeypatch):
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(office, make_posting("Cook"), make_posting("2"), policy=strict)
    await keep(office, *(make_posting(trade, title=trade) for trade in TRADES[:2]), board="lime")
    await claim(office, "first", "Cook")
    await claim(office, "second", "Baker", board="lime")
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await set_cap(transaction, Cap(scope=CapScope.BOARD, name="lime", most_a_day=1))

    def refuse(sight):
        raise AssertionError

    monkeypatch.setattr(office.tables, "writing", refuse)
    asked = (claim(office, "third", "2"), claim(office, "fourth", "Cook", board="lime"))
    answers: Any = await asyncio.gather(*asked, return_exceptions=True)
    assert [(one.rule, one.holder) for one in answers] == [("role", "first"), ("cap", "second")]
    assert answers[1].retry_at is not None


async def test_of_one_role_that_may_be_claimed_once_one_is_given_of_those_at_once(office, written):
    policy = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(office, *(make_posting(trade) for trade in TRADES), policy=policy)
    answers = await claim_all(office, *TRADES)
    assert {one.rule for one in answers if isinstance(one, PostingConflict)} == {"role"}
    assert sum(isinstance(one, PostingConflict) for one in answers) == len(TRADES) - 1
    assert not written


async def test_who_claims_what_is_like_another_is_told_so_among_others_too(office, written):
    text = "You will cook well for many guests, every evening, with all the others in our kitchen by the sea. " * 3
    await keep(office, *(make_posting(trade, text=text) for trade in TRADES))
    await claim(office, "first", "Cook")
    answers = await claim_all(office, "Baker", "Brewer")
    assert all("first" in {kin.run_id for kin in one.run.akin} for one in answers)
    assert sum(written) == 3


async def test_those_who_claim_one_role_at_two_boards_at_once_are_told_of_each_other(office):
    for board in ("ramp", "lime"):
        await keep(office, make_posting(text=""), make_posting("b", title="Baker", text=""), board=board)
    asked = [ask("one"), ask("two", board="lime"), ask("three", "b")]
    answers = await office.joint._claim_all(TENANT, asked)
    told = [[(kin.ring, kin.run_id, kin.is_same_place) for kin in one.run.akin] for one in answers]
    assert sorted(told[:2]) in ([[], [("role", "one", True)]], [[], [("role", "two", True)]])
    assert told[2] == []
    again = await claim(office, "two", board="lime")
    assert again.run == answers[1].run


async def test_those_who_claim_one_text_at_once_are_told_and_not_of_who_got_nothing(office, monkeypatch):
    text = "You will cook well for many guests, every evening, with all the others in our kitchen by the sea. " * 3
    await keep(office, *(make_posting(trade, title=trade, text=text) for trade in TRADES[:3]))
    missed, whole = (await find(office, "Cook")).id, store.lock_free

    async def miss(transaction, ids):
        return {one: token for one, token in (await whole(transaction, ids)).items() if one != missed}

    monkeypatch.setattr(store, "lock_free", miss)
    nothing, *given = await office.joint._claim_all(TENANT, [ask(f"run-{trade}", trade) for trade in TRADES[:3]])
    assert nothing is None
    told = [{(kin.ring, kin.run_id) for kin in one.run.akin} for one in given]
    assert min(told, key=len) == set()
    assert max(told, key=len) in ({("text", "run-Baker")}, {("text", "run-Brewer")})


async def test_of_one_role_at_a_strict_board_and_an_open_one_at_once_the_strict_one_is_alone_or_refused(office):
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(office, make_posting(text=""), board="ramp", policy=strict)
    await keep(office, make_posting(text=""), make_posting("2", text=""), board="lime")
    asked = (claim(office, "a", board="ramp"), claim(office, "b", board="lime"), claim(office, "c", "2", board="lime"))
    answers: Any = await asyncio.gather(*asked, return_exceptions=True)
    assert not any(isinstance(one, Exception) for one in answers[1:])
    if isinstance(answers[0], PostingConflict):
        assert (answers[0].rule, answers[0].holder in {"b", "c"}) == ("role", True)
    else:
        assert {"a"} <= {kin.run_id for one in answers[1:] for kin in one.run.akin}


async def test_a_posting_that_cannot_be_read_hurts_nobody_who_claims_another_at_once(office):
    await post(office, *TRADES[:3])
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        broken = update(POSTINGS).where(POSTINGS.c.external_id == "Baker")
        await transaction.change(broken.values(content='{"external_id": 1}'))
    answers = await claim_all(office, *TRADES[:3])
    assert [isinstance(one, Exception) for one in answers] == [False, True, False]


async def test_half_a_character_in_an_id_is_told_to_who_sent_it_alone(office):
    await post(office, "Cook", "Baker")
    asked = (claim(office, "half-\ud800", "Cook"), claim(office, "run-2", "Baker"))
    answers: Any = await asyncio.gather(*asked, return_exceptions=True)
    odd, fine = answers
    assert isinstance(odd, PostingMalformed)
    assert fine.run.run_id == "run-2"


async def test_long_artifacts_and_answers_are_kept_by_themselves(office, written):
    await post(office, "Cook", "Baker")
    long = {"letter": "x" * 20_000}
    assert (await claim(office, "run-1", "Cook", artifacts=long)).run.artifacts == long
    await claim(office, "run-2", "Baker", artifacts={"answers": {"Why?": "Bread."}})
    assert (await get_run(office, TENANT, "run-1")).run.artifacts == long
    assert not written


async def test_a_store_that_leaves_tells_all_and_no_lock_stays(office, locks, monkeypatch):
    await post(office, "Cook", "Baker")

    async def leave(tenant, plans):
        raise StoreUnavailable("the store left")

    with monkeypatch.context() as patch:
        patch.setattr(office.joint, "_write", leave)
        assert all(isinstance(one, StoreUnavailable) for one in await claim_all(office, "Cook", "Baker"))
    if locks is not None:
        assert await locks.find(lock_name(TENANT, "ramp", "Cook")) is None
    assert not any(isinstance(one, Exception) for one in await claim_all(office, "Cook", "Baker"))


class Slow:
    """Locks in memory that let somebody wait once they have done what was asked, or before they are asked."""

    def __init__(self, *, at):
        self.owners = {}
        self.at = at
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def _linger(self, place):
        if place == self.at:
            self.reached.set()
            await self.go_on.wait()

    async def acquire(self, name, owner, length):
        taken = self.owners.setdefault(name, owner) == owner
        await self._linger("acquire")
        return NamedLease(name=name, owner=owner, token=1, expires_at=utc_now() + length) if taken else None

    async def find(self, name):
        await self._linger("find")
        owner = self.owners.get(name)
        return None if owner is None else NamedLease(name=name, owner=owner, token=1, expires_at=utc_now())

    async def release(self, lease):
        self.owners.pop(lease.name)


@pytest.mark.parametrize("at", ["acquire", "find"])
async def test_who_leaves_while_they_take_a_lock_or_give_it_up_leaves_none(office, monkeypatch, at):
    await post(office, "Cook")
    locks = Slow(at=at)
    monkeypatch.setattr(office, "_locks", locks)

    async def fail(tenant, request):
        raise StoreUnavailable("the store left")

    monkeypatch.setattr(office.joint, "claim", fail)
    leaving = asyncio.create_task(claim(office, "leaving", "Cook"))
    await locks.reached.wait()
    leaving.cancel()
    await asyncio.sleep(0)
    locks.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert locks.owners == {}
