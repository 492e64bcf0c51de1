"""Governed jobs stand in lanes: what is blocked costs a claim nothing, and what is in the wrong place is moved."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from dibs.backends.sqlite.governing import lanes
from dibs.backends.sqlite.moves.claiming import claim
from dibs.backends.sqlite.threads.connections import open_for_writing
from dibs.backends.sqlite.transactions.transaction import Operation, Result, Transaction
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import QueueRule, TenantRule
from dibs.engine.admission.source import SourceRule
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import ClaimRequest
from dibs.testing.stores.sqlite import SqliteStore

ACT = {"actor": "op", "reason": "a test"}
WRITES = ("INSERT", "UPDATE", "DELETE")


def query(store: SqliteStore, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store.path)) as connection:
        return connection.execute(sql).fetchall()


def count_work(store: SqliteStore, operation: Operation[Result]) -> tuple[int, int]:
    """Run an operation and undo it; tells SQLite's steps, in hundreds, and the rows changed."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.set_progress_handler(step, 100)
        before = connection.total_changes
        operation(Transaction(connection.cursor()))
        changes = connection.total_changes - before
        connection.set_progress_handler(None, 0)
        connection.execute("ROLLBACK")
    return steps, changes


def claim_ten(transaction: Transaction) -> None:
    assert len(claim(transaction, ClaimRequest(worker="w", limit=10))[0]) == 10


async def test_a_hundred_thousand_blocked_jobs_cost_a_claim_nothing(store: SqliteStore, backend: Backend) -> None:
    await backend.sources.pause("ebay", actor="op", reason="a test")
    await backend.store_job(Job(job_type="t", source="ebay", priority=9))
    await backend.store_jobs([Job(job_type="t") for _ in range(20)])
    assert await backend.claim_pending_jobs(1) != []
    few = count_work(store, claim_ten)
    await backend.copy_jobs([Job(job_type="t", source="ebay", priority=9) for _ in range(100_000)])
    first = count_work(store, claim_ten)
    assert first[0] <= few[0] + 5
    assert first[1] <= few[1] + 2


async def test_a_refusal_writes_one_lane_and_what_it_waits_for(store: SqliteStore, backend: Backend) -> None:
    await backend.sources.pause("ebay", actor="op", reason="a test")
    await backend.copy_jobs([Job(job_type="t", source="ebay") for _ in range(1_000)])
    work = count_work(store, lambda transaction: claim(transaction, ClaimRequest(worker="w", limit=10)))
    assert work[1] == 2
    assert await backend.claim_pending_jobs(10) == []
    again = count_work(store, lambda transaction: claim(transaction, ClaimRequest(worker="w", limit=10)))
    assert again[1] == 0


async def test_a_thousand_lanes_of_a_tenant_at_its_cap_are_opened_and_shut_by_one_row(
    store: SqliteStore, backend: Backend
) -> None:
    await backend.admission.set_rule(TenantRule(name="acme", max_running=1), **ACT)
    await backend.copy_jobs([Job(job_type="t", tenant="acme", concurrency_key=f"k-{n}") for n in range(1_000)])
    (held,) = await backend.claim_pending_jobs(5)
    assert query(store, "SELECT parked_on, count(*) FROM dibs_lanes GROUP BY 1") == [("tenant\nacme", 999)]
    await backend.complete_job(held.lease)
    assert query(store, "SELECT is_open FROM dibs_parks") == [(1,)]
    _, changes = count_work(store, lambda transaction: claim(transaction, ClaimRequest(worker="w", limit=5)))
    assert changes < 10
    assert len(await backend.claim_pending_jobs(5)) == 1


async def test_thousands_of_open_lanes_do_not_slow_a_claim(store: SqliteStore, backend: Backend) -> None:
    await backend.copy_jobs([Job(job_type="t", concurrency_key=f"few-{n}") for n in range(50)])
    few, _ = count_work(store, claim_ten)
    await backend.copy_jobs([Job(job_type="t", concurrency_key=f"many-{n}") for n in range(5_000)])
    many, _ = count_work(store, claim_ten)
    assert many <= 2 * few


