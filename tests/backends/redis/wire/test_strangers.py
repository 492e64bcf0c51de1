"""A handle belongs to the process and the event loop that opened it."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

import dibs
from dibs.backends.redis import open_parts
from dibs.engine.store.moves import ClaimRequest, Completion, StoreRequest
from dibs.engine.store.protocols import Parts
from dibs.engine.store.reading import JobFilter
from dibs.errors import StoreError
from dibs.kit.codec import NULL
from dibs.testing.stores.redis import RedisStore

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


CLAIM = ClaimRequest(worker="stranger")


def attempts_on(parts: Parts) -> dict[str, Callable[[], Awaitable[object]]]:
    async def listen() -> None:
        async with parts.notices.subscribe():
            pass

    return {
        "move": lambda: parts.jobs.claim(CLAIM),
        "read": lambda: parts.reader.find_jobs(["job"]),
        "listen": listen,
        "close": parts.close,
    }


def refusals(parts: Parts) -> dict[str, str]:
    """Try everything in a new event loop; gives what each was told."""

    async def try_all() -> dict[str, str]:
        told = {}
        for name, attempt in attempts_on(parts).items():
            try:
                await asyncio.wait_for(attempt(), 60)
            except StoreError as error:
                told[name] = str(error)
        return told

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(try_all())
    finally:
        loop.close()


@pytest_asyncio.fixture
async def parts(store: RedisStore) -> AsyncIterator[Parts]:
    """A handle with an idle connection and a listening one."""
    parts = await open_parts(store.url)
    await parts.schema.migrate()
    async with parts.notices.subscribe():
        yield parts
    await parts.close()


async def test_an_event_loop_in_another_thread_is_refused_and_does_not_disturb_the_first(parts: Parts) -> None:
    await parts.jobs.store(StoreRequest(jobs=[dibs.Job(id="job", job_type="test")], inputs=[NULL]))
    told = await asyncio.to_thread(refusals, parts)
    assert set(told) == {"move", "read", "listen", "close"}
    assert all("another event loop. Open one for each loop." in text for text in told.values())
    assert [job.id for job in await parts.jobs.claim(CLAIM)] == ["job"]


async def close(parts: Parts) -> None:
    await parts.close()


def test_the_next_event_loop_is_refused_as_well(redis_url: str) -> None:
    with asyncio.Runner() as runner:
        parts = runner.run(open_parts(redis_url))
        told = refusals(parts)
        assert set(told) == {"move", "read", "listen", "close"}
        runner.run(close(parts))


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_forked_child_is_refused_and_the_parent_goes_on_undisturbed(parts, backend):
    await backend.store_jobs([dibs.Job(id=f"job-{n}", job_type="test") for n in range(200)])
    claiming = asyncio.create_task(claim_all(parts))
    await asyncio.sleep(0)
    children = [fork_a_stranger(parts) for _ in range(3)]
    claimed = await asyncio.wait_for(claiming, 60)
    for child in children:
        assert await asyncio.to_thread(os.waitpid, child, 0) == (child, 0)
    assert sorted(claimed) == sorted(f"job-{n}" for n in range(200))
    assert (await backend.reader.count_jobs(JobFilter()))["succeeded"] == 200


async def claim_all(parts: Parts) -> list[str]:
    claimed = []
    while jobs := await parts.jobs.claim(ClaimRequest(worker="parent", limit=3)):
        assert all(await parts.jobs.complete([Completion(lease=job.lease) for job in jobs]))
        claimed += [job.id for job in jobs]
    return claimed


def fork_a_stranger(parts: Parts) -> int:
    child = os.fork()
    if child:
        return child
    code = 9
    try:
        asyncio.events._set_running_loop(None)
        told = refusals(parts)
        is_refused = set(told) == {"move", "read", "listen", "close"}
        code = 0 if is_refused and all("before a fork" in text for text in told.values()) else 8
    finally:
        os._exit(code)
