"""Sources over a store in memory whose clock a test moves, a cache in memory, and a hostile server."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from dibs.engine.admission.source import Source, SourceRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.kit.clock import utc_day
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.sources.request import Request, SourcePolicy
from dibs.outside.sources.response import Response
from dibs.outside.sources.sources import Sources
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.transport import Transport
from dibs.testing.stores.memory import MemoryStore
from tests.outside.hostile import Hostile


class Scene:
    """All of it, in a test's hands."""

    def __init__(self, hostile: Hostile, rules: Rules) -> None:
        self.hostile = hostile
        self.store = MemoryStore()
        # Whoever says nothing is left at once; who answers has time, also on a machine with much else to do.
        limits = replace(rules.limits, total=timedelta(seconds=20))
        self.policy = SourcePolicy(rules=replace(rules, limits=limits), robots=False)
        self.transport = Transport(user_agent="dibs/1.0 (+mailto:ops@example.com)")
        self.cache = Cache(SqliteCache(":memory:", max_bytes=10_000_000, clock=self.store.now))
        self.backend: Backend
        self.sources: Sources

    async def open(self) -> None:
        # Whatever is counted by the day begins at a noon: a test that moves the clock by an hour stays in its day.
        now = self.store.now()
        await self.store.advance(utc_day(now) + timedelta(hours=36) - now)
        self.backend = await self.store.open()
        self.set_policy()

    def set_policy(self, **changes: Any) -> None:
        self.policy = replace(self.policy, **changes)
        self.sources = Sources(self.backend.sources, self.cache, self.transport, policies={"shop": self.policy})

    async def fetch(self, path: str = "/", *, lease: Any = None, **asked: Any) -> Response:
        return await self.sources.fetch("shop", Request(self.hostile.url(path), **asked), lease=lease)

    async def declare(self, **rule: Any) -> None:
        await self.backend.sources.declare(SourceRule(name="shop", **rule), actor="test", reason="declared by a test")

    async def source(self) -> Source:
        found = await self.backend.sources.find("shop")
        assert found is not None
        return found

    async def claim_job(self, name: str = "j1") -> Job:
        await self.backend.store_job(Job(id=name, job_type="CRAWL", source="shop"))
        job = await self.backend.claim_pending_job(job_types=["CRAWL"])
        assert job is not None
        return job

    async def advance(self, **span: float) -> None:
        await self.store.advance(timedelta(**span))

    async def close(self) -> None:
        await self.transport.close()
        await self.cache.close()
        await self.backend.close()


@pytest.fixture
async def scene(hostile: Hostile, rules: Rules) -> AsyncIterator[Scene]:
    scene = Scene(hostile, rules)
    await scene.open()
    yield scene
    await scene.close()
