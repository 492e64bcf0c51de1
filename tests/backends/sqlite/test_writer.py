"""One writer a process: many small writes share a commit, and none spoils another."""

import asyncio
import sqlite3
import threading

import pytest

from dibs.backends.sqlite.threads import writer
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter
from dibs.errors import DuplicateJob, StoreError
from dibs.testing.stores.sqlite import SqliteStore


async def test_writes_that_wait_share_one_commit(store: SqliteStore, backend: Backend) -> None:
    connection = sqlite3.connect(store.path, isolation_level=None)
    version = connection.execute("PRAGMA data_version").fetchone()[0]
    connection.execute("BEGIN IMMEDIATE")
    first = asyncio.create_task(backend.store_job(Job(job_type="test")))
    await asyncio.sleep(0.05)
    rest = [asyncio.create_task(backend.store_job(Job(job_type="test"))) for _ in range(50)]
    await asyncio.sleep(0)
    connection.execute("ROLLBACK")
    await asyncio.gather(first, *rest)
    commits = 0
    while version != (found := connection.execute("PRAGMA data_version").fetchone()[0]):
        version, commits = found, commits + 1
    assert commits <= 2
    assert (await backend.reader.count_jobs(JobFilter()))[State.PENDING] == 51
    connection.close()


async def test_a_refused_write_undoes_only_itself(backend: Backend) -> None:
    await backend.store_job(Job(id="taken", job_type="test"))
    writes = [backend.store_jobs([Job(id=f"new-{n}", job_type="test")]) for n in range(10)]
    bad = backend.store_jobs([Job(id="half", job_type="test"), Job(id="taken", job_type="test")])
    *stored, refused = await asyncio.gather(*writes, bad, return_exceptions=True)
    assert isinstance(refused, DuplicateJob)
    assert "'taken'" in str(refused)
    assert not any(isinstance(one, BaseException) for one in stored)
    assert await backend.find_job("half") is None
    assert (await backend.reader.count_jobs(JobFilter()))[State.PENDING] == 11


async def test_a_broken_group_is_run_again_one_by_one(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    run_group = writer.Writer._commit_together
    broken = []

    def break_groups(self, calls):
        if len(calls) > 1:
            broken.append(len(calls))
            raise writer.TransactionBroken
        run_group(self, calls)

    monkeypatch.setattr(writer.Writer, "_commit_together", break_groups)
    await asyncio.gather(*(backend.store_job(Job(job_type="test")) for _ in range(20)))
    assert broken
    assert (await backend.reader.count_jobs(JobFilter()))[State.PENDING] == 20


def test_one_handle_serves_event_loops_one_after_another(store: SqliteStore) -> None:
    backend = asyncio.run(store.open())
    for n in range(3):
        asyncio.run(backend.store_job(Job(id=f"job-{n}", job_type="test")))
    assert len(asyncio.run(backend.claim_pending_jobs(10))) == 3
    asyncio.run(backend.close())


def test_one_handle_serves_event_loops_in_several_threads(store: SqliteStore) -> None:
    backend = asyncio.run(store.open())

    async def store_some(name: str) -> None:
        await asyncio.gather(*(backend.store_job(Job(id=f"{name}-{n}", job_type="test")) for n in range(20)))

    threads = [threading.Thread(target=lambda name=f"t{n}": asyncio.run(store_some(name))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asyncio.run(backend.claim_pending_jobs(100))) == 80
    asyncio.run(backend.close())


async def test_a_cancelled_caller_does_not_stop_the_others(backend: Backend) -> None:
    tasks = [asyncio.create_task(backend.store_job(Job(id=f"job-{n}", job_type="test"))) for n in range(10)]
    await asyncio.sleep(0)
    tasks[3].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert sum(isinstance(one, Job) for one in results) == 9


async def test_a_closed_handle_says_so_and_leaves_others_alone(store: SqliteStore, backend: Backend) -> None:
    other = await store.open()
    await other.close()
    await other.close()
    await backend.store_job(Job(job_type="test"))
    await backend.close()
    with pytest.raises(StoreError, match="closed"):
        await backend.store_job(Job(job_type="test"))
