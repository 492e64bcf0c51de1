"""Turns among more tenants than a claim reads at once: every store gives the jobs that the memory backend gives."""

from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio

from dibs.engine.admission.rules import QueueRule, TenantRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.testing import MemoryStore, PostgresStore, RedisStore, SqliteStore, StoreHarness

TENANTS = [f"t{number:02}" for number in range(70)]
TYPES = ("a", "b", "c")
STEPS = 40
ACT = {"actor": "op", "reason": "turns"}


@pytest_asyncio.fixture(params=["sqlite", "postgres", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StoreHarness]:
    store: StoreHarness
    if request.param == "sqlite":
        store = SqliteStore()
    elif request.param == "postgres":
        store = await PostgresStore.start(f"{request.getfixturevalue('postgres_url')}?schema=turns")
    else:
        store = RedisStore(request.getfixturevalue("redis_url"))
    await store.reset()
    yield store
    await store.close()


class Twins:
    """A store and the model, which are told the same."""

    def __init__(self, seed: int, *backends: Backend) -> None:
        self.chance = Random(seed)
        self.backends = backends
        self.stored = 0
        self.running: list[list[Job]] = [[] for _ in backends]

    async def rule(self) -> None:
        """Set a weight or a cap, or take the cap away."""
        cap = self.chance.choice([None, None, 1, 3])
        rule = TenantRule(name=self.chance.choice(TENANTS), weight=self.chance.choice([1, 2, 5]), max_running=cap)
        for backend in self.backends:
            await backend.admission.set_rule(rule, **ACT)

    async def store(self) -> None:
        """Store jobs of some tenants, each of some urgency, now and then many of one."""
        meant = self.chance.choices(TENANTS, k=30)
        meant += [self.chance.choice(TENANTS)] * self.chance.choice([0, 0, 20])
        jobs = [self.make_job(tenant) for tenant in meant]
        for backend in self.backends:
            await backend.store_jobs(jobs)

    def make_job(self, tenant: str) -> Job:
        self.stored += 1
        priority, job_type = self.chance.choice([0, 0, 1]), self.chance.choice(TYPES)
        return Job(id=f"job-{self.stored:05}", queue="fair", tenant=tenant, priority=priority, job_type=job_type)

    async def claim(self) -> None:
        """Claim some types: the same jobs are given, in the same order."""
        types = self.chance.choice([None, None, ["a"], ["b", "c"]])
        tenant = self.chance.choice([None, None, None, None, None, TENANTS[0]])
        limit = self.chance.choice([1, 3, 10, 40])
        given = [
            await backend.claim_pending_jobs(limit, queues=["fair"], job_types=types, tenant=tenant)
            for backend in self.backends
        ]
        for mine, new in zip(self.running, given, strict=True):
            mine.extend(new)
        ids = [[job.id for job in some] for some in given]
        assert ids[0] == ids[1], (types, tenant, limit)

    async def complete(self) -> None:
        """Let half of what runs end."""
        ends = [self.chance.random() < 0.5 for _ in self.running[0]]
        for number, backend in enumerate(self.backends):
            done = [job for job, is_over in zip(self.running[number], ends, strict=True) if is_over]
            self.running[number] = [job for job, is_over in zip(self.running[number], ends, strict=True) if not is_over]
            await backend.complete_jobs([backend.completion(job.lease) for job in done])


@pytest.mark.parametrize("seed", [1, 2])
async def test_turns_among_many_tenants_are_those_of_the_model(store: StoreHarness, seed: int) -> None:
    model = MemoryStore()
    async with await store.open() as backend, await model.open() as other:
        twins = Twins(seed, backend, other)
        for one in twins.backends:
            await one.admission.set_rule(QueueRule(name="fair", fair=True), **ACT)
        for _ in range(STEPS):
            move = twins.chance.choices([twins.rule, twins.store, twins.claim, twins.complete], [1, 2, 6, 2])[0]
            await move()
        left = [await one.claim_pending_jobs(10_000, queues=["fair"]) for one in twins.backends]
        assert [job.id for job in left[0]] == [job.id for job in left[1]]
    await model.close()
