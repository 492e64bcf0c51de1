"""Notices: a hint that jobs are waiting, never more."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from dibs.engine.admission.source import SourceRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, SECOND, Ground, store, store_and_claim

SOON = timedelta(seconds=10)
A_MOMENT = timedelta(milliseconds=60)


async def by_storing(backend: Backend, harness: StoreHarness) -> None:
    """A new job."""
    await store(backend, "new", queue="q")


async def by_copying(backend: Backend, harness: StoreHarness) -> None:
    """A copied job."""
    await backend.copy_jobs([Job(id="new", job_type="test", queue="q")])


async def by_releasing(backend: Backend, harness: StoreHarness) -> None:
    """A job handed back."""
    await backend.release_jobs([(await backend.get_job("held")).lease])


async def by_reaping(backend: Backend, harness: StoreHarness) -> None:
    """A job taken back."""
    await harness.advance(LEASE + SECOND)
    await backend.reap_jobs()


async def by_retrying(backend: Backend, harness: StoreHarness) -> None:
    """A job put back by an operator."""
    await backend.retry_job("cancelled", actor="op", reason="test")


async def by_hand(backend: Backend, harness: StoreHarness) -> None:
    """Somebody who knows."""
    await backend.notices.wake(["q"])


async def by_ending_the_holder_of_a_key(backend: Backend, harness: StoreHarness) -> None:
    """A job that another one waits for."""
    await backend.complete_job((await backend.get_job("holder")).lease)


async def by_spending_a_permit(backend: Backend, harness: StoreHarness) -> None:
    """From now on the instant of the next permit is known."""
    assert (await backend.sources.take_permit("ebay", (await backend.get_job("fetching")).lease)).granted


async def by_resuming_a_source(backend: Backend, harness: StoreHarness) -> None:
    """A source that was left alone."""
    await backend.sources.resume("ebay", actor="op", reason="again")


FREEING = [by_ending_the_holder_of_a_key, by_spending_a_permit, by_resuming_a_source]
WAYS = [by_storing, by_copying, by_releasing, by_reaping, by_retrying, by_hand]


class Noticing(Ground):
    """Who is woken, and who is not."""

    @pytest.mark.parametrize("way", FREEING, ids=lambda way: way.__name__)
    async def test_a_listener_is_woken_when_a_job_that_was_held_back_may_run(
        self, backend: Backend, harness: StoreHarness, way: Callable[[Backend, StoreHarness], Awaitable[None]]
    ) -> None:
        rule = SourceRule(name="ebay", rate_limit_per_minute=60)
        await backend.sources.declare(rule, actor="op", reason="new")
        await store(backend, "holder", queue="elsewhere", concurrency_key="k")
        await store(backend, "fetching", queue="elsewhere", source="ebay")
        assert len(await backend.claim_pending_jobs(10)) == 2
        await store(backend, "waits for the key", queue="q", concurrency_key="k")
        await store(backend, "waits for the source", queue="q", source="ebay")
        assert await backend.claim_pending_jobs(10) == []
        listener = await harness.open()
        async with listener.notices.subscribe(["q"]) as subscription:
            while await subscription.wait(A_MOMENT):
                pass
            await way(backend, harness)
            assert await subscription.wait(SOON)
        await listener.close()

    @pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
    async def test_a_listener_is_woken_when_a_job_becomes_claimable(
        self, backend: Backend, harness: StoreHarness, way: Callable[[Backend, StoreHarness], Awaitable[None]]
    ) -> None:
        await store_and_claim(backend, "held", queue="q")
        await store(backend, "cancelled", queue="q")
        await backend.cancel_job("cancelled", actor="op", reason="test")
        listener = await harness.open()
        async with listener.notices.subscribe(["q"]) as subscription:
            await way(backend, harness)
            assert await subscription.wait(SOON)
        await listener.close()

    async def test_a_notice_that_comes_before_the_wait_is_not_lost(self, backend: Backend) -> None:
        async with backend.notices.subscribe() as subscription:
            await store(backend, "new")
            await asyncio.sleep(A_MOMENT.total_seconds())
            assert await subscription.wait(SOON)

    async def test_other_queues_wake_nobody(self, backend: Backend, harness: StoreHarness) -> None:
        listener = await harness.open()
        async with listener.notices.subscribe(["q"]) as subscription:
            await store(backend, "new", queue="elsewhere")
            assert not await subscription.wait(A_MOMENT)
        await listener.close()

    async def test_a_job_that_is_not_due_wakes_nobody(self, backend: Backend) -> None:
        async with backend.notices.subscribe() as subscription:
            await backend.store_job(Job(job_type="test"), delay=timedelta(hours=1))
            assert not await subscription.wait(A_MOMENT)

    async def test_waiting_ends_when_the_time_is_up(self, backend: Backend) -> None:
        async with backend.notices.subscribe(["q"]) as subscription:
            assert not await subscription.wait(A_MOMENT)
            await store(backend, "new", queue="q")
            assert await subscription.wait(SOON)
            assert not await subscription.wait(A_MOMENT)
