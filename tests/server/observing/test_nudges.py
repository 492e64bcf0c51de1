"""Open pages are nudged when something has happened, and once in a while anyway."""

import asyncio
from contextlib import aclosing

import pytest

from dibs.errors import RequestRefused, StoreUnavailable
from dibs.server.observing.chronicle import Chronicle
from dibs.server.observing.nudges import Nudges
from tests.server.conftest import enqueue

LONG = 60.0


@pytest.fixture
async def chronicle(engine):
    chronicle = Chronicle(engine.backend)
    yield chronicle
    await chronicle.close()


async def test_a_page_is_nudged_when_something_has_happened_and_not_before(engine, chronicle, operator, drain):
    nudges = Nudges(engine.backend, chronicle, 10)
    async with aclosing(nudges.follow(0.01, LONG)) as following:
        await anext(following)
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await enqueue(operator)
        await drain()
        async with asyncio.timeout(60):
            await waiting


async def test_a_page_is_nudged_once_in_a_while_whatever_happens(engine, chronicle):
    nudges, told = Nudges(engine.backend, chronicle, 10), []
    async with asyncio.timeout(60), aclosing(nudges.follow(0.01, 0.05)) as following:
        async for _ in following:
            told.append(1)
            if len(told) == 3:
                break
    assert len(told) == 3


async def test_more_pages_than_can_be_served_are_refused_and_those_that_left_make_room(engine, chronicle):
    nudges = Nudges(engine.backend, chronicle, 1)
    async with aclosing(nudges.follow(0.01, 0.01)) as following:
        await anext(following)
        with pytest.raises(RequestRefused, match="no more are kept up to date"):
            nudges.check_room()
    nudges.check_room()


async def test_a_server_that_leaves_lets_pages_go(engine, chronicle):
    nudges = Nudges(engine.backend, chronicle, 1)
    nudges.close()
    assert [nudge async for nudge in nudges.follow(0.01, 0.01)] == []


async def test_a_store_that_is_away_ends_no_stream(chronicle):
    async def fail():
        raise StoreUnavailable("away")

    nudges, told = Nudges(fail, chronicle, 1), []
    async with asyncio.timeout(60), aclosing(nudges.follow(0.01, 0.02)) as following:
        async for _ in following:
            told.append(1)
            if len(told) == 3:
                break
    assert len(told) == 3
