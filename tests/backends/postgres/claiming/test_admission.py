"""Governed claims on PostgreSQL: exact in a crowd, frugal with writes, and never behind a stranger's transaction."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import dibs
from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, TenantRule
from dibs.engine.admission.source import SourceRule
from dibs.engine.store.moves import ClaimRequest, Completion
from dibs.testing.stores.postgres import PostgresStore

ACT = {"actor": "op", "reason": "test"}
FILL = """
INSERT INTO dibs.jobs (id, tenant, queue, job_type, priority, input, max_retries, run_at, created_at, ready, source)
SELECT 'blocked-' || n, 'default', 'default', 't', 9, '{}', 3, now(), now(), true, 'ebay'
FROM generate_series(1, $1::integer) AS n
"""
WRITES = """
SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables
WHERE schemaname = 'dibs' AND relname IN ('jobs', 'lanes', 'barriers')
"""


class Watch:
    """Holds jobs, and remembers the most that were held at once of each kind."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    def take(self, job: dibs.Job) -> None:
        for name in self._names(job):
            self.held[name] += 1
            self.most[name] = max(self.most[name], self.held[name])

    def give_back(self, job: dibs.Job) -> None:
        # Before the write that frees them: what is free in the store is free here.
        self.held.subtract(self._names(job))

    def _names(self, job: dibs.Job) -> list[str]:
        return [f"tenant {job.tenant}", f"key {job.tenant} {job.concurrency_key}", f"source {job.source}"]


async def work(backend: dibs.Backend, watch: Watch, batch: int) -> int:
    """Claim and complete until nothing is left; an answer without jobs may only mean that others hold them."""
    done = 0
    while (await backend.reader.count_jobs(dibs.JobFilter(states=frozenset({dibs.State.PENDING}))))[dibs.State.PENDING]:
        jobs = await backend.claim_pending_jobs(batch)
        for job in jobs:
            watch.take(job)
        await asyncio.sleep(0)
        for job in jobs:
            watch.give_back(job)
            await backend.complete_job(job.lease)
        done += len(jobs)
    return done


