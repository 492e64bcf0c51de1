"""Stores with governed jobs in lanes that the first day of version 3 named are brought to today's names, and work.

The frozen layout was made by the code of that day. Never change it with the code: it is the past. In it eleven jobs
run, and others wait: behind a key that allows one and one that allows two, a cap, a budget that the first of a lane
never fits, a paused source, in a fair queue, until later, and in a lane that nobody has looked at yet.
"""

import asyncio
import json
import sys
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

import dibs
from dibs.backends.redis.schema import STEPS, WANTED, RedisSchema
from dibs.engine.states import State
from dibs.engine.store.protocols import SchemaState
from dibs.engine.store.reading import JobFilter
from dibs.testing.stores.redis import RedisStore
from tests.backends.redis.test_schema import MIGRATE
from tests.backends.redis.version_3 import store_keyed

FROZEN = Path(__file__).parent / "layouts" / "3_first.json"
BEFORE_THE_LAST = WANTED - 1
RUNNING = {"plain-1", "key-0", "pair-2", "pair-3", "capped-0", "fair-a-0", "fair-a-1", "fair-b-0"}
RUNNING |= {f"paced-{n}" for n in range(3)}
FREE_AT_ONCE = {"fresh-0", "cheap-0", "cheap-1", "fair-a-2", "fair-b-1", "fair-b-2", "fair-key-0"}
FREE_AFTERWARDS = {"fresh-1", "key-1", "pair-0", "pair-1", "capped-1", "fair-key-1"}


async def lay(store: RedisStore) -> None:
    """Make the namespace as it was, its clock where it stopped."""
    tag = store.lines.address.tag
    for words in json.loads(FROZEN.read_text()):
        await store.lines.ask(*(word.replace("@TAG@", tag).encode("latin-1") for word in words), is_write=True)
    # Leases are of five minutes: one of them has gone by.
    [_, lapse] = await store.lines.ask("ZRANGE", f"{tag}:running", 0, 0, "WITHSCORES")
    seconds, micros = await store.lines.ask("TIME")
    offset = int(lapse) - 240_000_000 - int(seconds) * 1_000_000 - int(micros)
    await store.lines.ask("SET", f"{tag}:clock_offset", offset, is_write=True)


def count_names(lanes: list[str]) -> set[int]:
    return {lane.count("\x1f") + 1 for lane in lanes}


async def list_lanes(store: RedisStore) -> list[str]:
    return [lane.decode() for lane in await store.lines.ask("HKEYS", f"{store.lines.address.tag}:shelf_of")]


async def list_lines(store: RedisStore) -> list[str]:
    return [line.decode() for line in await store.lines.ask("KEYS", f"{store.lines.address.tag}:ready:*")]


async def finish(backend: dibs.Backend, ids: set[str]) -> None:
    tokens = [(await backend.get_job(job_id)).lease for job_id in ids]
    assert all(await backend.complete_jobs([backend.completion(lease) for lease in tokens]))


async def test_jobs_that_wait_in_lanes_of_old_names_are_done_under_their_limits(store: RedisStore) -> None:
    await lay(store)
    async with await store.open() as backend:
        first = [job.id for job in await backend.claim_pending_jobs(50)]
        assert first[0] == "fresh-0"
        assert set(first) == FREE_AT_ONCE
        assert await backend.claim_pending_jobs(50) == []
        await finish(backend, RUNNING | FREE_AT_ONCE)
        assert {job.id for job in await backend.claim_pending_jobs(50)} == FREE_AFTERWARDS
        await finish(backend, FREE_AFTERWARDS)
        assert {job.id for job in await backend.claim_pending_jobs(50)} == {"key-2", "capped-2"}
        await backend.sources.resume("shut", actor="op", reason="test")
        assert [job.id for job in await backend.claim_pending_jobs(50)] == ["shut-0"]
        await finish(backend, {"key-2", "capped-2", "shut-0"})
        await store.advance(timedelta(hours=2))
        assert [job.id for job in await backend.claim_pending_jobs(50)] == ["later"]
        assert (await backend.admission.find_standing("dear")) is not None
        counts = await backend.reader.count_jobs(JobFilter())
        assert (counts[State.PENDING], counts[State.RUNNING]) == (1, 1)


