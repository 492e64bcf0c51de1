"""Queues, keys and sources may be called after somebody: their names go with the last job that is erased."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
import pytest_asyncio

from dibs.engine.job import Job
from dibs.testing import RedisStore, SqliteStore, StoreHarness

MARK = "zq-ada@example.com"
ACT = {"actor": "ann", "reason": "asked"}
KEY = "the key"
READ: dict[str, list[Any]] = {
    "zset": ["ZRANGE", KEY, 0, -1],
    "hash": ["HGETALL", KEY],
    "list": ["LRANGE", KEY, 0, -1],
    "set": ["SMEMBERS", KEY],
    "stream": ["XRANGE", KEY, "-", "+"],
    "string": ["GET", KEY],
}
NAMED = ({"queue": MARK}, {"concurrency_key": MARK}, {"source": MARK}, {"unique_key": MARK})


@pytest_asyncio.fixture(params=["sqlite", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StoreHarness]:
    is_redis = request.param == "redis"
    opened = RedisStore(request.getfixturevalue("redis_url")) if is_redis else SqliteStore()
    yield opened
    await opened.close()


def make(number: int, **facts: str) -> Job:
    return Job(id=f"job-{number}", job_type="MAIL", tenant="acme", **facts)  # type: ignore[arg-type]


async def find_names(store: StoreHarness) -> list[str]:
    """Give all that is kept and has the name."""
    rows = _read_file(store) if isinstance(store, SqliteStore) else await _read_keys(store)
    return [row for row in rows if MARK in row]


def _read_file(store: SqliteStore) -> list[str]:
    with closing(sqlite3.connect(store.path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [f"{name}: {row}" for name in tables for row in connection.execute(f'SELECT * FROM "{name}"')]


async def _read_keys(store: StoreHarness) -> list[str]:
    assert isinstance(store, RedisStore)
    ask = store.lines.ask
    texts = []
    for key in await ask("KEYS", f"{store.lines.address.tag}:*"):
        kind = str(await ask("TYPE", key))
        command = next(words for one, words in READ.items() if one in kind)
        texts.append(f"{key}: {await ask(*[key if word is KEY else word for word in command])}")
    return texts


@pytest.mark.parametrize("is_claimed", [False, True])
async def test_a_name_goes_with_the_last_job_that_has_it(store, is_claimed):
    backend = await store.open()
    jobs = [make(2 * number + again, **facts) for number, facts in enumerate(NAMED[:3]) for again in (0, 1)]
    await backend.store_jobs([*jobs, make(9, **NAMED[3])])
    if is_claimed:
        assert await backend.claim_pending_jobs(6)
    assert await find_names(store)
    ids = [*(job.id for job in jobs), "job-9"]
    await backend.cancel_jobs(ids, **ACT)
    assert all(await backend.erase_jobs(ids, **ACT))
    assert await find_names(store) == []
    await backend.close()


@pytest.mark.parametrize("facts", NAMED[:3])
async def test_who_waits_under_the_same_name_is_still_served(store, facts):
    backend = await store.open()
    await backend.store_jobs([make(number, **facts) for number in range(3)])
    [first] = await backend.claim_pending_jobs(1)
    await backend.cancel_jobs([first.id], **ACT)
    assert await backend.erase_jobs([first.id], **ACT) == [True]
    served = await backend.claim_pending_jobs(1)
    assert [job.id for job in served] == ["job-1"]
    await backend.store_jobs([make(7, **facts)])
    await backend.cancel_jobs(["job-1"], **ACT)
    assert [job.id for job in await backend.claim_pending_jobs(1)] == ["job-2"]
    await backend.close()
