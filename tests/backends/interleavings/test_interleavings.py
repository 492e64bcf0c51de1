"""No interleaving of workers breaks a limit: several processes at random, killed in the middle, and their records."""

import asyncio
import random
import subprocess
import sys
import time
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

import dibs
from dibs.testing.stores.memory import MemoryStore
from tests.backends.interleavings.operators import JOBS, LOOSE, LOUD, RICH, SHARED, is_recorded, loud_source
from tests.backends.interleavings.records import (
    Broke,
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
# On a busy machine little happens in that time.
MOST_ROUNDS = 10
PATIENCE = 120.0
KILLS = 6
ACT = {"actor": "op", "reason": "test"}
TENANTS = ["small", "poor", RICH]
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
    await backend.admission.set_rule(dibs.QueueRule(name=SHARED, fair=True), **ACT)
    await backend.sources.declare(SOURCE, **ACT)
    await backend.sources.declare(loud_source(), **ACT)
    await backend.store_jobs([make_job(number) for number in range(JOBS)])


def make_job(number: int) -> dibs.Job:
    chance = random.Random(number)
    tenant = chance.choice(TENANTS) if is_recorded(number) else RICH
    return dibs.Job(
        id=f"job-{number}",
        job_type="test",
        tenant=tenant,
        queue=chance.choice(["default", SHARED]),
        concurrency_key=chance.choice([None, None, *KEYS] if is_recorded(number) else [None, LOOSE]),
        source=chance.choice([None, "shy"] if is_recorded(number) else [None, LOUD]),
        max_cost_microcents=chance.choice([0, 3, 9]) if tenant == "poor" else 0,
        max_retries=1_000,
    )


def check(records: list[Record]) -> None:
    """Look for limits that were surely broken."""
    holds = [one for one in records if isinstance(one, Hold)]
    for tenant in TENANTS:
        for key, limit in KEYS.items():
            same = [hold for hold in holds if (hold.tenant, hold.key) == (tenant, key)]
            assert most_at_once(same, records) <= limit, f"{key} of {tenant}"
    for tenant, cap in CAPS.items():
        assert most_at_once([hold for hold in holds if hold.tenant == tenant], records) <= cap, tenant
    grants = [one for one in records if isinstance(one, Granted) and one.source == "shy"]
    assert find_haste(grants, SOURCE.interval.total_seconds(), SOURCE.burst) is None
    assert find_disregard(records, "shy") is None
    assert sum(one.cost for one in records if isinstance(one, Charged)) <= BUDGET
    assert has_seen_enough(records)


def has_seen_enough(records: list[Record]) -> bool:
    """The checks mean nothing if nothing happened."""
    kinds = [type(one) for one in records]
    return kinds.count(Hold) > 200 and kinds.count(Granted) > 10 and kinds.count(Broke) > 0


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


class Crew:
    """Three processes; one that dies is replaced by another."""

    def __init__(self, url: str, folder: Path) -> None:
        self.chance = random.Random(url)
        self.killed = 0
        self._url, self._folder, self._names = url, folder, count()
        self._processes = [self._start() for _ in range(3)]

    def _start(self) -> subprocess.Popen[bytes]:
        name = f"p{next(self._names)}"
        program = [
            sys.executable,
            "-m",
            "tests.backends.interleavings.worker",
            self._url,
            str(self._folder),
            name,
            name,
        ]
        return subprocess.Popen(program)

    def kill_one(self) -> None:
        """Kill one in the middle of whatever it does."""
        self.chance.choice(self._processes).kill()
        self.killed += 1
        self._processes = [self._start() if process.poll() is not None else process for process in self._processes]

    def end(self) -> None:
        """Kill them all."""
        for process in self._processes:
            process.kill()
            process.wait()


async def test_no_interleaving_of_processes_that_are_killed_breaks_a_limit(store: str, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    crew = Crew(store, folder)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (crew.killed >= KILLS and has_seen_enough(read_records(folder))):
            assert time.monotonic() < deadline, "the processes came to nothing"
            await asyncio.sleep(0.5 + crew.chance.random())
            crew.kill_one()
    finally:
        crew.end()
    records = read_records(folder)
    check(records)
    async with await dibs.open_backend(store) as backend:
        await check_budget(backend)
        await drain(backend)
        await check_nothing_is_held(backend)


async def check_budget(backend: dibs.Backend) -> None:
    """What the store says of itself must fit, too."""
    await backend.store_job(dibs.Job(id="last", job_type="test", tenant="poor"))
    standing = await backend.admission.find_standing("last")
    assert standing is not None
    assert standing.spent_today_microcents + standing.reserved_microcents <= BUDGET


async def drain(backend: dibs.Backend) -> None:
    """Every job that is left can be claimed and ends: leases lapse, gates and pauses end, keys and slots come back.

    Nobody helps but with money: whatever else was left shut must open by itself, and be known to.
    """
    await backend.admission.set_rule(dibs.TenantRule(name="poor"), **ACT)
    deadline = time.monotonic() + PATIENCE
    while left := await count_unfinished(backend):
        assert time.monotonic() < deadline, f"{left} jobs cannot be claimed"
        await backend.reap_jobs()
        while jobs := await backend.claim_pending_jobs(500):
            await backend.complete_jobs([backend.completion(job.lease) for job in jobs])
        await asyncio.sleep(0.05)


async def count_unfinished(backend: dibs.Backend) -> int:
    counts = await backend.reader.count_jobs(dibs.JobFilter())
    return sum(counts.get(state, 0) for state in (dibs.State.PENDING, dibs.State.RETRYABLE, dibs.State.RUNNING))


async def check_nothing_is_held(backend: dibs.Backend) -> None:
    """When nobody runs, nobody holds a key, a slot, money, a permit or the probe of a source."""
    for tenant in TENANTS:
        await backend.admission.set_rule(dibs.TenantRule(name=tenant, max_running=9), **ACT)
    asked = [(tenant, key, source) for tenant in TENANTS for key in [*KEYS, LOOSE] for source in ("shy", LOUD)]
    for tenant, key, source in asked:
        job_id = f"ask-{tenant}-{key}-{source}"
        job = dibs.Job(id=job_id, job_type="test", tenant=tenant, concurrency_key=key, source=source)
        await backend.store_job(job)
        found = await backend.admission.find_standing(job_id)
        assert found is not None
        held = (found.key_running, found.tenant_running, found.reserved_microcents, found.reserved_permits)
        assert (*held, found.is_probing) == (0, 0, 0, 0, False), job_id


async def play_in_memory(folder: Path, rounds: int = 1) -> list[Record]:
    backend = await MemoryStore().open()
    await prepare(backend)
    diary = Diary(folder / "memory.log")
    workers = [RandomWorker(backend, diary, f"w{number}", random.Random(number)) for number in range(8)]
    for _ in range(rounds):
        until = time.time() + SECONDS
        await asyncio.gather(*(worker.run(until, may_die=False) for worker in workers))
        if has_seen_enough(read_records(folder)):
            break
    return read_records(folder)


async def test_no_interleaving_of_tasks_in_memory_breaks_a_limit(tmp_path: Path) -> None:
    check(await play_in_memory(tmp_path, MOST_ROUNDS))


async def test_limits_that_nobody_asks_for_are_seen_to_be_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.backends.memory.world.World.may_run", lambda *_: True)
    records = await play_in_memory(tmp_path)
    with pytest.raises(AssertionError, match=r" of |small|permits|paused"):
        check(records)
