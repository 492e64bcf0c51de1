"""Statements stay cheap however many other jobs there are: what SQLite says it will read."""

import re
import sqlite3
import time
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.backends.sqlite.governing.claiming import GovernedClaim
from dibs.backends.sqlite.governing.rulebook import find_book
from dibs.backends.sqlite.schema import MIGRATIONS
from dibs.backends.sqlite.searching import list_newest
from dibs.backends.sqlite.statements import migration_steps, statement
from dibs.backends.sqlite.transactions.transaction import Snapshot, Transaction
from dibs.engine.admission.rules import QueueRule
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import ClaimRequest
from dibs.engine.store.reading import JobFilter
from dibs.testing.stores.sqlite import SqliteStore


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    for file_name, _ in MIGRATIONS.values():
        for step in migration_steps(file_name):
            connection.execute(step)
    yield connection
    connection.close()


def plan(connection: sqlite3.Connection, name: str) -> str:
    text = statement(name)
    amount = max((int(number) for number in re.findall(r"\?(\d+)", text)), default=0)
    return "\n".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", (None,) * amount))


@pytest.mark.parametrize(
    "name",
    [
        "claiming/list_lane",
        "claiming/list_queues",
        "claiming/list_types_of_queue",
        "claiming/look_around",
        "parks/find_closed_park",
        "claiming/promote_due_jobs",
        "claiming/hold_jobs",
        "ending/complete_job",
        "ending/complete_known_job",
        "holding/renew_job",
        "holding/list_lapsed",
        "storing/find_key_in_window",
        "storing/find_key_pending",
        "storing/find_key_unfinished",
        "operating/list_old",
        "reading/list_audit_of_subject",
        "operating/forget_jobs",
        "operating/forget_attempts",
        "records/add_audit_of_successes",
        "records/add_audit_of_known_successes",
        *(
            f"lanes/{name}"
            for name in (
                "find_lane",
                "find_head",
                "find_first",
                "set_head",
                "reopen_lane",
                "park_lane",
                "forget_lane",
            )
        ),
        *(
            f"directory/{name}"
            for name in (
                "list_lanes",
                "list_lanes_of_tenant",
                "list_queues",
                "list_types",
                "list_tenants",
                "list_kinds",
            )
        ),
        *(f"moving/{name}" for name in ("find_waiting_job", "hold_governed_job", "list_strays", "list_front")),
        *(f"moving/{name}" for name in ("move_to_lane", "leave_lane", "mark_running", "find_next_due")),
        *(f"parks/{name}" for name in ("close_park", "open_parks", "open_due_parks", "leave_park", "forget_park")),
        *(f"sources/{name}" for name in ("find_source", "list_probed", "count_permits", "spend_permit")),
        *(f"admission/{name}" for name in ("count_running_of_key", "count_running_of_tenant")),
        *(f"spending/{name}" for name in ("sum_spent", "pay", "pay_for_job", "list_holdings", "find_turn", "set_turn")),
        *(f"spending/{name}" for name in ("list_levels", "list_ring", "catch_up", "forget_turns")),
        *(f"audit/{name}" for name in ("list_unsealed", "count_unsealed", "find_head", "find_sealed", "list_sealed")),
        *(f"audit/{name}" for name in ("list_heads", "advance_sealed", "forget_entries", "forget_seals")),
    ],
)
def test_no_hot_statement_scans_a_table(connection: sqlite3.Connection, name: str) -> None:
    assert "SCAN dibs_" not in plan(connection, name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "claiming/list_lane",
            "holding/list_lapsed",
            "operating/list_old",
            "reading/list_audit_of_subject",
            "directory/list_lanes",
            "directory/list_lanes_of_tenant",
        ),
        *("spending/list_levels", "spending/list_ring"),
        *("lanes/find_head", "moving/list_front", "audit/find_head", "audit/list_unsealed", "audit/list_sealed"),
    ],
)
def test_ordered_statements_need_no_sorting(connection: sqlite3.Connection, name: str) -> None:
    assert "TEMP B-TREE" not in plan(connection, name)


@pytest.mark.parametrize("field", ["source", "parent_id", "unique_key"])
def test_rare_filters_have_their_own_index(connection: sqlite3.Connection, field: str) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    list_newest(Snapshot(connection.cursor()), replace(JobFilter(), **{field: "x"}), (0, 10), 10)
    connection.set_trace_callback(None)
    rows = connection.execute(f"EXPLAIN QUERY PLAN {statements[-1]}").fetchall()
    assert "SEARCH dibs_jobs USING INDEX" in rows[0][3]


async def test_a_claim_stays_flat_behind_jobs_of_other_lanes_and_later_times(backend: Backend) -> None:
    async def time_claims() -> float:
        await backend.store_jobs([Job(job_type="mine", queue="z") for _ in range(40)])
        spans = []
        for _ in range(40):
            begin = time.perf_counter()
            assert await backend.claim_pending_job(["mine"])
            spans.append(time.perf_counter() - begin)
        return sorted(spans)[len(spans) // 2]

    alone = await time_claims()
    for start in range(0, 40_000, 10_000):
        await backend.copy_jobs(
            [Job(id=f"other-{n}", job_type="other", priority=9) for n in range(start, start + 10_000)]
        )
    assert await time_claims() < alone * 5 + 0.005


async def test_states_are_found_wherever_they_lie(backend: Backend) -> None:
    await backend.store_jobs([Job(id=f"job-{n}", job_type="test") for n in range(6)])
    jobs = await backend.claim_pending_jobs(4)
    await backend.complete_job(jobs[0].lease)
    await backend.drop_job(jobs[1].lease)
    await backend.snooze_job(jobs[2].lease, delay=timedelta(hours=1))
    counts = await backend.reader.count_jobs(JobFilter())
    expected = {State.SUCCEEDED: 1, State.CANCELLED: 1, State.PENDING: 3, State.RUNNING: 1}
    assert counts == {state: expected.get(state, 0) for state in State}


async def count_steps(tenants: int) -> int:
    """Count the instructions, in thousands, that SQLite needs for the tenth claim in a fair queue."""
    store, counted = SqliteStore(), []
    async with await store.open() as backend:
        await backend.admission.set_rule(QueueRule(name="default", fair=True), actor="op", reason="test")
        await backend.store_jobs([Job(job_type="t", tenant=f"t{n % tenants}") for n in range(max(tenants, 200))])
        for _ in range(9):
            assert len(await backend.claim_pending_jobs(10)) == 10
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.set_progress_handler(lambda: counted.append(1), 1_000)
        transaction = Transaction(connection.cursor())
        request = ClaimRequest(worker="w", limit=10, lease=timedelta(minutes=1))
        transaction.cursor.execute("BEGIN IMMEDIATE")
        rows, _ = GovernedClaim(transaction, find_book(transaction), request).take()
        assert len(rows) == 10
    await store.close()
    return len(counted)


async def test_a_claim_by_turns_costs_as_much_among_thousands_of_tenants_as_among_twenty() -> None:
    few, many = await count_steps(20), await count_steps(2_000)
    assert many <= 1.5 * few + 1, (few, many)
