"""How often those who listen are told."""

import pytest

import dibs
from dibs.backends.memory.notices import MemorySubscription
from dibs.testing.stores.memory import MemoryStore


async def test_listeners_are_told_once_of_jobs_that_are_stored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr(MemorySubscription, "offer", lambda _, queues: told.append(sorted(queues)))
    backend = await MemoryStore().open()
    async with backend.notices.subscribe():
        await backend.store_jobs([dibs.Job(job_type="test", queue=queue) for queue in ("mail", "other") * 50])
    assert told == [["mail", "other"]]
