"""Processes that share a cache fetch a page once, also when one of them is killed while it fetches."""

import asyncio
import sys
from pathlib import Path
from subprocess import PIPE

from tests.outside.hostile import in_turn, say

PROGRAM = Path(__file__).with_name("fetcher.py")


async def start(folder, url):
    return await asyncio.create_subprocess_exec(sys.executable, PROGRAM, folder / "cache.db", url, stdout=PIPE)


async def read_words(process):
    async with asyncio.timeout(60):
        return (await process.stdout.readline()).decode().split()


def held_back(gate, answer):
    async def wait(asked, writer):
        await gate.wait()
        await answer(asked, writer)

    return wait


async def test_two_processes_that_want_the_same_page_fetch_it_once(hostile, tmp_path):
    gate = asyncio.Event()
    hostile.on("/", held_back(gate, say(200, b"page")))
    both = [await start(tmp_path, hostile.url()) for _ in range(2)]
    for process in both:
        assert await read_words(process) == ["ready"]
    await hostile.arrived.wait()
    gate.set()
    assert sorted([await read_words(process) for process in both]) == [["cached", "page"], ["fetched", "page"]]
    assert len(hostile.asked) == 1
    for process in both:
        assert await process.wait() == 0


async def test_when_the_one_who_fetches_is_killed_the_other_one_goes(hostile, tmp_path):
    hostile.on("/", in_turn(held_back(asyncio.Event(), say(200)), say(200, b"page")))
    killed = await start(tmp_path, hostile.url())
    await read_words(killed)
    await hostile.arrived.wait()
    other = await start(tmp_path, hostile.url())
    await read_words(other)
    killed.kill()
    await killed.wait()
    assert await read_words(other) == ["fetched", "page"]
    assert len(hostile.asked) == 2
    assert await other.wait() == 0
