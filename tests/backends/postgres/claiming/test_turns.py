"""Turns taken many at a time give what the specification in memory gives, whatever comes and goes meanwhile."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

import dibs
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.job import Job
from dibs.testing.machine.pair import MODEL, REAL, Hold, Operation, Pair
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.postgres import PostgresStore

ACT = {"actor": "op", "reason": "turns"}
LONG = timedelta(hours=10)
WEIGHTS = (1, 1, 1, 2, 3, 7, 10, 1000)


class History:
    """One fair queue, many lanes; what is claimed must be the same jobs in the same order."""

    def __init__(self, pair: Pair, seed: int, tenants: int) -> None:
        self.pair = pair
        self.chance = random.Random(seed)
        self.tenants = tenants
        self.number = 0
        self.waiting: dict[str, tuple[str, int]] = {}
        self.held: list[Hold] = []
        self.told: list[object] = []

    async def run(self, steps: int) -> None:
        await self.both(lambda backend, _: backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT))
        await self.store()
        for _ in range(steps):
            moves = (self.store, self.cancel, self.cancel, self.claim, self.claim, self.claim, self.end, self.limit)
            await self.chance.choice(moves)()

    async def both(self, operation: Operation) -> list[Any]:
        return [await operation(self.pair.model, MODEL), await operation(self.pair.real, REAL)]

    async def store(self) -> None:
        facts = [self.describe() for _ in range(self.chance.choice((1, 3, 10, 40)))]
        self.told.append(("stored", facts))
        self.waiting |= {one["id"]: (one["tenant"], -one["priority"]) for one in facts}
        await self.both(lambda backend, _: backend.store_jobs([Job(**one) for one in facts]))

    def describe(self) -> dict[str, Any]:
        self.number += 1
        pick = self.chance.choice
        return {
            "id": f"job-{self.number:05}",
            "job_type": pick("ab"),
            # Some have much more than others.
            "tenant": f"t{int(self.chance.random() ** 2 * self.tenants):02}",
            "priority": pick((0, 0, 0, 1, -1, 2)),
            "concurrency_key": pick((None,) * 40 + ("k", "l")),
            "max_cost_microcents": pick(range(5)),
        }

    async def cancel(self) -> None:
        first = sorted(self.waiting, key=lambda one: (self.waiting[one], one))
        begin, count = self.chance.randrange(len(first) + 1), self.chance.choice((1, 3, 10))
        chosen = first[begin : begin + count]
        self.told.append(("cancelled", chosen))
        for one in chosen:
            del self.waiting[one]
        await self.both(lambda backend, _: backend.cancel_jobs(chosen, **ACT))

    async def claim(self) -> None:
        limit, job_types = self.chance.choice((1, 2, 3, 5, 10, 25, 60)), self.chance.choice((None,) * 5 + (["a"],))
        model, real = await self.both(
            lambda backend, _: backend.claim_pending_jobs(limit, lease=LONG, job_types=job_types)
        )
        self.told.append(("claimed", limit, [job.id for job in model]))
        assert [job.id for job in real] == [job.id for job in model], "\n".join(map(str, self.told[-12:]))
        self.held += [(one.lease, other.lease) for one, other in zip(model, real, strict=True)]
        for job in model:
            del self.waiting[job.id]

    async def end(self) -> None:
        self.chance.shuffle(self.held)
        ended, self.held = self.held[:20], self.held[20:]
        self.told.append(("ended", len(ended)))
        await self.both(lambda backend, side: backend.complete_jobs([backend.completion(one[side]) for one in ended]))

    async def limit(self) -> None:
        pick = self.chance.choice
        tenant = f"t{self.chance.randrange(min(self.tenants, 9)):02}"
        # Mostly weights: under anything else that holds back, jobs are given one by one.
        rules: tuple[Rule, ...] = (
            *(TenantRule(name=tenant, weight=weight) for weight in WEIGHTS),
            TenantRule(name=tenant, max_running=pick((0, 1, 4)), weight=pick(WEIGHTS)),
            TenantRule(name=tenant, daily_budget_microcents=pick((0, 4, 20))),
            KeyRule(name="k", max_running=pick((1, 3))),
            *(Gate(scope=GateScope.TENANT, name="t00", mode=mode) for mode in (GateMode.DRAIN, GateMode.OPEN)),
        )
        rule = pick(rules)
        self.told.append(rule)
        await self.both(lambda backend, _: backend.admission.set_rule(rule, **ACT))


async def check_histories(store: PostgresStore, seeds: Iterable[int], steps: int) -> None:
    for seed in seeds:
        pair = Pair(store)
        await pair.begin()
        try:
            await History(pair, seed, tenants=90 if seed % 3 == 2 else 6).run(steps)
        finally:
            await pair.end()


async def test_turns_are_those_of_the_specification(store: PostgresStore) -> None:
    await check_histories(store, (9, 16, 20), 30)


@pytest.mark.system
async def test_many_histories_of_turns_are_those_of_the_specification(store: PostgresStore) -> None:
    await check_histories(store, range(100, 160), 60)


async def claim_surely(backend: dibs.Backend, limit: int) -> list[Job]:
    """Claim again where others were at the door for too long."""
    while not (claimed := await backend.claim_pending_jobs(limit, lease=LONG)):
        await asyncio.sleep(0)
    return claimed


async def test_claimers_at_the_same_time_share_the_turns_exactly(store: PostgresStore, backend: dibs.Backend) -> None:
    model = await MemoryStore().open()
    tenants = {f"t{number}": weight for number, weight in enumerate((1, 2, 3, 7, 10, 1))}
    jobs = [Job(id=f"{n}-{tenant}", job_type="t", tenant=tenant) for n in range(200) for tenant in tenants]
    for one in (model, backend):
        await one.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
        for tenant, weight in tenants.items():
            await one.admission.set_rule(TenantRule(name=tenant, weight=weight), **ACT)
        await one.store_jobs(jobs)
    batches = [1, 2, 3, 5, 8, 13, 21, 25] * 2
    claimers = [await store.open() for _ in range(4)]
    try:
        claims = [claim_surely(claimers[n % 4], limit) for n, limit in enumerate(batches)]
        given = [job for claimed in await asyncio.gather(*claims) for job in claimed]
    finally:
        for claimer in claimers:
            await claimer.close()
    expected = await model.claim_pending_jobs(sum(batches), lease=LONG)
    # However many claimed at once, nobody got a job twice, and together they got the first turns.
    assert Counter(job.id for job in given) == Counter(job.id for job in expected)
