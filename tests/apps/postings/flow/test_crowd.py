"""Agents want the same postings over HTTP, from several servers, and each posting is given once."""

import asyncio
import time
from contextlib import ExitStack

import httpx
import pytest

from dibs.storage.database.address import read_address
from tests.apps.postings.conftest import keep, make_posting
from tests.apps.postings.flow.conftest import claim

IN_FLIGHT = 4


async def claim_until_answered(client, run_id, job_id):
    """Ask again if a connection breaks: idle ones are closed, maybe just as they are used. The answer is the same."""
    while True:
        try:
            return await claim(client, run_id, job_id)
        except httpx.NetworkError:
            continue


async def send(house, warm, numbers, postings):
    """Let agents claim, as many at once as there are connections; gives status and time of each answer."""
    async with house.connect(IN_FLIGHT) as client:
        # An agent waits for its turn to ask: how long an answer takes is counted from when it was asked for.
        turns = asyncio.Semaphore(IN_FLIGHT)

        # A server that has just started prepares its statements with the first claim.
        assert (await claim(client, warm, warm)).status_code == 201

        async def ask(number):
            async with turns:
                began = time.perf_counter()
                answered = await claim_until_answered(client, f"run-{number}", str(number % postings))
                return answered.status_code, number % postings, time.perf_counter() - began

        return await asyncio.gather(*map(ask, numbers))


async def check_crowds(office, places, open_house, *, servers, agents, postings):
    warm = [f"warm-{number}" for number in range(servers)]
    names = [*warm, *map(str, range(postings))]
    await keep(office, *(make_posting(name, title=f"Cook of {name}") for name in names))
    with ExitStack() as stack:
        houses = [stack.enter_context(open_house(*places)) for _ in range(servers)]
        parts = [range(start, agents, servers) for start in range(servers)]
        sent = [send(*one, postings) for one in zip(houses, warm, parts, strict=True)]
        answers = [one for part in await asyncio.gather(*sent) for one in part]
    given = sorted(posting for status, posting, _ in answers if status == 201)
    assert given == list(range(postings))
    assert [status for status, _, _ in answers].count(409) == agents - postings
    spans = sorted(span for _, _, span in answers)
    return spans[len(spans) // 2], spans[int(len(spans) * 0.99)]


async def test_two_servers_give_each_posting_once(office, places, open_house):
    await check_crowds(office, places, open_house, servers=2, agents=100, postings=10)


@pytest.mark.system
async def test_two_thousand_claims_on_a_hundred_postings_over_three_servers_are_given_once(office, places, open_house):
    p50, p99 = await check_crowds(office, places, open_house, servers=3, agents=2_000, postings=100)
    store = "PostgreSQL and Redis" if read_address(places[0]).is_postgres else "SQLite"
    figures = f"p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms"
    print(f"\n2,000 claims on 100 postings, {3 * IN_FLIGHT} in flight over 3 servers, {store}: {figures}")  # noqa: T201
