"""A source that goes through everything at once, and jobs that come through it: checked from what the server saw."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from dibs import AuditFilter, Context, Dibs, Job, PageRequest, SourceRule, State
from dibs.engine.states import FINAL
from dibs.engine.store.moves import ClaimRequest
from dibs.outside.cache.cache import Cache
from dibs.outside.sources.request import Request, SourcePolicy
from dibs.outside.sources.sources import Sources
from dibs.outside.transport.transport import Transport
from dibs.testing import Kit
from tests.outside.hostile import endless, hang, in_turn, redirect, reset, say

INTERVAL = timedelta(seconds=6)
PAUSE = timedelta(minutes=5)
WAIT = timedelta(seconds=600)


class Chaos:
    """An app whose jobs fetch a page each, and the instants at which the server was asked."""

    def __init__(self, app: Dibs, kit: Kit, task: Any) -> None:
        self.app = app
        self.kit = kit
        self.task = task
        self.asked_at: list[datetime] = []

    def seen(self, answer: Any) -> Any:
        async def note(asked, writer):
            self.asked_at.append(self.kit.now)
            await answer(asked, writer)

        return note

    async def run(self, count: int) -> list[Job]:
        backend = await self.app.backend()
        rule = SourceRule(name="shop", rate_limit_per_minute=10, pause=PAUSE)
        await backend.sources.declare(rule, actor="ada", reason="their terms")
        jobs = [await self.task.options(source="shop").enqueue(number=number) for number in range(count)]
        for _ in range(200):
            await self.kit.drain()
            found = [await self.kit.find(job) for job in jobs]
            if all(job.state in FINAL for job in found):
                return found
            # The store itself tells when it may have something to give.
            wake = await backend.admission.find_wake(ClaimRequest(worker="test"))
            await self.kit.advance(wake or timedelta(seconds=1))
        raise AssertionError([(job.state, job.run_at) for job in found])

    def gaps(self) -> list[timedelta]:
        return [later - earlier for earlier, later in zip(self.asked_at, self.asked_at[1:], strict=False)]


@pytest.fixture
async def chaos(hostile, rules) -> AsyncIterator[Chaos]:
    app = Dibs("memory://")
    policy = SourcePolicy(rules=rules, robots=False)
    async with Transport() as transport:

        @app.task("CRAWL", max_retries=20)
        async def crawl(ctx: Context, number: int) -> str:
            backend = await app.backend()
            sources = Sources(backend.sources, Cache(None), transport, default=policy)
            page = await sources.fetch("shop", Request(hostile.url("/")), lease=ctx.job.lease)
            return page.text

        async with Kit(app) as kit:
            yield Chaos(app, kit, crawl)


async def test_jobs_come_through_a_source_that_fails_in_every_way(chaos, hostile, other):
    bad = [hang, reset, endless, say(500), say(502)]
    limited = say(429, b"", f"Retry-After: {WAIT.total_seconds():.0f}")
    answers = [*bad, say(503), limited, redirect(other.url()), say(200, b"page")]
    hostile.on("/", chaos.seen(in_turn(*answers)))
    jobs = await chaos.run(8)
    assert sorted(job.state for job in jobs) == [State.FAILED] + [State.SUCCEEDED] * 7
    (failed,) = [job for job in jobs if job.state is State.FAILED]
    assert failed.error is not None
    assert failed.error.type == "AddressRefused"
    assert other.connections == 0
    # Each way of failing cost one request: nobody asked a source that was paused, limited or ahead of its pace.
    assert len(chaos.asked_at) == len(answers) - 1 + 7
    gaps = chaos.gaps()
    assert min(gaps) >= INTERVAL
    assert gaps[4] >= PAUSE
    assert gaps[5] >= PAUSE
    assert gaps[6] >= WAIT


async def test_the_breakers_opening_and_closing_are_on_record(chaos, hostile):
    hostile.on("/", chaos.seen(in_turn(*[say(500)] * 5, say(200, b"page"))))
    await chaos.run(3)
    backend = await chaos.app.backend()
    page = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))
    actions = [entry.action for entry in page.items if "SOURCE" in entry.action]
    assert sorted(actions) == ["SOURCE_BROKEN", "SOURCE_DECLARED", "SOURCE_MENDED"]
