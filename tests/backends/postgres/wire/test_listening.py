"""Many handles in one event loop: one connection listens for all, and one hint does not wake them all at once."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

import dibs
from dibs.backends.postgres import notices as module

SOON = timedelta(seconds=60)
LISTENERS = "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE '%LISTEN%' AND query ILIKE $1"


@pytest.fixture
def url(postgres_url: str) -> str:
    return f"{postgres_url}?schema=t{uuid4().hex[:12]}"


async def count_listeners(postgres_url: str, url: str) -> int:
    control = await asyncpg.connect(postgres_url)
    try:
        found: int = await control.fetchval(LISTENERS, f"%{url.partition('schema=')[2]}%")
        return found
    finally:
        await control.close()


async def open_many(stack: AsyncExitStack, url: str, number: int) -> tuple[list[dibs.Backend], list[Any]]:
    handles = [await stack.enter_async_context(await dibs.open_backend(url)) for _ in range(number)]
    return handles, [await stack.enter_async_context(handle.notices.subscribe(["q"])) for handle in handles]


async def test_the_handles_of_an_event_loop_share_one_listening_connection(postgres_url: str, url: str) -> None:
    async with AsyncExitStack() as stack:
        handles, subscriptions = await open_many(stack, url, 8)
        assert await count_listeners(postgres_url, url) == 1
        await handles[0].store_job(dibs.Job(job_type="t", queue="q"))
        assert all([await subscription.wait(SOON) for subscription in subscriptions])
    assert await count_listeners(postgres_url, url) == 0


async def test_the_others_still_hear_when_one_has_left(url: str) -> None:
    async with AsyncExitStack() as stack:
        handles, [subscription] = await open_many(stack, url, 1)
        async with AsyncExitStack() as passing:
            await open_many(passing, url, 2)
        await handles[0].store_job(dibs.Job(job_type="t", queue="q"))
        assert await subscription.wait(SOON)


async def test_whoever_claimed_last_hears_of_the_next_job_first(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The others would hear after this, if the test had so much time.
    monkeypatch.setattr(module, "_STEP_SECONDS", 3600.0)
    monkeypatch.setattr(module, "_LAST_SECONDS", 3600.0)
    async with AsyncExitStack() as stack:
        handles, subscriptions = await open_many(stack, url, 8)
        for lucky in (5, 7):
            await handles[lucky].store_job(dibs.Job(job_type="t", queue="q"))
            assert await handles[lucky].claim_pending_job() is not None
            for subscription in subscriptions:
                await subscription.wait(timedelta(milliseconds=20))
            await handles[0].store_job(dibs.Job(job_type="t", queue="q"))
            assert await subscriptions[lucky].wait(SOON)
            assert not any([await other.wait(timedelta(milliseconds=1)) for other in subscriptions])
            assert await handles[0].claim_pending_job() is not None


async def test_a_lone_handle_hears_at_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STEP_SECONDS", 3600.0)
    monkeypatch.setattr(module, "_LAST_SECONDS", 3600.0)
    async with AsyncExitStack() as stack:
        [handle], [subscription] = await open_many(stack, url, 1)
        for _ in range(3):
            await handle.store_job(dibs.Job(job_type="t", queue="q"))
            assert await subscription.wait(SOON)


def test_another_event_loop_has_a_listener_of_its_own(url: str) -> None:
    async def hear() -> bool:
        async with AsyncExitStack() as stack:
            [handle], [subscription] = await open_many(stack, url, 1)
            await handle.store_job(dibs.Job(job_type="t", queue="q"))
            return bool(await subscription.wait(SOON))

    assert asyncio.run(hear())
    assert asyncio.run(hear())
