"""Answers under idempotency keys in the tables, on SQLite and on PostgreSQL."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.exceptions import InvalidTag
from msgspec.structs import replace
from sqlalchemy import select

from dibs.errors import RequestRefused, StoreUnavailable
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.web.idempotency import Asking, KeptAnswer, make_ticket
from dibs.web.kept.answers import LONGEST_OWED, MOST_OWED, TableAnswers
from dibs.web.kept.tables import ANSWERS
from tests.access.conftest import Hands, place, url  # noqa: F401 - fixtures

ANSWER = KeptAnswer(status=201, headers=(("location", "/x"),), body=b'{"key": "secret"}')


@pytest.fixture
def clock():
    hands = Hands()
    hands.at = datetime(2027, 1, 31, 12, tzinfo=UTC)
    return hands


@pytest.fixture
async def answers(url, clock):  # noqa: F811 - fixtures
    async with Tables.at(url, clock=clock) as tables:
        yield TableAnswers(tables)


class Fleeting:
    """Tables that are away when told so: before anything is written, or just when it has been."""

    def __init__(self, tables):
        self.tables = tables
        self.is_away = self.is_lost = False

    @asynccontextmanager
    async def writing(self, sight):
        if self.is_away:
            raise StoreUnavailable("away")
        async with self.tables.writing(sight) as transaction:
            yield transaction
        if self.is_lost:
            raise StoreUnavailable("lost")


@pytest.fixture
async def fleeting(url, clock):  # noqa: F811 - fixtures
    async with Tables.at(url, clock=clock) as tables:
        yield Fleeting(tables)


def ticket_of(body=b"{}", **fields):
    asking = {"actor": "key:1", "tenant": "acme", "credential": "s3cret", "method": "POST", "target": "/jobs", **fields}
    return make_ticket("k", Asking(**asking), body)


async def test_every_process_gives_the_first_answer_again(answers, url, clock):  # noqa: F811 - fixtures
    ticket = ticket_of()
    assert await answers.begin(ticket) is None
    await answers.finish(ticket, ANSWER)
    async with Tables.at(url, clock=clock) as tables:
        assert await TableAnswers(tables).begin(ticket_of()) == ANSWER


async def test_another_body_is_refused_and_so_is_one_while_the_first_is_under_way(answers):
    await answers.begin(ticket_of())
    for ticket, code in ((ticket_of(b"[]"), "idempotency_key_reused"), (ticket_of(), "idempotency_key_in_use")):
        with pytest.raises(RequestRefused) as refusal:
            await answers.begin(ticket)
        assert refusal.value.code == code


async def test_of_many_at_once_one_is_let_through(answers):
    async def begin():
        try:
            return await answers.begin(ticket_of())
        except RequestRefused as refusal:
            return refusal.code

    begun = await asyncio.gather(*(begin() for _ in range(10)))
    assert sorted(map(str, begun)) == ["None", *["idempotency_key_in_use"] * 9]


async def test_what_a_dead_process_began_is_taken_over_and_it_cannot_answer_any_more(answers, clock):
    dead, alive = ticket_of(), ticket_of()
    await answers.begin(dead)
    clock.advance(timedelta(minutes=3))
    assert await answers.begin(alive) is None
    await answers.finish(dead, replace(ANSWER, status=500))
    await answers.abandon(dead)
    await answers.finish(alive, ANSWER)
    assert await answers.begin(ticket_of()) == ANSWER


async def test_a_name_is_free_after_a_day_or_when_nothing_was_done(answers, clock):
    ticket = ticket_of()
    await answers.begin(ticket)
    await answers.abandon(ticket)
    assert await answers.begin(ticket_of(b"[]")) is None
    clock.advance(timedelta(days=1, seconds=1))
    assert await answers.begin(ticket_of()) is None


async def test_a_name_that_could_not_be_let_go_is_free_when_the_tables_are_back(fleeting, answers):
    ticket, mine = ticket_of(), TableAnswers(fleeting)
    await mine.begin(ticket)
    fleeting.is_away = True
    with pytest.raises(StoreUnavailable):
        await mine.abandon(ticket)
    fleeting.is_away = False
    assert await mine.begin(ticket_of(tenant="other", actor="key:2")) is None
    with pytest.raises(RequestRefused, match="still under way"):
        await answers.begin(ticket_of())
    assert await mine.begin(ticket_of(target="/others", actor="key:3")) is None
    assert await answers.begin(ticket_of()) is None


async def test_a_name_that_was_taken_unheard_is_free_for_the_next_one(fleeting):
    mine = TableAnswers(fleeting)
    fleeting.is_lost = True
    with pytest.raises(StoreUnavailable):
        await mine.begin(ticket_of())
    fleeting.is_lost = False
    assert await mine.begin(ticket_of()) is None
    with pytest.raises(RequestRefused, match="still under way"):
        await mine.begin(ticket_of())


async def test_an_answer_that_could_not_be_kept_is_kept_when_the_tables_are_back(fleeting, answers):
    ticket, mine = ticket_of(), TableAnswers(fleeting)
    await mine.begin(ticket)
    fleeting.is_away = True
    with pytest.raises(StoreUnavailable):
        await mine.finish(ticket, ANSWER)
    fleeting.is_away = False
    assert await mine.begin(ticket_of()) == ANSWER
    assert await answers.begin(ticket_of()) == ANSWER


async def test_what_is_owed_does_not_fill_the_memory(fleeting):
    mine = TableAnswers(fleeting)
    ticket = ticket_of()
    await mine.begin(ticket)
    fleeting.is_away = True
    with pytest.raises(StoreUnavailable):
        await mine.finish(ticket, replace(ANSWER, body=b"x" * (LONGEST_OWED + 1)))
    for _ in range(MOST_OWED + 1):
        with pytest.raises(StoreUnavailable):
            await mine.begin(ticket_of())
    assert len(mine._owed) == MOST_OWED
    assert ticket.holder not in mine._owed


async def test_nobody_else_reads_a_kept_answer(answers, url):  # noqa: F811 - fixtures
    ticket = ticket_of()
    await answers.begin(ticket)
    await answers.finish(ticket, ANSWER)
    async with Tables.at(url) as tables, tables.reading(sight_of("acme")) as transaction:
        [row] = await transaction.fetch(select(ANSWERS))
    assert b"secret" not in row["answer"]
    assert "s3cret" not in str(dict(row))
    stranger = replace(ticket_of(credential="another"), digest=ticket.digest)
    with pytest.raises(InvalidTag):
        await answers.begin(stranger)
    with pytest.raises(RequestRefused):
        await answers.begin(ticket_of(credential="another"))


def test_the_same_request_makes_the_same_ids_and_no_other_does():
    ids = {
        ticket_of().make_id(),
        ticket_of().make_id(1),
        ticket_of(b"[]").make_id(),
        ticket_of(actor="key:2").make_id(),
    }
    assert len(ids) == 4
    assert ticket_of().make_id() in ids