async def test_no_crowd_breaks_a_limit(store: PostgresStore, backend: dibs.Backend) -> None:
    await backend.admission.set_rule(TenantRule(name="capped", max_running=3), **ACT)
    await backend.admission.set_rule(KeyRule(name="pair", max_running=2), **ACT)
    await backend.sources.declare(SourceRule(name="slow", rate_limit_per_minute=60_000_000, burst=2), **ACT)
    jobs = [
        dibs.Job(
            job_type="t",
            tenant=("capped", "free")[number % 2],
            concurrency_key=("one", "pair", None)[number % 3],
            source=("slow", None)[number % 4 // 2],
        )
        for number in range(120)
    ]
    await backend.store_jobs(jobs)
    watch = Watch()
    async with await store.open() as second, await store.open() as third:
        workers = [work(handle, watch, batch) for handle in (backend, second, third) for batch in (1, 4)]
        async with asyncio.timeout(120):
            assert sum(await asyncio.gather(*workers)) == 120
    assert watch.most["tenant capped"] <= 3
    for tenant in ("capped", "free"):
        assert watch.most[f"key {tenant} one"] <= 1
        assert watch.most[f"key {tenant} pair"] <= 2
    assert watch.most["source slow"] <= 2


async def test_a_hundred_thousand_blocked_jobs_cost_a_claim_nothing(backend: dibs.Backend, sql: Any) -> None:
    await backend.sources.declare(SourceRule(name="ebay", enabled=False), **ACT)
    await backend.store_job(dibs.Job(job_type="t", source="ebay"))
    await sql.execute(FILL, 100_000)
    lane = await sql.fetchval("SELECT lane FROM dibs.jobs WHERE lane IS NOT NULL")
    await sql.execute("UPDATE dibs.jobs SET ready = false, lane = $1 WHERE ready", lane)
    assert await backend.claim_pending_jobs(10) == []
    await backend.store_jobs([dibs.Job(id=f"plain-{number}", job_type="t") for number in range(3)])
    before = await count_writes(sql, backend)
    claimed = await backend.claim_pending_jobs(10)
    assert len(claimed) == 3
    for _ in range(5):
        assert await backend.claim_pending_jobs(10) == []
    assert await count_writes(sql, backend) - before <= 3, "only the three jobs that were given are written"
    assert await backend.admission.find_wake(ClaimRequest(worker="w")) is None


async def count_writes(sql: Any, backend: dibs.Backend) -> int:
    # A server process tells of its writes when it has nothing else to do, at the latest when it is asked to.
    await backend.jobs._connections.read("SELECT pg_stat_force_next_flush()")  # type: ignore[attr-defined]
    await sql.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
    count: int = await sql.fetchval(WRITES)
    return count


async def test_a_claim_does_not_wait_for_a_strangers_transaction(
    store: PostgresStore, backend: dibs.Backend, sql: Any
) -> None:
    await backend.store_jobs([dibs.Job(id=name, job_type="t", concurrency_key=name) for name in ("a", "b")])
    [held] = await backend.claim_pending_jobs(1)
    async with store.transaction() as connection:
        await connection.execute("SELECT FROM dibs.jobs WHERE id = 'b' FOR UPDATE")
        await backend.complete_jobs([backend.completion(held.lease)], connection=connection)
        await backend.store_job(dibs.Job(id="c", job_type="t", concurrency_key="c"), connection=connection)
        async with asyncio.timeout(60):
            assert await backend.claim_pending_jobs(10) == []
            await backend.store_job(dibs.Job(id="d", job_type="t", concurrency_key="d"))
            assert [job.id for job in await backend.claim_pending_jobs(10)] == ["d"]
    assert [job.id for job in await backend.claim_pending_jobs(10)] == ["b", "c"]


async def test_an_end_that_is_not_committed_frees_nothing(store: PostgresStore, backend: dibs.Backend) -> None:
    await backend.store_jobs([dibs.Job(id=name, job_type="t", concurrency_key="k") for name in ("a", "b")])
    [held] = await backend.claim_pending_jobs(10)
    async with store.transaction() as connection:
        await backend.complete_jobs([backend.completion(held.lease)], connection=connection)
        assert await backend.claim_pending_jobs(10) == []
    assert [job.id for job in await backend.claim_pending_jobs(10)] == ["b"]


async def test_while_somebody_keeps_the_door_plain_jobs_go_on(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_job(dibs.Job(id="governed", job_type="t", concurrency_key="k"))
    await backend.store_job(dibs.Job(id="plain", job_type="t"))
    async with sql.transaction():
        await sql.execute("SELECT * FROM dibs.claim_next_pending_job(queues => ARRAY['default'])")
        await backend.store_job(dibs.Job(id="governed-2", job_type="t", concurrency_key="k2"))
        assert [job.id for job in await backend.claim_pending_jobs(10)] == ["plain"]
    assert [job.id for job in await backend.claim_pending_jobs(10)] == ["governed-2"]


async def test_once_a_gate_is_shut_no_claim_in_progress_passes(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(id=name, job_type="t") for name in ("a", "b")])
    transaction = sql.transaction()
    await transaction.start()
    assert len(await sql.fetch("SELECT id FROM dibs.claim_jobs('w', 1, 1000000, NULL, NULL, NULL, false)")) == 1
    gate = Gate(scope=GateScope.GLOBAL, mode=dibs.GateMode.DRAIN)
    shutting = asyncio.create_task(backend.admission.set_rule(gate, **ACT))
    async with asyncio.timeout(4):
        while not await sql.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
            await asyncio.sleep(0.01)
    assert not shutting.done(), "it waits for the claim"
    await transaction.commit()
    await shutting
    assert await backend.claim_pending_jobs(10) == []


async def test_plain_jobs_obey_a_rule_that_came_after_them(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="t", tenant="acme") for number in range(4)])
    await backend.admission.set_rule(TenantRule(name="acme", max_running=1), **ACT)
    # As if it had been stored by somebody who did not see the rule yet.
    await sql.execute("UPDATE dibs.jobs SET ready = true, lane = NULL")
    await sql.execute("DELETE FROM dibs.lanes")
    assert [job.id for job in await backend.claim_pending_jobs(10)] == ["job-0"]
    assert await backend.claim_pending_jobs(10) == []


