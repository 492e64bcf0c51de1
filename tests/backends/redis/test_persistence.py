"""What a restart leaves of acknowledged jobs, under each setting of the server."""

import pytest

import dibs
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter
from dibs.testing.servers import ValkeyServer


async def fill(backend):
    """Jobs in every stage, each acknowledged."""
    await backend.store_jobs([dibs.Job(id=f"job-{n}", job_type="test") for n in range(30)])
    claimed = await backend.claim_pending_jobs(20)
    await backend.complete_jobs([backend.completion(job.lease) for job in claimed[:10]])
    return claimed[10:]


@pytest.mark.parametrize("persistence", ["everysec", "always"])
async def test_with_an_append_only_file_a_killed_server_loses_nothing(persistence):
    with ValkeyServer(persistence=persistence) as server:
        async with await dibs.open_backend(server.url) as backend:
            assert backend.capabilities.durable
            held = await fill(backend)
            server.kill()
            server.start()
            counts = await backend.reader.count_jobs(JobFilter())
            assert (counts[State.PENDING], counts[State.RUNNING], counts[State.SUCCEEDED]) == (10, 10, 10)
            # Leases and tokens survive as well: the holders go on, and later claims get higher tokens.
            assert all(await backend.complete_jobs([backend.completion(job.lease) for job in held]))
            fresh = await backend.claim_pending_jobs(10)
            assert min(job.lease_token for job in fresh) > max(job.lease_token for job in held)


async def test_without_persistence_a_killed_server_loses_everything_and_says_so_beforehand():
    with ValkeyServer(persistence="none") as server:
        async with await dibs.open_backend(server.url) as backend:
            assert not backend.capabilities.durable
            await fill(backend)
            server.kill()
            server.start()
            assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 0


async def test_with_snapshots_only_what_came_after_the_last_one_is_lost():
    with ValkeyServer(persistence="none") as server:
        async with await dibs.open_backend(server.url) as backend:
            await backend.store_job(dibs.Job(id="before", job_type="test"))
            server.ask("SAVE")
            await backend.store_job(dibs.Job(id="after", job_type="test"))
            server.kill()
            server.start()
            assert not backend.capabilities.durable
            assert await backend.find_job("before") is not None
            assert await backend.find_job("after") is None


async def test_after_everything_was_lost_an_old_holder_is_still_refused_by_the_missing_job():
    with ValkeyServer(persistence="none") as server:
        async with await dibs.open_backend(server.url) as backend:
            held = await fill(backend)
            server.kill()
            server.start()
            moved = await backend.complete_jobs([backend.completion(job.lease) for job in held])
            assert moved == [False] * len(held)
