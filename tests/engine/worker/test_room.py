"""While there is plenty to do, a worker waits a moment for more room: a few large claims instead of many small ones."""

import asyncio
from typing import Any

import pytest

from dibs.engine.app import App
from dibs.engine.loops import claiming
from tests.engine.worker.conftest import at_work, eventually

SLOTS = 4


class Handlers:
    """Handlers that end when the test says so, and how many jobs the worker asked for each time."""

    def __init__(self) -> None:
        self.begun = 0
        self.turnstile = asyncio.Semaphore(0)
        self.asked: list[int] = []

    async def work(self) -> None:
        """Be at work until let go."""
        self.begun += 1
        await self.turnstile.acquire()

    def let_go(self, many: int) -> None:
        """Let so many of them end."""
        for _ in range(many):
            self.turnstile.release()

    async def has_begun(self, many: int) -> None:
        """Wait until so many have begun."""

        async def look() -> bool:
            return self.begun >= many

        await eventually(look)


@pytest.fixture
async def handlers(app: App, monkeypatch: pytest.MonkeyPatch) -> Handlers:
    handlers = Handlers()
    backend = await app.backend()
    claim = backend.claim_pending_jobs

    async def note(limit: int, **wishes: Any) -> Any:
        handlers.asked.append(limit)
        return await claim(limit, **wishes)

    monkeypatch.setattr(backend, "claim_pending_jobs", note)
    app.task("WORK")(handlers.work)
    await app.enqueue_many("WORK", [{}] * 3 * SLOTS)
    return handlers


async def test_behind_a_full_claim_the_next_waits_until_half_of_the_slots_are_free(
    app: App, handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "PATIENCE_PART", 1e9)
    monkeypatch.setattr(claiming, "LONGEST_PATIENCE", 10.0)
    async with at_work(app, concurrency=SLOTS):
        await handlers.has_begun(SLOTS)
        handlers.let_go(1)
        await asyncio.sleep(0.05)  # what is shown is that nothing happens
        assert handlers.asked == [SLOTS]
        handlers.let_go(1)
        await handlers.has_begun(SLOTS + 2)
        assert handlers.asked == [SLOTS, 2]
        handlers.let_go(3 * SLOTS)


async def test_a_single_free_slot_is_filled_all_the_same(app: App, handlers: Handlers) -> None:
    async with at_work(app, concurrency=SLOTS):
        await handlers.has_begun(SLOTS)
        handlers.let_go(1)
        await handlers.has_begun(SLOTS + 1)
        assert handlers.asked == [SLOTS, 1]
        handlers.let_go(3 * SLOTS)
