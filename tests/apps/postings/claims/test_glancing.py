"""The first look that many who claim share."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest

from dibs.apps.postings.claims import claiming
from dibs.apps.postings.claims.crowds.glancing import Turn
from dibs.apps.postings.limits.actions import judge_caps
from dibs.apps.postings.limits.caps import Cap, CapScope
from dibs.apps.postings.limits.store import set_cap
from dibs.apps.postings.records import BoardPolicy, RoleRule
from dibs.engine.store.protocols import NamedLease
from dibs.errors import PostingConflict, PostingNotFound, StoreUnavailable
from dibs.kit.clock import utc_now
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import FREE, TENANT, find, keep, make_posting

CROWD = 60


@pytest.fixture
async def posted(office):
    await keep(office, make_posting(), make_posting("777", title="Baker"))


class Watched:
    """Tables that count their transactions, and can make those who read wait or fail."""

    def __init__(self, tables):
        self._tables = tables
        self.address = tables.address
        self.reads = self.writes = 0
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.fault = None

    @asynccontextmanager
    async def reading(self, sight):
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        async with self._tables.reading(sight) as transaction:
            yield transaction
            self.began.set()
            await self.go_on.wait()

    @asynccontextmanager
    async def writing(self, sight):
        self.writes += 1
        async with self._tables.writing(sight) as transaction:
            yield transaction


@pytest.fixture
def watched(office, posted, monkeypatch):
    made = Watched(office.tables)
    monkeypatch.setattr(office, "tables", made)
    monkeypatch.setattr(office.glances, "_tables", made)
    monkeypatch.setattr(office.joint, "_tables", made)
    return made


async def ask(office, *run_ids, job_id="12345"):
    return await asyncio.gather(*(claim(office, one, job_id) for one in run_ids), return_exceptions=True)


async def test_a_crowd_is_turned_away_by_a_few_looks_and_writes_once(office, watched):
    answers = await ask(office, *(f"run-{number}" for number in range(CROWD)))
    given = [one for one in answers if not isinstance(one, Exception)]
    assert len(given) == 1
    refused = [one for one in answers if isinstance(one, PostingConflict)]
    assert len(refused) == CROWD - 1
    assert {(one.rule, one.holder) for one in refused} == {("claimed", given[0].run.run_id)}
    assert all(one.retry_at is not None for one in refused)
    assert watched.writes == 1
    assert watched.reads <= 4


async def test_a_crowd_that_calls_a_board_by_its_provider_is_turned_away_by_a_few_looks_too(office, watched):
    asked = (claim(office, f"run-{number}", board="greenhouse") for number in range(CROWD))
    by_name = claim(office, "by-name")
    answers: Any = await asyncio.gather(*asked, by_name, return_exceptions=True)
    given = [one for one in answers if not isinstance(one, Exception)]
    assert len(given) == 1
    refused = [one for one in answers if isinstance(one, PostingConflict)]
    assert [(one.rule, one.holder) for one in refused] == [("claimed", given[0].run.run_id)] * CROWD
    assert watched.writes == 1
    assert watched.reads <= 4


async def test_a_crowd_that_asks_for_what_nobody_knows_or_what_is_there_twice_is_told_by_a_few_looks(office, watched):
    await keep(office, make_posting(), board="lime")
    watched.reads = 0
    asked = [claim(office, f"run-{number}", "999") for number in range(CROWD)]
    asked += [claim(office, f"run-{number}", "12345", board="greenhouse") for number in range(CROWD)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(one, PostingNotFound) for one in told)
    assert [str(one) for one in told] == [
        *["there is no posting '999' on board 'ramp'. Crawl the board first, or correct the id."] * CROWD,
        *["posting '12345' is on several boards: ramp, lime. Name one."] * CROWD,
    ]
    assert watched.reads <= 2
    assert watched.writes == 1


async def test_who_repeats_a_request_keeps_nobody_waiting(office, watched):
    begun = await claim(office, "run-1")
    watched.reads = watched.writes = 0
    answers = await ask(office, *["run-1"] * CROWD)
    assert [(one.run, one.is_repeated) for one in answers] == [(begun.run, True)] * CROWD
    assert watched.writes == 0
    assert watched.reads <= CROWD + 2


async def test_a_crowd_before_a_lock_is_refused_with_the_first_and_whose_lock_it_is_goes_on(
    office, watched, monkeypatch
):
    whole, asked = office.take_lock, []
    until = utc_now() + office.lease

    async def find_other(name, run_id):
        asked.append(run_id)
        other = NamedLease(name=name, owner="elsewhere", token=1, expires_at=until)
        return other if run_id != "elsewhere" else await whole(name, run_id)

    monkeypatch.setattr(office, "take_lock", find_other)
    *answers, own = await ask(office, *(f"run-{number}" for number in range(CROWD)), "elsewhere")
    assert {(one.rule, one.holder, one.retry_at) for one in answers} == {("claimed", "elsewhere", until)}
    assert own.run.run_id == "elsewhere"
    assert asked[:2] == ["run-0", "elsewhere"]
    assert len(asked) <= 3


async def limit(office, most_a_day):
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await set_cap(transaction, Cap(scope=CapScope.ALL, most_a_day=most_a_day))


async def test_a_crowd_that_a_cap_refuses_is_refused_with_the_first_of_them(office, watched):
    await claim(office, "before", "777")
    await limit(office, 1)
    watched.reads = watched.writes = 0
    answers = await ask(office, *(f"run-{number}" for number in range(CROWD)))
    assert {(one.rule, one.holder) for one in answers} == {("cap", "before")}
    assert all(one.retry_at is not None for one in answers)
    assert len(set(map(id, answers))) == CROWD
    assert watched.writes == 0
    assert watched.reads <= 10


async def test_a_crowd_that_the_rule_about_roles_refuses_is_refused_with_the_first_and_repeats_are_told_apart(
    office, watched
):
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(office, make_posting("1"), make_posting("2"), board="lime", policy=strict)
    begun = await claim(office, "run-1", "1", board="lime")
    watched.reads = 0
    asked = [claim(office, f"run-{number}", "2", board="lime") for number in range(2, CROWD)]
    told: Any = await asyncio.gather(
        claim(office, "run-1", "2", board="lime"),
        claim(office, "run-1", "1", board="lime"),
        *asked,
        return_exceptions=True,
    )
    used, again, *answers = told
    assert (used.rule, again.run, again.is_repeated) == ("run_id", begun.run, True)
    assert {(one.rule, one.holder) for one in answers} == {("role", "run-1")}
    assert watched.reads <= 15


async def test_who_came_while_another_was_judged_is_not_refused_by_what_was_read_for_that_one(
    office, watched, monkeypatch
):
    await claim(office, "before", "777")
    await limit(office, 1)
    judge, wait = judge_caps, Turn.wait
    judged, go_on = asyncio.Event(), asyncio.Event()
    waiting: asyncio.Queue[Turn] = asyncio.Queue()

    async def linger(transaction, tracked, **more):
        refusal = await judge(transaction, tracked, **more)
        judged.set()
        await go_on.wait()
        return refusal

    async def note(turn):
        waiting.put_nowait(turn)
        return await wait(turn)

    monkeypatch.setattr(claiming, "judge_caps", linger)
    monkeypatch.setattr(Turn, "wait", note)
    early = [asyncio.create_task(claim(office, name)) for name in ("first", "second")]
    await judged.wait()
    await waiting.get()
    await limit(office, None)
    late = asyncio.create_task(claim(office, "late"))
    await waiting.get()
    go_on.set()
    refused: Any = await asyncio.gather(*early, return_exceptions=True)
    assert [one.rule for one in refused] == ["cap", "cap"]
    assert (await late).run.run_id == "late"


async def test_nobody_is_refused_for_a_claim_that_ended_before_they_came(office, watched):
    await claim(office, "first")
    watched.began.clear()
    watched.go_on.clear()
    early = asyncio.create_task(claim(office, "early"))
    await watched.began.wait()
    # The look has seen the first one's claim, and is not over; now that claim ends.
    await report(office, "first", "failed")
    late = asyncio.create_task(claim(office, "late"))
    await asyncio.sleep(0)
    watched.go_on.set()
    with pytest.raises(PostingConflict, match="'first'"):
        await early
    assert (await late).run.run_id == "late"


async def test_those_who_waited_for_one_that_came_to_nothing_try_themselves(office, watched, monkeypatch):
    whole, tries = office.take_lock, []

    async def stumble(name, run_id):
        tries.append(run_id)
        if len(tries) == 1:
            raise StoreUnavailable("the store left")
        return await whole(name, run_id)

    monkeypatch.setattr(office, "take_lock", stumble)
    answers = await ask(office, "run-1", "run-2", "run-3")
    assert isinstance(answers[0], StoreUnavailable)
    assert sorted(isinstance(one, PostingConflict) for one in answers[1:]) == [False, True]
    assert (await find(office)).holder == tries[1]


async def test_a_look_that_fails_tells_all_who_wait_and_the_next_looks_again(office, watched):
    watched.fault = StoreUnavailable("the store left")
    assert all(isinstance(one, StoreUnavailable) for one in await ask(office, "run-1", "run-2"))
    watched.fault = None
    assert (await claim(office, "run-3")).run.run_id == "run-3"


async def test_who_leaves_while_they_wait_takes_nobody_along(office, watched):
    watched.go_on.clear()
    leaving, staying = (asyncio.create_task(claim(office, name)) for name in ("leaving", "staying"))
    await watched.began.wait()
    leaving.cancel()
    watched.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert (await staying).run.run_id == "staying"


async def test_who_leaves_while_it_is_their_turn_lets_the_others_go_on(office, watched, monkeypatch):
    whole, reached = office.take_lock, asyncio.Event()

    async def linger(name, run_id):
        if run_id == "leaving":
            reached.set()
            await asyncio.Event().wait()
        return await whole(name, run_id)

    monkeypatch.setattr(office, "take_lock", linger)
    leaving = asyncio.create_task(claim(office, "leaving"))
    await reached.wait()
    staying = asyncio.create_task(claim(office, "staying"))
    leaving.cancel()
    assert (await staying).run.run_id == "staying"


async def test_one_look_judges_each_by_its_own_posting(office, watched):
    await claim(office, "first")
    asked = (claim(office, "a"), claim(office, "b", "777"), claim(office, "c", "999"))
    answers: Any = await asyncio.gather(*asked, return_exceptions=True)
    taken, free, lost = answers
    assert isinstance(taken, PostingConflict)
    assert free.posting.external_id == "777"
    assert isinstance(lost, PostingNotFound)


async def test_the_same_request_twice_at_once_has_one_answer(office, watched):
    first, second = await ask(office, "run-1", "run-1")
    assert first.run == second.run
    assert sorted((first.is_repeated, second.is_repeated)) == [False, True]


async def test_what_is_here_and_nobody_claims_leaves_nothing_behind(office, watched):
    await ask(office, *(f"run-{number}" for number in range(CROWD)))
    assert not office.glances._busy
    assert office.glances.looks.is_idle
    assert office.joint.shared.is_idle
