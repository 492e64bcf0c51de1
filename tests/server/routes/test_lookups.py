"""Many who read single jobs share their reads."""

import asyncio
from types import SimpleNamespace

import pytest

from dibs.engine.job import Job
from dibs.errors import StoreUnavailable
from dibs.server.lookups import Lookups


class Reader:
    """Counts reads, and lets each begin only when told."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def find_jobs(self, ids):
        self.reads.append(list(ids))
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return [Job(id=one, job_type="PING") if one != "none" else None for one in ids]

    async def open(self):
        return SimpleNamespace(reader=self)


async def begin(lookups: Lookups, *ids: str) -> list[asyncio.Task]:
    tasks = [asyncio.create_task(lookups.find(one)) for one in ids]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


async def test_who_asks_at_once_shares_a_read_and_who_asks_later_gets_a_later_one():
    reader = Reader()
    lookups = Lookups(reader.open)
    first = await begin(lookups, "a", "b", "a", "none")
    later = await begin(lookups, "a")
    reader.go.set()
    found = await asyncio.gather(*first, *later)
    assert [job and job.id for job in found] == ["a", "b", "a", None, "a"]
    assert reader.reads == [["a", "b", "none"], ["a"]]


async def test_one_who_leaves_takes_the_answer_from_nobody():
    reader = Reader()
    left, stayed = await begin(Lookups(reader.open), "a", "a")
    left.cancel()
    reader.go.set()
    assert (await stayed).id == "a"


async def test_a_fault_of_the_store_reaches_all_who_asked_and_nobody_else():
    reader = Reader()
    reader.error = StoreUnavailable("gone")
    lookups = Lookups(reader.open)
    asking = await begin(lookups, "a", "b")
    reader.go.set()
    for one in asking:
        with pytest.raises(StoreUnavailable):
            await one
    reader.error = None
    assert (await lookups.find("a")) is not None
