"""No interleaving of workers breaks a limit: several processes at random, killed in the middle, and their records."""

import asyncio
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

import dibs
from dibs.testing import StoreHarness
from dibs.testing.stores.memory import MemoryStore
from tests.backends.interleavings.records import (
    Charged,
    Granted,
    Hold,
    Record,
    find_disregard,
    find_haste,
    most_at_once,
    read_records,
)
from tests.backends.interleavings.worker import Diary, RandomWorker

SECONDS = 4.0
ACT = {"actor": "op", "reason": "test"}
KEYS = {"one": 1, "pair:a": 2, "pair:b": 2}
CAPS = {"small": 2}
BUDGET = 400
SOURCE = dibs.SourceRule(
    name="shy", rate_limit_per_minute=3000, burst=2, failure_limit=3, pause=timedelta(milliseconds=250)
)


async def prepare(backend: dibs.Backend) -> None:
    """Set limits of each kind, and store jobs that meet them."""
    await backend.admission.set_rule(dibs.KeyRule(name="pair:", max_running=2), **ACT)
    await backend.admission.set_rule(dibs.TenantRule(name="small", max_running=2), **ACT)
    await backend.admission.set_rule(dibs.TenantRule(name="poor", daily_budget_microcents=BUDGET), **ACT)
    await backend.admission.set_rule(dibs.QueueRule(name="shared", fair=True), **ACT)
    await backend.sources.declare(SOURCE, **ACT)
    await backend.store_jobs([make_job(number) for number in range(3_000)])


def make_job(number: int) -> dibs.Job:
    chance = random.Random(number)
    tenant = chance.choice(["small", "poor", "rich"])
    return dibs.Job(
        id=f"job-{number}",
        job_type="test",
        tenant=tenant,
        queue=chance.choice(["default", "shared"]),
        concurrency_key=chance.choice([None, None, *KEYS]),
        source=chance.choice([None, "shy"]),
        max_cost_microcents=chance.choice([0, 3, 9]) if tenant == "poor" else 0,
        max_retries=1_000,
    )


def check(records: list[Record]) -> None:
    """Look for limits that were surely broken."""
    holds = [one for one in records if isinstance(one, Hold)]
    for tenant in ("small", "poor", "rich"):
        for key, limit in KEYS.items():
            same = [hold for hold in holds if (hold.tenant, hold.key) == (tenant, key)]
            assert most_at_once(same, records) <= limit, f"{key} of {tenant}"
    for tenant, cap in CAPS.items():
        assert most_at_once([hold for hold in holds if hold.tenant == tenant], records) <= cap, tenant
    grants = [one for one in records if isinstance(one, Granted)]
    assert find_haste(grants, SOURCE.interval.total_seconds(), SOURCE.burst) is None
    assert find_disregard(records, "shy") is None
    assert sum(one.cost for one in records if isinstance(one, Charged)) <= BUDGET
    # The figures mean nothing if nothing happened.
    assert len(holds) > 100
    assert len(grants) > 5


@pytest.fixture(params=["sqlite", "postgres", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty store."""
    urls = {
        "sqlite": lambda: f"sqlite:///{tmp_path}/jobs.db?synchronous=normal",
        "postgres": lambda: f"{request.getfixturevalue('postgres_url')}?schema=interleavings",
        "redis": lambda: f"{request.getfixturevalue('redis_url')}?namespace=interleavings-{tmp_path.name}",
    }
    url: str = urls[request.param]()
    async with await dibs.open_backend(url) as backend:
        await prepare(backend)
    return url


def start(url: str, folder: Path, name: str) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", "tests.backends.interleavings.worker", url, str(folder), name, name]
    return subprocess.Popen(program)


async def test_no_interleaving_of_processes_that_are_killed_breaks_a_limit(store: str, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    chance, started = random.Random(store), 3
    processes = [start(store, folder, f"p{number}") for number in range(started)]
    until = time.monotonic() + SECONDS + 2.0
    try:
        while time.monotonic() < until:
            await asyncio.sleep(0.3 + chance.random() * 0.5)
            chance.choice(processes).kill()
            gone = [process for process in processes if process.poll() is not None]
            for process in gone:
                processes.remove(process)
                processes.append(start(store, folder, f"p{started}"))
                started += 1
    finally:
        for process in processes:
            process.kill()
            process.wait()
    records = read_records(folder)
    check(records)
    await check_store(store)


async def check_store(url: str) -> None:
    """What the store says of itself must fit, too."""
    async with await dibs.open_backend(url) as backend:
        await backend.store_job(dibs.Job(id="last", job_type="test", tenant="poor"))
        standing = await backend.admission.find_standing("last")
        assert standing is not None
        assert standing.spent_today_microcents + standing.reserved_microcents <= BUDGET


async def test_no_interleaving_of_tasks_in_memory_breaks_a_limit(tmp_path: Path) -> None:
    harness: StoreHarness = MemoryStore()
    backend = await harness.open()
    await prepare(backend)
    diary = Diary(tmp_path / "memory.log")
    workers = [RandomWorker(backend, diary, f"w{number}", random.Random(number)) for number in range(8)]
    until = time.time() + SECONDS
    await asyncio.gather(*(worker.run(until, may_die=False) for worker in workers))
    check(read_records(tmp_path))