async def test_no_lane_keeps_an_old_name(store: RedisStore) -> None:
    await lay(store)
    assert count_names(await list_lanes(store)) == {5}
    assert await RedisSchema(store.lines).migrate() == [BEFORE_THE_LAST + 1]
    assert count_names(await list_lanes(store)) == {6}
    assert count_names(await list_lines(store)) == {6}


async def test_code_that_cannot_read_the_names_of_today_is_kept_out_where_it_has_been(store: RedisStore) -> None:
    await lay(store)
    async with await store.open():
        state = await RedisSchema(store.lines).state()
    assert state == SchemaState(found=WANTED, wanted=WANTED, oldest_code=WANTED)
    assert not msgspec.structs.replace(state, wanted=3).is_usable


async def test_older_code_is_let_in_where_no_lane_had_an_old_name(store: RedisStore) -> None:
    async with await store.open() as backend:
        assert (await backend.schema.state()).oldest_code == 1


async def test_a_store_from_before_there_was_a_mark_is_known_to_be_governed(store: RedisStore) -> None:
    await lay(store)
    await store.lines.ask("DEL", f"{store.lines.address.tag}:governing", is_write=True)
    async with await store.open() as backend:
        assert {job.id for job in await backend.claim_pending_jobs(50)} == FREE_AT_ONCE


async def test_ten_processes_move_thousands_of_jobs_together_and_lose_none(store: RedisStore) -> None:
    await lay(store)
    many = [(f"many-{n}", f"many-{n % 1500}") for n in range(3000)]
    long = [(f"long-{n}", "long") for n in range(2500)]
    for start in range(0, 3000, 500):
        await store_keyed(store.lines, many[start : start + 500])
        await store_keyed(store.lines, long[start : start + 500])
    command = [sys.executable, "-c", MIGRATE, store.url]
    processes = [await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE) for _ in range(10)]
    outputs = [(await process.communicate())[0] for process in processes]
    assert [version for output in outputs for version in json.loads(output)] == [WANTED]
    assert count_names(await list_lanes(store)) == {6}
    line = f"{store.lines.address.tag}:ready:default\x1ftest\x1fdefault\x1f\x1f"
    assert [await store.lines.ask("ZCARD", f"{line}{key}\x1f0") for key in ("long", "many-7")] == [2500, 2]
    async with await store.open() as backend:
        given = [job.id for job in await backend.claim_pending_jobs(4000)]
        assert sorted(given) == sorted([*FREE_AT_ONCE, "long-0", *(f"many-{n}" for n in range(1500))])


async def test_jobs_that_such_code_stores_later_are_claimed_in_their_order(store: RedisStore) -> None:
    async with await store.open() as backend:
        await store_keyed(store.lines, [("old-1", "one"), ("old-2", "one"), ("other", "42")])
        await backend.store_jobs([dibs.Job(id="new", job_type="test", concurrency_key="one")])
        assert [[job.id for job in await backend.claim_pending_jobs(9)] for _ in range(3)] == [["old-1"], ["other"], []]
        await store_keyed(store.lines, [("old-3", "one")])
        order = ["old-1", "old-2", "new", "old-3"]
        for done, expected in pairwise(order):
            await finish(backend, {done})
            assert [job.id for job in await backend.claim_pending_jobs(9)] == [expected]


async def test_a_job_in_a_lane_of_an_old_name_can_be_cancelled_and_retried(store: RedisStore) -> None:
    async with await store.open() as backend:
        await store_keyed(store.lines, [("one", "key"), ("two", "key")])
        await backend.cancel_jobs(["one"], actor="op", reason="test")
        await backend.retry_jobs(["one"], actor="op", reason="test")
        done = []
        while claimed := await backend.claim_pending_jobs(9):
            done += [job.id for job in claimed]
            await backend.complete_jobs([backend.completion(job.lease) for job in claimed])
        assert sorted(done) == ["one", "two"]


@pytest.mark.parametrize("version", STEPS)
async def test_a_step_that_was_taken_is_not_taken_again(store: RedisStore, version: int) -> None:
    async with await store.open():
        assert await store.lines.run(f"migrations/{version:04d}", [version, 1]) == 0
