"""What a restart leaves of acknowledged jobs, under each setting of the server."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import dibs
from dibs.engine.admission.rules import TenantRule
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter
from dibs.testing.servers import ValkeyServer
from dibs.testing.servers.process import wait_until

DONE = JobFilter(states=frozenset({State.SUCCEEDED}))


async def fill(backend):
    """Jobs in every stage, each acknowledged."""
    await backend.store_jobs([dibs.Job(id=f"job-{n}", job_type="test") for n in range(30)])
    claimed = await backend.claim_pending_jobs(20)
    await backend.complete_jobs([backend.completion(job.lease) for job in claimed[:10]])
    return claimed[10:]


async def assert_nothing_lost(backend, held):
    counts = await backend.reader.count_jobs(JobFilter())
    assert (counts[State.PENDING], counts[State.RUNNING], counts[State.SUCCEEDED]) == (10, 10, 10)
    # Leases and tokens survive as well: the holders go on, and later claims get higher tokens.
    assert all(await backend.complete_jobs([backend.completion(job.lease) for job in held]))
    fresh = await backend.claim_pending_jobs(10)
    assert min(job.lease_token for job in fresh) > max(job.lease_token for job in held)


@pytest.mark.parametrize("persistence", ["everysec", "always"])
async def test_with_an_append_only_file_a_killed_server_loses_nothing(persistence):
    with ValkeyServer(persistence=persistence) as server:
        async with await dibs.open_backend(server.url) as backend:
            assert backend.capabilities.durable
            held = await fill(backend)
            server.kill()
            server.start()
            await assert_nothing_lost(backend, held)


async def test_a_server_killed_in_the_middle_of_governed_claims_has_counted_right():
    with ValkeyServer(persistence="everysec") as server:
        async with await dibs.open_backend(server.url) as backend:
            rule = TenantRule(name="default", max_running=4, daily_budget_microcents=1_000)
            await backend.admission.set_rule(rule, actor="op", reason="test")
            jobs = [dibs.Job(job_type="test", concurrency_key=f"k{n % 7}", max_cost_microcents=5) for n in range(2000)]
            await backend.store_jobs(jobs)
            claimers = [asyncio.create_task(claim_until_broken(backend)) for _ in range(4)]
            while sum((await backend.reader.count_jobs(DONE)).values()) < 100:
                await asyncio.sleep(0)
            server.kill()
            assert all(await asyncio.gather(*claimers)), "each of them was at work"
            server.start()
            assert backend.examiner is not None
            limits = {finding.topic: finding for finding in await backend.examiner.examine()}["limits"]
            assert limits.severity.value == "ok", limits
            running = (await backend.reader.count_jobs(JobFilter()))[State.RUNNING]
            assert len(await backend.claim_pending_jobs(10)) == 4 - running


async def claim_until_broken(backend) -> int:
    """Claim and complete until the store is gone; tells how often."""
    count = 0
    try:
        while True:
            for job in await backend.claim_pending_jobs(2):
                await backend.complete_job(job.lease)
                count += 1
    except dibs.StoreUnavailable:
        return count


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize(("persistence", "is_synced"), [("always", True), ("everysec", False)])
async def test_a_job_is_on_the_disk_when_it_is_acknowledged_only_with_always(persistence, is_synced, tmp_path):
    """What a power cut would take cannot be seen by killing a server: the system keeps what it wrote, synced or not."""
    with ValkeyServer(persistence=persistence) as server:
        async with await dibs.open_backend(server.url) as backend:
            with watch_syncs(server.pid, tmp_path / "syncs") as count_syncs:
                for _ in range(20):
                    await backend.store_job(dibs.Job(job_type="test"))
                assert (count_syncs() >= 20) is is_synced


@contextmanager
def watch_syncs(pid: int, log: Path) -> Iterator[Callable[[], int]]:
    """Write down every sync to disk of a process."""
    command = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(log), "-p", str(pid)]
    watcher = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert watcher.stderr is not None
    if b"attached" not in watcher.stderr.readline():
        watcher.wait()
        watcher.stderr.close()
        pytest.skip("this system does not let a process be watched")
    try:
        yield lambda: log.read_text().count("sync(")
    finally:
        watcher.terminate()
        watcher.communicate()


async def test_without_persistence_a_killed_server_loses_everything_and_says_so_beforehand():
    with ValkeyServer(persistence="none") as server:
        async with await dibs.open_backend(server.url) as backend:
            assert not backend.capabilities.durable
            await fill(backend)
            server.kill()
            server.start()
            assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 0


async def test_with_snapshots_only_what_came_after_the_last_one_is_lost():
    # The server takes a snapshot by itself, a second after so many changes.
    with ValkeyServer(persistence="none", settings={"save": "1 10"}) as server:
        async with await dibs.open_backend(server.url) as backend:
            assert not backend.capabilities.durable
            await backend.store_jobs([dibs.Job(id=f"before-{n}", job_type="test") for n in range(10)])
            wait_until(lambda: has_snapshot(server), "a snapshot was taken")
            server.ask("CONFIG", "SET", "save", "3600 1")
            await backend.store_job(dibs.Job(id="after", job_type="test"))
            server.kill()
            server.start()
            assert await backend.find_job("before-9") is not None
            assert await backend.find_job("after") is None


def has_snapshot(server: ValkeyServer) -> bool:
    facts = server.ask("INFO", "persistence")
    return "rdb_changes_since_last_save:0\r" in facts and "rdb_bgsave_in_progress:0\r" in facts


async def test_after_everything_was_lost_an_old_holder_is_still_refused_by_the_missing_job():
    with ValkeyServer(persistence="none") as server:
        async with await dibs.open_backend(server.url) as backend:
            held = await fill(backend)
            server.kill()
            server.start()
            moved = await backend.complete_jobs([backend.completion(job.lease) for job in held])
            assert moved == [False] * len(held)
