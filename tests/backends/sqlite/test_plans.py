"""Statements stay cheap however many other jobs there are: what SQLite says it will read."""

import re
import sqlite3
import time
from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.backends.sqlite.schema import MIGRATIONS
from dibs.backends.sqlite.searching import list_newest
from dibs.backends.sqlite.statements import migration_steps, statement
from dibs.backends.sqlite.transaction import Snapshot
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter


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
        "list_lane",
        "list_queues",
        "list_types_of_queue",
        "look_around",
        "parks/find_closed_park",
        "promote_due_jobs",
        "hold_jobs",
        "complete_job",
        "complete_known_job",
        "renew_job",
        "list_lapsed",
        "find_key_in_window",
        "find_key_pending",
        "find_key_unfinished",
        "list_old",
        "list_audit_of_subject",
        "forget_jobs",
        "forget_attempts",
        "add_audit_of_successes",
        "add_audit_of_known_successes",
        *(
            f"lanes/{name}"
            for name in (
                "find_lane",
                "find_head",
                "find_first",
                "list_kinds",
                "set_head",
                "reopen_lane",
                "park_lane",
                "forget_lane",
            )
        ),
        *(
            f"lanes/{name}"
            for name in ("list_lanes", "list_lanes_of_tenant", "list_queues", "list_types", "list_tenants")
        ),
        *(f"moving/{name}" for name in ("find_waiting_job", "hold_governed_job", "list_strays", "list_front")),
        *(f"moving/{name}" for name in ("move_to_lane", "leave_lane", "mark_running", "find_next_due")),
        *(f"parks/{name}" for name in ("close_park", "open_parks", "open_due_parks", "leave_park", "forget_park")),
        *(f"admission/{name}" for name in ("find_source", "list_probed", "count_permits", "spend_permit")),
        *(f"admission/{name}" for name in ("count_running_of_key", "count_running_of_tenant")),
        *(
            f"spending/{name}"
            for name in ("sum_spent", "pay", "pay_for_job", "list_holdings", "list_turns", "set_turn")
        ),
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
            "list_lane",
            "list_lapsed",
            "list_old",
            "list_audit_of_subject",
            "lanes/list_lanes",
            "lanes/list_lanes_of_tenant",
        ),
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
