"""Servers and stores die in the middle, agents repeat what they asked, and nothing is applied to twice."""

import asyncio

import httpx
import pytest

from dibs.testing.servers import ValkeyServer
from tests.apps.postings.conftest import find, keep, make_posting
from tests.apps.postings.flow.conftest import JOBS, claim, report

DEATHS = ["1", "2", "3", "4", "answer"]


async def act(client, verb):
    return await (claim(client) if verb == "claim" else report(client, verb))


@pytest.mark.system
@pytest.mark.parametrize("verb", ["claim", "submitting", "success"])
async def test_a_server_that_dies_at_any_write_leaves_all_or_nothing_and_another_server_goes_on(
    office, places, open_house, verb
):
    died = []
    with open_house(*places) as steady:
        async with steady.connect() as client:
            for death in DEATHS:
                with open_house(*places, death) as dying:
                    died.append(await check_death(office, dying, client, verb, death))
    # A verb has three writes at least, and whatever it wrote, it may die before it answers.
    assert died[:3] + died[-1:] == [True] * 4


async def check_death(office, dying, client, verb, job_id):
    """Let a server die in the middle of a verb, and ask the other one again."""
    await keep(office, make_posting(job_id, title=f"Cook of {job_id}"))
    body = {"action": "run", "run_id": f"run-{job_id}", "job_id": job_id, "board": "ramp"}
    method, sent = ("POST", body) if verb == "claim" else ("PATCH", {"run_id": body["run_id"], "status": verb})
    if verb != "claim":
        assert (await client.post(JOBS, json=body)).status_code == 201
    before, died = await find(office, job_id), False
    async with dying.connect() as there:
        try:
            await there.request(method, JOBS, json=sent)
        except httpx.TransportError:
            await asyncio.to_thread(dying.process.wait, 30)
            assert dying.death == "answer" or await find(office, job_id) == before
            died = True
    repeated = await client.request(method, JOBS, json=sent)
    assert repeated.status_code == (201 if verb == "claim" else 200)
    other = await client.post(JOBS, json={**body, "run_id": f"other-{job_id}"})
    assert other.status_code == (400 if verb == "success" else 409)
    tracked = await find(office, job_id)
    assert (tracked.state, tracked.token) == ("applied" if verb == "success" else "queued", 1)
    return died


async def test_a_redis_that_restarts_and_has_lost_all_locks_lets_nobody_apply_twice(office, url, open_house):
    await keep(office, make_posting())
    with ValkeyServer() as redis, open_house(url, redis.url) as house:
        async with house.connect() as client:
            assert (await claim(client)).status_code == 201
            assert int(redis.ask("DBSIZE")) > 0
            redis.kill()
            redis.start()
            assert redis.ask("DBSIZE") == "0"
            assert (await claim(client, "run-2")).json()["rule"] == "claimed"
            assert (await report(client, "submitting")).status_code == 200
            refused = await claim(client, "run-3")
            assert (refused.status_code, refused.json()["holder"]) == (409, "run-1")
            assert (await report(client, "success")).status_code == 200
            assert (await claim(client, "run-4")).status_code == 400
    tracked = await find(office)
    assert (tracked.applied_run, tracked.token) == ("run-1", 1)


@pytest.mark.system
async def test_a_redis_that_loses_all_locks_in_the_middle_of_a_crowd_gives_each_posting_once(office, url, open_house):
    await keep(office, *(make_posting(str(number), title=f"Cook of {number}") for number in range(20)))
    with ValkeyServer() as redis, open_house(url, redis.url) as one, open_house(url, redis.url) as other:
        async with one.connect() as first, other.connect() as second:
            asked = [
                claim(client, f"{place}-{number}", str(number % 20))
                for place, client in enumerate((first, second))
                for number in range(100)
            ]
            crowd = asyncio.gather(*asked)
            # Some are answered, some wait: then all that Redis knows is gone.
            await claim(first, "watcher", "0")
            redis.kill()
            redis.start()
            answers = await crowd
    assert sorted({one.status_code for one in answers}) == [201, 409]
    holders = [(await find(office, str(number))) for number in range(20)]
    assert [one.token for one in holders] == [1] * 20