async def test_jobs_copied_in_by_older_code_are_governed(backend: dibs.Backend, sql: Any) -> None:
    await backend.sources.declare(SourceRule(name="ebay", rate_limit_per_minute=1), **ACT)
    await sql.execute(FILL, 20)
    assert len(await backend.claim_pending_jobs(10)) == 1
    await backend.admission.set_rule(QueueRule(name="fair", fair=True), **ACT)
    jobs = [dibs.Job(job_type="t", queue="fair", tenant=f"tenant-{number % 3}") for number in range(1_200)]
    assert await backend.copy_jobs(jobs) == 1_200
    claimed = await backend.claim_pending_jobs(9, queues=["fair"])
    assert Counter(job.tenant for job in claimed) == {"tenant-0": 3, "tenant-1": 3, "tenant-2": 3}


async def test_what_was_spent_is_summed_up_by_the_reaper(store: PostgresStore, backend: dibs.Backend, sql: Any) -> None:
    await backend.admission.set_rule(TenantRule(name="acme", daily_budget_microcents=10), **ACT)
    await backend.store_jobs([dibs.Job(job_type="t", tenant="acme", max_cost_microcents=2) for _ in range(6)])
    for _ in range(4):
        [job] = await backend.claim_pending_jobs(1)
        await backend.complete_jobs([Completion(lease=job.lease, cost_microcents=2)])
    await backend.reap_jobs()
    assert [tuple(row) for row in await sql.fetch("SELECT tenant, cost FROM dibs.spent")] == [("acme", 8)]
    assert len(await backend.claim_pending_jobs(10)) == 1
    await store.advance(timedelta(days=1))
    assert len(await backend.claim_pending_jobs(10)) == 1


async def test_every_tenant_of_a_fair_queue_is_found_once_however_many_lanes_it_has(
    store: PostgresStore, sql: Any
) -> None:
    """They are read in pages of 64: one fills more than a page, and many fit into one."""
    async with await store.open() as backend:
        await backend.admission.set_rule(QueueRule(name="q", fair=True), **ACT)
        keys = {"a": 1, "b": 130, "c": 2, "d": 64} | {f"t{number}": 1 for number in range(140)}
        jobs = [
            dibs.Job(job_type="t", queue="q", tenant=tenant, concurrency_key=f"k{number}")
            for tenant, count in keys.items()
            for number in range(count)
        ]
        await backend.store_jobs(jobs)
        assert await backend.claim_pending_jobs(1)
    found = await sql.fetch("SELECT * FROM dibs.list_tenants('q', 't', '')")
    assert sorted(row[0] for row in found) == sorted(keys.keys() - {"a"})


async def test_who_waited_before_there_was_a_ring_takes_turns(backend: dibs.Backend, sql: Any) -> None:
    await backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
    await backend.store_jobs([dibs.Job(job_type="t", tenant=name) for name in "abc" for _ in range(2)])
    before = [job.tenant for job in await backend.claim_pending_jobs(2)]
    await sql.execute("DELETE FROM dibs.ring")
    assert (before, [job.tenant for job in await backend.claim_pending_jobs(4)]) == (["a", "b"], ["c", "a", "b", "c"])


async def test_a_queue_that_is_not_fair_any_more_leaves_the_ring(backend: dibs.Backend, sql: Any) -> None:
    await backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
    await backend.store_jobs([dibs.Job(job_type="t", tenant=name) for name in "abc"])
    [first] = await backend.claim_pending_jobs(1)
    assert await sql.fetchval("SELECT count(*) FROM dibs.ring") == 4
    await backend.admission.set_rule(QueueRule(name="default", fair=False), **ACT)
    await backend.reap_jobs()
    assert await sql.fetchval("SELECT count(*) FROM dibs.ring") == 0
    await backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
    assert (first.tenant, [job.tenant for job in await backend.claim_pending_jobs(4)]) == ("a", ["b", "c"])