async def test_a_claim_leaves_lanes_for_the_next_one_and_still_gives_plain_jobs(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.backends.sqlite.governing.claiming.MOST_PARKED", 10)
    keyed = [Job(job_type="t", concurrency_key=f"k-{n}", priority=priority) for priority in (2, 1) for n in range(100)]
    await backend.copy_jobs([*keyed, Job(id="plain", job_type="t"), Job(id="last", job_type="t", concurrency_key="z")])
    assert len(await backend.claim_pending_jobs(100)) == 100
    assert [job.id for job in await backend.claim_pending_jobs(5)] == ["plain"]
    assert await backend.claim_pending_jobs(5) == []
    given = [job.id for _ in range(5) for job in await backend.claim_pending_jobs(5)]
    assert given == ["last"]


async def test_a_lane_that_is_empty_leaves_nothing_behind(store: SqliteStore, backend: Backend) -> None:
    await backend.store_jobs([Job(job_type="t", concurrency_key=f"k-{n}") for n in range(3)])
    jobs = await backend.claim_pending_jobs(10)
    assert await backend.claim_pending_jobs(10) == []
    await backend.complete_jobs([backend.completion(job.lease) for job in jobs])
    assert await backend.claim_pending_jobs(10) == []
    for table in ("dibs_lanes", "dibs_parks"):
        assert query(store, f"SELECT * FROM {table}") == []


@contextmanager
def batches_of(size: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as small:
        for module in ("lanes", "moving"):
            small.setattr(f"dibs.backends.sqlite.governing.{module}.RELANED_AT_ONCE", size)
        yield


@pytest.mark.parametrize(
    ("rule", "unruled"),
    [
        (TenantRule(name="acme", max_running=9), TenantRule(name="acme")),
        (QueueRule(name="default", fair=True), QueueRule(name="default")),
        (Gate(scope=GateScope.TENANT, name="acme", mode=GateMode.DRAIN), None),
    ],
    ids=["tenant", "queue", "gate"],
)
async def test_a_rule_moves_waiting_jobs_into_lanes_and_its_end_moves_them_back(
    store: SqliteStore, backend: Backend, monkeypatch: pytest.MonkeyPatch, rule: TenantRule, unruled: TenantRule | None
) -> None:
    await backend.store_jobs([Job(job_type="t", tenant="acme") for _ in range(25)])
    with batches_of(10, monkeypatch):
        await backend.admission.set_rule(rule, **ACT)
        assert query(store, "SELECT ready, count(*) FROM dibs_jobs GROUP BY 1") == [(lanes.LANED, 25)]
        if unruled is not None:
            await backend.admission.set_rule(unruled, **ACT)
            assert query(store, "SELECT ready, count(*) FROM dibs_jobs GROUP BY 1") == [(lanes.PLAIN, 25)]
            assert query(store, "SELECT * FROM dibs_lanes") == []


def stray(store: SqliteStore, where: str = "1") -> None:
    """Put waiting jobs where older code would: into the plain lanes."""
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute(f"UPDATE dibs_jobs SET ready = 1, lane = NULL WHERE ready = 2 AND {where}")
        connection.execute("DELETE FROM dibs_lanes")
        connection.commit()


async def test_a_claim_moves_a_governed_job_that_stands_in_a_plain_lane(store: SqliteStore, backend: Backend) -> None:
    await backend.store_jobs([Job(id=f"key-{n}", job_type="t", concurrency_key="k", priority=2) for n in range(30)])
    await backend.store_jobs([Job(id=f"plain-{n}", job_type="t") for n in range(3)])
    stray(store)
    assert [job.id for job in await backend.claim_pending_jobs(3)] == ["key-0", "plain-0", "plain-1"]
    assert query(store, "SELECT count(*) FROM dibs_jobs WHERE ready = 2") == [(29,)]


async def test_strays_of_a_fair_queue_take_their_turns(store: SqliteStore, backend: Backend) -> None:
    await backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
    await backend.store_jobs([Job(id=f"big-{n}", job_type="t", tenant="big") for n in range(5)])
    await backend.store_jobs([Job(id="small", job_type="t", tenant="small")])
    stray(store)
    assert [job.id for job in await backend.claim_pending_jobs(3)] == ["big-0", "small", "big-1"]


async def test_jobs_that_run_already_count_against_a_new_rule(backend: Backend) -> None:
    await backend.store_jobs([Job(job_type="t", tenant="acme") for _ in range(4)])
    held = await backend.claim_pending_jobs(2)
    await backend.admission.set_rule(TenantRule(name="acme", max_running=2), **ACT)
    assert await backend.claim_pending_jobs(5) == []
    await backend.complete_job(held[0].lease)
    assert len(await backend.claim_pending_jobs(5)) == 1


async def test_a_governed_job_that_becomes_due_goes_to_its_lane(store: SqliteStore, backend: Backend) -> None:
    await backend.store_jobs(
        [Job(id=f"job-{n}", job_type="t", concurrency_key="k") for n in range(2)], delay=timedelta(hours=1)
    )
    await store.advance(timedelta(hours=2))
    assert [job.id for job in await backend.claim_pending_jobs(5)] == ["job-0"]
    assert query(store, "SELECT id FROM dibs_jobs WHERE ready = 2") == [("job-1",)]


async def test_reservations_too_large_for_one_number_are_summed_exactly(backend: Backend) -> None:
    most = 2**53 - 1
    await backend.admission.set_rule(TenantRule(name="acme", max_running=2_000), **ACT)
    await backend.store_jobs(
        [Job(id=f"job-{n}", job_type="t", tenant="acme", max_cost_microcents=most) for n in range(1_101)]
    )
    assert len(await backend.claim_pending_jobs(1_100)) == 1_100
    standing = await backend.admission.find_standing("job-1100")
    assert standing is not None
    assert standing.reserved_microcents == 1_100 * most


async def test_a_crash_in_the_middle_of_a_claim_leaves_no_trace(store: SqliteStore, backend: Backend) -> None:
    await backend.sources.declare(SourceRule(name="ebay", rate_limit_per_minute=1, burst=3), **ACT)
    await backend.store_jobs([Job(job_type="t", source="ebay", concurrency_key=f"k-{n}") for n in range(5)])
    tables = ("dibs_jobs", "dibs_lanes", "dibs_parks", "dibs_sources", "dibs_counters")
    before = [query(store, f"SELECT * FROM {table}") for table in tables]
    dying = open_for_writing(store.address)
    dying.execute("BEGIN IMMEDIATE")
    assert len(claim(Transaction(dying.cursor()), ClaimRequest(worker="w", limit=5))[0]) == 3
    dying.close()
    assert [query(store, f"SELECT * FROM {table}") for table in tables] == before
    assert len(await backend.claim_pending_jobs(5)) == 3


async def test_the_number_of_an_entry_is_never_used_again(backend: Backend) -> None:
    async def append_and_forget() -> int:
        await backend.audit.append([NewEntry(action="SENT", subject="mail:1", actor="app")])
        (entry,) = await backend.audit.list_unsealed()
        (seals,) = chain([entry], await backend.audit.list_heads())
        assert await backend.audit.seal(seals)
        assert await backend.audit.forget_sealed("default", seals[-1].position) == 1
        return entry.sequence

    numbers = [await append_and_forget() for _ in range(3)]
    assert numbers == sorted(set(numbers))
