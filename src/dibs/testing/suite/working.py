"""Worker cards: who is at work, what they take and hold."""

from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, SECOND, Ground


def card(name: str, **facts: object) -> WorkerCard:
    """Make a card."""
    given = {"host": "here", "pid": 7, "state": "working", "job_types": ("mail", "crawl"), "queues": ("fast",)}
    return WorkerCard(**{"worker_id": name, "slots": 10, "held": 2, "holding": ("a", "b"), **given, **facts})  # type: ignore[arg-type]


class Working(Ground):
    """Announce, withdraw, list."""

    async def test_a_card_reads_back_as_it_was_shown_and_dated_by_the_store(self, backend: Backend) -> None:
        before = await backend.reader.now()
        await backend.workers.announce(card("ann", tenant="acme"), MINUTE)
        [found] = await backend.workers.list_workers()
        assert (found.worker_id, found.job_types, found.queues, found.tenant) == (
            "ann",
            ("mail", "crawl"),
            ("fast",),
            "acme",
        )
        assert (found.host, found.pid, found.slots, found.held, found.holding) == ("here", 7, 10, 2, ("a", "b"))
        assert found.started_at is not None
        assert found.seen_at == found.started_at
        assert found.started_at >= before - SECOND

    async def test_renewing_keeps_the_beginning_and_moves_the_rest(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await backend.workers.announce(card("ann"), MINUTE)
        await harness.advance(50 * SECOND)
        await backend.workers.announce(card("ann", state="draining", held=0, queues=None), MINUTE)
        await harness.advance(50 * SECOND)
        [found] = await backend.workers.list_workers()
        assert (found.state, found.held, found.queues) == ("draining", 0, None)
        assert found.started_at is not None
        assert found.seen_at is not None
        assert found.seen_at >= found.started_at + 49 * SECOND

    async def test_a_card_that_is_not_renewed_is_not_shown(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.workers.announce(card("ann"), MINUTE)
        await harness.advance(2 * MINUTE)
        assert await backend.workers.list_workers() == []
        await backend.workers.announce(card("ann"), MINUTE)
        [found] = await backend.workers.list_workers()
        assert found.started_at == found.seen_at

    async def test_a_withdrawn_card_is_gone(self, backend: Backend, harness: StoreHarness) -> None:
        for name in ("ben", "ann", "cyd"):
            await backend.workers.announce(card(name), MINUTE)
            await harness.advance(SECOND)
        await backend.workers.withdraw("ann")
        await backend.workers.withdraw("nobody")
        assert [found.worker_id for found in await backend.workers.list_workers()] == ["ben", "cyd"]
