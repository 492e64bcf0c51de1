"""A job that fetches waits for its source at no cost, and goes on at the very instant."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from dibs import Context, Dibs, SourceRule, State
from dibs.outside.cache.cache import Cache
from dibs.outside.sources.request import Request, SourcePolicy
from dibs.outside.sources.sources import Sources
from dibs.outside.transport.transport import Transport
from dibs.testing import Kit
from tests.outside.hostile import in_turn, redirect, say


@pytest.fixture
async def crawl(hostile, rules) -> AsyncIterator[Any]:
    app = Dibs("memory://")
    transport = Transport()
    policy = SourcePolicy(rules=rules, robots=False)

    @app.task("CRAWL", max_retries=1)
    async def crawl(ctx: Context, paths: list[str]) -> list[str]:
        backend = await app.backend()
        sources = Sources(backend.sources, Cache(None), transport, default=policy)
        pages = [await sources.fetch("shop", Request(hostile.url(path)), lease=ctx.job.lease) for path in paths]
        return [page.text for page in pages]

    async with Kit(app) as kit:
        yield app, kit, crawl
    await transport.close()


async def test_a_job_that_is_told_to_wait_runs_again_at_that_instant_and_pays_nothing(crawl, hostile):
    _, kit, task = crawl
    hostile.on("/", in_turn(say(429, b"", "Retry-After: 90"), say(200, b"page")))
    job = await task.options(source="shop").enqueue(paths=["/"])
    asked_at = kit.now
    await kit.run(job)
    waiting = await kit.find(job)
    assert (waiting.state, waiting.attempts) == (State.PENDING, 0)
    assert waiting.run_at == asked_at + timedelta(seconds=90)
    await kit.advance(seconds=90)
    await kit.run(job)
    done = await kit.find(job)
    assert (done.state, done.output, done.attempts) == (State.SUCCEEDED, ["page"], 0)


async def test_a_job_that_wants_more_than_its_pace_waits_for_the_next_permit(crawl, hostile):
    app, kit, task = crawl
    backend = await app.backend()
    await backend.sources.declare(SourceRule(name="shop", rate_limit_per_minute=6), actor="ada", reason="their terms")
    hostile.on("/", say(200, b"page"))
    job = await task.options(source="shop").enqueue(paths=["/", "/"])
    began_at = kit.now
    await kit.run(job)
    waiting = await kit.find(job)
    assert (waiting.state, waiting.attempts, waiting.run_at) == (State.PENDING, 0, began_at + timedelta(seconds=10))
    assert len(hostile.asked) == 1


async def test_a_job_that_is_sent_to_a_private_address_fails_for_good(crawl, hostile):
    _, kit, task = crawl
    hostile.on("/", redirect("http://169.254.169.254/latest/"))
    job = await task.enqueue(paths=["/"])
    await kit.run(job)
    failed = await kit.find(job)
    assert (failed.state, failed.error.type) == (State.FAILED, "AddressRefused")


async def test_a_job_whose_source_is_unwell_is_tried_again(crawl, hostile):
    _, kit, task = crawl
    hostile.on("/", in_turn(say(502), say(200, b"page")))
    job = await task.enqueue(paths=["/"])
    await kit.drain(until=timedelta(minutes=5))
    done = await kit.find(job)
    assert (done.state, done.output, done.attempts) == (State.SUCCEEDED, ["page"], 1)
