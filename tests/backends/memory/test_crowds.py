"""Many at once on one memory: claimers in several threads, each with an event loop of its own."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Barrier

import dibs
from dibs.testing.stores.memory import MemoryStore

JOBS, THREADS, CLAIMERS = 10_000, 4, 5


async def claim_all(backend: dibs.Backend, worker: str) -> list[str]:
    claimed = []
    while jobs := await backend.claim_pending_jobs(7, worker=worker):
        assert {job.locked_by for job in jobs} == {worker}
        claimed += [job.id for job in jobs]
        # Nothing in memory ever waits by itself: give the other claimers their turn.
        await asyncio.sleep(0)
        assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
    return claimed


async def test_twenty_claimers_in_four_threads_share_ten_thousand_jobs() -> None:
    store = MemoryStore()
    backend = await store.open()
    await backend.copy_jobs([dibs.Job(id=f"job-{number}", job_type="test") for number in range(JOBS)])
    start = Barrier(THREADS)

    async def claim_together(name: str) -> list[list[str]]:
        handle = await store.open()
        start.wait(30)
        return await asyncio.gather(*(claim_all(handle, f"{name}/{number}") for number in range(CLAIMERS)))

    with ThreadPoolExecutor(THREADS) as threads:
        shares = list(threads.map(lambda name: asyncio.run(claim_together(name)), [f"t{n}" for n in range(THREADS)]))
    assert all(all(share) for share in shares), "every claimer took part"
    claimed = Counter(chain.from_iterable(chain.from_iterable(shares)))
    assert claimed == Counter(f"job-{number}" for number in range(JOBS))
    assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.SUCCEEDED] == JOBS
