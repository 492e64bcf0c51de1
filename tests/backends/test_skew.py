"""Ten minutes of clock skew on a client change nothing: a process that is told the wrong time works beside us."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

import dibs
from dibs.testing import PostgresStore, RedisStore, SqliteStore, StoreHarness

MINUTE = timedelta(minutes=1)
TEN_MINUTES_IN_SECONDS = 600


@pytest_asyncio.fixture(params=["sqlite", "postgres", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    store: Any
    if request.param == "sqlite":
        store = SqliteStore()
    elif request.param == "postgres":
        store = await PostgresStore.start(f"{request.getfixturevalue('postgres_url')}?schema=skewed")
        await store.reset()
    else:
        store = RedisStore(request.getfixturevalue("redis_url"))
    yield store
    await store.close()


async def run_skewed_client(url: str, skew: int) -> dict[str, Any]:
    command = (sys.executable, "-m", "tests.backends.skewed_client", url, str(skew))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    told: dict[str, Any] = json.loads(out)
    return told


@pytest.mark.parametrize("skew", [-TEN_MINUTES_IN_SECONDS, TEN_MINUTES_IN_SECONDS])
async def test_a_client_whose_clock_is_ten_minutes_off_changes_nothing(store: Any, skew: int) -> None:
    async with await store.open(worker_id="honest") as backend:
        before = await backend.reader.now()
        told = await run_skewed_client(store.url, skew)
        after = await backend.reader.now()
        assert told["claimed"] == ["held", "done", "keyed", "copied", "failed"]
        assert (told["beats"], told["renewed"], told["reclaimed"], told["pruned"]) == ([True], True, 0, 0)
        assert before.timestamp() <= told["now"] <= after.timestamp()
        await see_that_every_instant_lies_between(backend, before, after)
        await see_that_every_span_is_as_long_as_it_says(backend, store)


async def see_that_every_instant_lies_between(backend: dibs.Backend, before: Any, after: Any) -> None:
    jobs = await backend.reader.find_jobs(["held", "done", "keyed", "copied", "failed", "delayed"])
    held, done, keyed, _, failed, delayed = [job for job in jobs if job is not None]
    spans = {"held": 5 * MINUTE, "copied": 5 * MINUTE, "keyed": 20 * MINUTE}
    for job in (held, done, keyed, failed, delayed):
        instants = [job.created_at, job.locked_at, job.heartbeat_at, job.started_at, job.finished_at]
        if job.lease_expires_at is not None:
            instants.append(job.lease_expires_at - spans[job.id])
        assert all(before <= instant <= after for instant in instants if instant is not None), job
    assert all(job.run_at == job.created_at for job in (held, done, keyed))
    assert delayed.run_at is not None
    assert failed.run_at is not None
    assert delayed.run_at - 5 * MINUTE == delayed.created_at
    assert before <= failed.run_at - 5 * MINUTE <= after
    entries = (await backend.reader.list_audit(dibs.AuditFilter(), dibs.PageRequest())).items
    assert [entry.subject for entry in entries] == ["job:done"]
    assert all(before <= entry.at <= after for entry in entries)


async def see_that_every_span_is_as_long_as_it_says(backend: dibs.Backend, store: StoreHarness) -> None:
    assert await backend.claim_pending_jobs(10) == []
    await store.advance(4 * MINUTE)
    assert await backend.claim_pending_jobs(10) == []
    assert await backend.reap_jobs() == []
    assert await backend.leases.find("lock") is not None
    assert len(await backend.workers.list_workers()) == 1
    assert await backend.prune_jobs(dibs.PruneRequest(older_than=5 * MINUTE)) == 0
    await store.advance(2 * MINUTE)
    assert sorted(one.lease.job_id for one in await backend.reap_jobs()) == ["copied", "held"]
    claimed = {job.id for job in await backend.claim_pending_jobs(10)}
    assert claimed == {"held", "copied", "failed", "delayed"}
    assert await backend.leases.find("lock") is None
    assert await backend.workers.list_workers() == []
    assert await backend.prune_jobs(dibs.PruneRequest(older_than=5 * MINUTE)) == 1
