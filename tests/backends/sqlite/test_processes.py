"""Many processes on one file."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import chain

import pytest

from dibs.backends.sqlite.threads.readers import Readers
from dibs.backends.sqlite.threads.watcher import Watcher
from dibs.backends.sqlite.threads.writer import Writer
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
from dibs.testing.stores.sqlite import SqliteStore
from tests.backends.sqlite.conftest import Start

SOON = timedelta(seconds=60)


async def finish(process: asyncio.subprocess.Process, word: bytes | None = None) -> list[str]:
    out, err = await process.communicate(word)
    assert process.returncode == 0, err.decode()
    return out.decode().split()


async def test_eight_processes_store_and_work_without_losing_or_doubling_a_job(backend: Backend, start: Start) -> None:
    processes = [await start("store_and_work", f"p{n}", 500) for n in range(8)]
    done = Counter(chain.from_iterable(await asyncio.gather(*map(finish, processes))))
    # A process may leave while another is still storing, so that a rest remains for us.
    while rest := await backend.claim_pending_jobs(500):
        await backend.complete_jobs([backend.completion(job.lease) for job in rest])
        done.update(job.id for job in rest)
    assert done == Counter(f"p{p}-{n}" for p in range(8) for n in range(500))
    assert (await backend.reader.count_jobs(JobFilter()))[State.SUCCEEDED] == 4000


async def test_twenty_claimers_in_four_processes_share_ten_thousand_jobs(backend: Backend, start: Start) -> None:
    await backend.copy_jobs([Job(id=f"job-{n}", job_type="test") for n in range(10_000)])
    processes = [await start("work", f"p{n}", 5) for n in range(4)]
    assert [await process.stdout.readline() for process in processes if process.stdout] == [b"ready\n"] * 4
    shares = await asyncio.gather(*(finish(process, b"go\n") for process in processes))
    assert all(shares), "every process took part"
    done = Counter(chain.from_iterable(shares))
    assert done == Counter(f"job-{n}" for n in range(10_000))


async def test_a_lock_held_by_another_process_is_waited_for(backend: Backend, start: Start) -> None:
    holder = await start("hold_lock", 0.5)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"locked\n"
    stored = asyncio.create_task(backend.store_job(Job(id="job", job_type="test")))
    assert await backend.find_job("job") is None, "reading waits for nobody"
    assert (await stored) is not None
    assert await backend.find_job("job") is not None


async def test_a_killed_process_leaves_a_sound_file_and_jobs_to_reclaim(backend: Backend, start: Start) -> None:
    await backend.store_jobs([Job(id=f"job-{n}", job_type="test") for n in range(100)])
    doomed = await start("claim_and_hang")
    assert doomed.stdout is not None
    assert await doomed.stdout.readline() == b"100\n"
    async with backend.notices.subscribe(["noise"]) as noise_comes:
        assert await noise_comes.wait(timedelta(seconds=20))
    doomed.send_signal(signal.SIGKILL)
    await doomed.wait()
    reclaimed = await backend.reap_jobs()
    assert {one.worker for one in reclaimed} == {"doomed"}
    assert len(await backend.claim_pending_jobs(200, queues=["default"])) == 100
    noise = (await backend.reader.count_jobs(JobFilter(queue="noise")))[State.PENDING]
    assert noise % 50 == 0, "a batch is stored whole or not at all"
    entries = await backend.reader.list_audit(AuditFilter(action="JOB_RECLAIMED"), PageRequest(limit=1000))
    assert len(entries.items) == 100


async def test_a_notice_crosses_processes(backend: Backend, start: Start) -> None:
    listener = await start("listen")
    assert listener.stdout is not None
    assert await listener.stdout.readline() == b"listening\n"
    await backend.store_job(Job(job_type="test", queue="q"))
    assert await listener.stdout.readline() == b"True\n"
    assert await listener.wait() == 0


async def test_a_queue_that_was_forgotten_with_its_jobs_is_heard_of_again(store: SqliteStore, backend: Backend) -> None:
    act = {"actor": "op", "reason": "a test"}
    other = await store.open()
    async with backend.notices.subscribe(["q"]) as here, other.notices.subscribe(["q"]) as there:
        for name in ("one", "two", "three"):
            await backend.store_job(Job(id=name, job_type="test", queue="q"))
            assert [await here.wait(SOON), await there.wait(SOON)] == [True, True]
        await backend.cancel_jobs(["one", "two", "three"], **act)
        assert await backend.erase_jobs(["one", "two", "three"], **act) == [True, True, True]
        await backend.store_job(Job(job_type="test", queue="q"))
        assert [await here.wait(SOON), await there.wait(SOON)] == [True, True]
    await other.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_handle_inherited_through_fork_works_in_the_child(store: SqliteStore, backend: Backend) -> None:
    await backend.store_job(Job(id="before", job_type="test"))
    child = os.fork()
    if child == 0:
        os._exit(await_in_child(backend))
    assert await asyncio.to_thread(os.waitpid, child, 0) == (child, 0)
    assert await backend.find_job("from-child") is not None
    assert (await backend.store_job(Job(id="after", job_type="test"))) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_child_that_closes_an_inherited_handle_leaves_the_parents_alone(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    await backend.store_job(Job(id="before", job_type="test"))
    await backend.find_job("before")
    child = os.fork()
    if child == 0:
        # Nothing that the parent opened may be touched, not even to let it go.
        for part in (Writer, Readers, Watcher):
            monkeypatch.setattr(part, "stop", _never)
        os._exit(run_in_child(backend.close))
    assert await asyncio.to_thread(os.waitpid, child, 0) == (child, 0)
    assert await backend.find_job("before") is not None
    assert (await backend.store_job(Job(id="after", job_type="test"))) is not None


async def _never(_: object) -> None:
    os._exit(7)


def await_in_child(backend: Backend) -> int:
    async def use() -> None:
        assert await backend.find_job("before") is not None
        await backend.store_job(Job(id="from-child", job_type="test"))

    return run_in_child(use)


def run_in_child(act: Callable[[], Awaitable[None]]) -> int:
    asyncio.events._set_running_loop(None)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.wait_for(act(), 60))
    return 0
