"""Agents in several processes want the same postings, and each posting is given once."""

import asyncio
import json
import subprocess
import sys
from uuid import uuid4

import pytest

from dibs.storage.database.address import read_address
from tests.apps.postings.conftest import keep, make_posting
from tests.tables import add_option


def run_crowds(tables_url, redis_url, processes, agents, postings):
    command = [sys.executable, "-m", "tests.apps.postings.claims.crowd", tables_url, redis_url]
    started = [
        subprocess.Popen([*command, f"p{n}", str(agents), str(postings)], stdout=subprocess.PIPE, text=True)
        for n in range(processes)
    ]
    answers = [process.communicate(timeout=300)[0] for process in started]
    assert [process.returncode for process in started] == [0] * processes
    return [json.loads(answer) for answer in answers]


async def check_crowds(office, url, request, processes, agents, postings):
    await keep(office, *(make_posting(str(number)) for number in range(postings)))
    redis = ""
    if read_address(url).is_postgres:
        redis = add_option(request.getfixturevalue("redis_url"), f"namespace=t{uuid4().hex[:12]}")
    crowds = await asyncio.to_thread(run_crowds, url, redis, processes, agents, postings)
    given = sorted((one for crowd in crowds for one in crowd["given"]), key=int)
    assert given == [str(number) for number in range(postings)]
    assert sum(len(crowd["spans"]) for crowd in crowds) == processes * agents


async def test_two_processes_of_agents_get_each_posting_once(office, url, request):
    await check_crowds(office, url, request, processes=2, agents=100, postings=10)


@pytest.mark.system
async def test_two_thousand_claims_on_a_hundred_postings_from_four_processes_are_given_once(office, url, request):
    await check_crowds(office, url, request, processes=4, agents=500, postings=100)
