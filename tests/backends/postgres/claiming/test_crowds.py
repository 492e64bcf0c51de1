"""Many at once: claimers in several processes, and everybody at the same rows."""

import asyncio
import multiprocessing
import random
from collections import Counter
from datetime import timedelta
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from unittest.mock import patch

import pytest

import dibs
from dibs.testing.stores.postgres import PostgresStore

JOBS, PROCESSES, CLAIMERS = 10_000, 4, 5


def claim_everything(url: str, start: Barrier, answers: "Queue[list[str]]") -> None:
    async def claimer(backend: dibs.Backend, claimed: list[str]) -> None:
        while jobs := await backend.claim_pending_jobs(random.randint(1, 20)):
            claimed += [job.id for job in jobs]

    async def run() -> None:
        claimed: list[str] = []
        async with await dibs.open_backend(url) as backend:
            await backend.reader.now()
            start.wait(60)
            await asyncio.gather(*(claimer(backend, claimed) for _ in range(CLAIMERS)))
        answers.put(claimed)

    asyncio.run(run())


@pytest.mark.parametrize("lanes", [1, 6])
async def test_twenty_claimers_in_four_processes_share_ten_thousand_jobs(
    backend: dibs.Backend, postgres_url: str, lanes: int
) -> None:
    jobs = [dibs.Job(id=f"job-{number}", job_type=f"t{number % lanes}") for number in range(JOBS)]
    assert await backend.copy_jobs(jobs) == JOBS
    spawn = multiprocessing.get_context("spawn")
    answers: Queue[list[str]] = spawn.Queue()
    start = spawn.Barrier(PROCESSES)
    processes = [spawn.Process(target=claim_everything, args=(postgres_url, start, answers)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    shares = [await asyncio.to_thread(answers.get, timeout=120) for _ in processes]
    assert all(shares), "every process took part"
    claimed = [job_id for share in shares for job_id in share]
    for process in processes:
        await asyncio.to_thread(process.join, 30)
    assert len(claimed) == JOBS
    assert set(claimed) == {job.id for job in jobs}


async def test_overlapping_batches_of_everything_never_deadlock(backend: dibs.Backend, store: PostgresStore) -> None:
    """Heartbeats, completions, failures, cancels, retries and reaps on the same thirty jobs, in random order."""
    await backend.store_jobs([dibs.Job(id=f"job-{number:02}", job_type="t") for number in range(30)])
    crashed: Counter[str] = Counter()
    chance = random.Random(7)

    async def one() -> None:
        jobs = await backend.claim_pending_jobs(10, lease=timedelta(milliseconds=1))
        ids = [f"job-{number:02}" for number in chance.sample(range(30), 10)]
        found = [job for job in await backend.reader.find_jobs(ids) if job is not None]
        leases = [job.lease for job in found]
        chance.shuffle(jobs)
        error = dibs.ErrorInfo(type="Boom")
        await asyncio.gather(
            backend.heartbeat_jobs(leases, duration=timedelta(milliseconds=1)),
            backend.complete_jobs([backend.completion(job.lease) for job in jobs[:5]]),
            backend.fail_jobs([dibs.Failure(lease=job.lease, error=error) for job in jobs[5:]]),
            backend.cancel_jobs(ids[:4], actor="op", reason="test"),
            backend.retry_jobs(ids, actor="op", reason="test"),
            backend.reap_jobs(),
        )

    async def many() -> None:
        for _ in range(25):
            try:
                await one()
            except dibs.DibsError as error:
                crashed[repr(error)] += 1

    with patch("dibs.backends.postgres.wire.connections._TRIES", 1):
        await asyncio.gather(*(many() for _ in range(5)))
    assert not crashed


async def test_a_unique_key_is_given_once_however_many_ask(backend: dibs.Backend) -> None:
    async def ask(number: int) -> dibs.Job | None:
        keys = random.sample(["a", "b", "c"], 3)
        stored = await backend.store_jobs([dibs.Job(job_type="t", unique_key=key) for key in keys])
        return next((job for job in stored if job is not None and job.unique_key == "a"), None)

    winners = [job for job in await asyncio.gather(*(ask(number) for number in range(30))) if job is not None]
    assert len(winners) == 1
    assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.PENDING] == 3


@pytest.mark.parametrize("key", [None, "k"])
async def test_an_id_is_given_once_however_many_ask(backend: dibs.Backend, key: str | None) -> None:
    async def ask(number: int) -> bool:
        job = dibs.Job(id="same", job_type="t", unique_key=key and f"{key}{number}")
        try:
            return bool(await backend.store_jobs([dibs.Job(job_type="t", id=f"other-{number}"), job]))
        except dibs.DuplicateJob:
            return False

    assert sum(await asyncio.gather(*(ask(number) for number in range(30)))) == 1
    assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.PENDING] == 2


async def test_an_id_is_never_in_both_tables(backend: dibs.Backend) -> None:
    """A job finishes at the very moment when somebody stores one with its id."""
    for number in range(30):
        job = dibs.Job(id=f"job-{number}", job_type="t", unique_key="k" if number % 2 else None)
        await backend.store_job(job)
        claimed = await backend.claim_pending_job()
        assert claimed is not None
        _, refused = await asyncio.gather(
            backend.complete_job(claimed.lease), backend.store_job(job), return_exceptions=True
        )
        # Under a unique key the job that is there may hold it: then nothing is stored either.
        assert refused is None or isinstance(refused, dibs.DuplicateJob)
    counts = await backend.reader.count_jobs(dibs.JobFilter())
    assert (counts[dibs.State.PENDING], counts[dibs.State.SUCCEEDED]) == (0, 30)


async def test_claimers_share_jobs_that_come_due_at_the_same_moment(
    backend: dibs.Backend, store: PostgresStore
) -> None:
    await backend.store_jobs([dibs.Job(job_type="t") for _ in range(8)], delay=timedelta(minutes=1))
    await store.advance(timedelta(minutes=2))
    claimed = await asyncio.gather(*(backend.claim_pending_job() for _ in range(8)))
    assert len({job.id for job in claimed if job is not None}) == 8


async def test_a_claim_in_one_lane_is_not_empty_while_another_lane_is_locked(
    backend: dibs.Backend, sql: object, store: PostgresStore
) -> None:
    await backend.store_jobs([dibs.Job(id="a", job_type="a", priority=9), dibs.Job(id="b", job_type="b")])
    async with store.transaction() as other:
        await other.execute("SELECT * FROM dibs.jobs WHERE id = 'a' FOR UPDATE")
        job = await backend.claim_pending_job(job_types=["a", "b"])
        assert job is not None
        assert job.id == "b"
