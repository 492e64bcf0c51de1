"""Claims and completions stay on their indexes, whatever the planner was told of the tables."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

import dibs
from dibs.backends.postgres.statements import Statements
from dibs.engine.audit.sealing import NewEntry
from dibs.testing.stores.postgres import PostgresStore

FILL = """
INSERT INTO dibs.jobs (id, tenant, queue, job_type, priority, input, max_retries, run_at, created_at, ready)
SELECT $1::text || n, 'default', 'default', $1::text, 9, '{}', 3, $2::timestamptz, now(), $2::timestamptz <= now()
FROM generate_series(1, 100000) AS n
"""
PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2190, 1, 1, tzinfo=UTC)
SETTINGS = """
SET LOCAL auto_explain.log_min_duration = 0; SET LOCAL auto_explain.log_analyze = on;
SET LOCAL auto_explain.log_nested_statements = on; SET LOCAL auto_explain.log_format = json;
SET LOCAL auto_explain.log_buffers = on; SET LOCAL client_min_messages = log
"""


@pytest_asyncio.fixture
async def analysed_empty(store: PostgresStore, sql: Any) -> AsyncIterator[None]:
    """Statistics that say: these tables are empty; and no dead rows of tests before."""
    await sql.execute("TRUNCATE dibs.jobs, dibs.finished_jobs; ANALYZE dibs.jobs, dibs.finished_jobs")
    yield
    await sql.execute("TRUNCATE dibs.jobs, dibs.finished_jobs; ANALYZE dibs.jobs, dibs.finished_jobs")


async def explain(sql: Any, statement: str, *values: Any) -> list[dict[str, Any]]:
    """Run a statement and give the plan nodes of everything that ran inside."""
    heard: list[str] = []

    def hear(_: Any, message: Any) -> None:
        heard.append(message.message)

    await sql.execute("LOAD 'auto_explain'")
    sql.add_log_listener(hear)
    async with sql.transaction():
        await sql.execute(SETTINGS)
        await sql.fetch(statement, *values)
    sql.remove_log_listener(hear)
    plans = [json.loads(text[text.index("{") :])["Plan"] for text in heard if "plan:" in text]
    return [node for plan in plans for node in walk(plan)]


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node.get("Plans", []) for below in walk(child))]


def scans_of_jobs(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [node for node in nodes if node.get("Relation Name") == "jobs" and "Scan" in node["Node Type"]]


LANES = [(["default"], ["mine"]), (None, ["mine"]), (["default"], ["mine", "other"])]
CLAIM = "SELECT * FROM dibs.claim_jobs('w', 10, 1000000, $1, $2, NULL, false)"


def assert_frugal(nodes: list[dict[str, Any]], most_rows: int) -> None:
    scans = scans_of_jobs(nodes)
    assert scans
    assert {scan["Node Type"] for scan in scans} <= {"Index Scan", "Index Only Scan", "Tid Scan"}
    assert sum(scan["Actual Rows"] * scan["Actual Loops"] for scan in scans) <= most_rows
    assert sum(scan.get("Rows Removed by Filter", 0) for scan in scans) <= most_rows


@pytest.mark.parametrize(("queues", "types"), LANES)
@pytest.mark.usefixtures("analysed_empty")
async def test_a_claim_touches_only_what_it_takes_however_many_wait_ahead(
    backend: dibs.Backend, sql: Any, queues: list[str] | None, types: list[str]
) -> None:
    await backend.store_jobs([dibs.Job(job_type="mine") for _ in range(10)])
    # The plans of this session are made now, while the table is all but empty.
    await sql.fetch(CLAIM, queues, types)
    await sql.execute(FILL, "theirs", PAST)
    await sql.execute(FILL, "later", FUTURE)
    await backend.store_jobs([dibs.Job(job_type="mine") for _ in range(50)])
    nodes = await explain(sql, CLAIM, queues, types)
    assert_frugal(nodes, most_rows=60)


@pytest.mark.usefixtures("analysed_empty")
async def test_a_claim_of_anything_finds_the_lanes_without_reading_them(backend: dibs.Backend, sql: Any) -> None:
    await sql.fetch(CLAIM, None, None)
    await sql.execute(FILL, "theirs", PAST)
    await sql.execute(FILL, "others", PAST)
    nodes = await explain(sql, CLAIM, None, None)
    assert_frugal(nodes, most_rows=60)


@pytest.mark.usefixtures("analysed_empty")
async def test_a_completion_goes_by_id_also_with_plans_of_an_empty_table(backend: dibs.Backend, sql: Any) -> None:
    complete = "SELECT * FROM dibs.complete_jobs($1, $2, $3, $4)"
    await sql.fetch(complete, ["nothing"], [1], ["null"], [0])
    await backend.store_jobs([dibs.Job(job_type="mine") for _ in range(5000)])
    jobs = await backend.claim_pending_jobs(5000)
    some = sorted(jobs, key=lambda job: job.id)[:10]
    values = [job.id for job in some], [job.lease_token for job in some], ["null"] * 10, [0] * 10
    assert_frugal(await explain(sql, complete, *values), most_rows=10)


@pytest.mark.usefixtures("analysed_empty")
async def test_a_heartbeat_writes_no_index(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type="mine") for _ in range(10)])
    leases = [job.lease for job in await backend.claim_pending_jobs(10)]
    before = await hot_updates(sql)
    await backend.heartbeat_jobs(leases)
    await backend.close()
    assert await hot_updates(sql) - before == 10


async def hot_updates(sql: Any) -> int:
    await sql.execute("SELECT pg_stat_clear_snapshot()")
    count: int = await sql.fetchval("SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = 'dibs.jobs'::regclass")
    return count


@pytest.mark.usefixtures("analysed_empty")
async def test_a_page_of_failures_does_not_read_the_successes(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type="mine") for _ in range(2000)])
    jobs = await backend.claim_pending_jobs(2000)
    await backend.complete_jobs([backend.completion(job.lease) for job in jobs[:-3]])
    await backend.cancel_jobs([job.id for job in jobs[-3:]], actor="op", reason="test")
    await sql.execute("ANALYZE dibs.finished_jobs")
    page = "SELECT id FROM dibs.finished_jobs WHERE state IN ('failed', 'cancelled') AND state <> 'succeeded'"
    nodes = await explain(sql, f"{page} ORDER BY seq DESC LIMIT 50")
    assert {node["Index Name"] for node in nodes if "Index Name" in node} == {"finished_jobs_unsuccessful"}


@pytest.mark.usefixtures("analysed_empty")
async def test_a_governed_claim_touches_only_what_it_takes_however_many_are_held_back(
    backend: dibs.Backend, sql: Any
) -> None:
    await backend.store_jobs([dibs.Job(job_type="mine", concurrency_key="a", priority=9) for _ in range(2)])
    # The plans of this session are made now, while the tables are all but empty.
    assert len(await sql.fetch(CLAIM, None, None)) == 1
    lane = await sql.fetchval("SELECT lane FROM dibs.jobs WHERE lane IS NOT NULL")
    await sql.execute(FILL, "mine", PAST)
    await sql.execute("UPDATE dibs.jobs SET ready = false, lane = $1, concurrency_key = 'a' WHERE ready", lane)
    await backend.store_jobs([dibs.Job(job_type="mine", concurrency_key=f"key-{number}") for number in range(5)])
    nodes = await explain(sql, CLAIM, None, None)
    assert_frugal(nodes, most_rows=60)
    assert await sql.fetchval("SELECT count(*) FROM dibs.jobs WHERE state = 'running'") == 6


@pytest.mark.usefixtures("analysed_empty")
async def test_copied_jobs_are_sent_into_their_lanes_one_by_one_and_not_each_by_reading_all(
    backend: dibs.Backend, sql: Any
) -> None:
    rule = dibs.QueueRule(name="default", fair=True)
    await backend.admission.set_rule(rule, actor="op", reason="test")
    await sql.execute(FILL.replace("100000", "2000"), "mine", PAST)
    ids = [f"mine{number}" for number in range(1, 2001)]
    nodes = await explain(sql, "SELECT dibs.settle_copied($1)", ids)
    assert await sql.fetchval("SELECT count(*) FROM dibs.jobs WHERE lane IS NOT NULL") == len(ids)
    busiest = max(nodes, key=seen_rows)
    assert seen_rows(busiest) <= 2 * len(ids), busiest


@pytest.mark.usefixtures("analysed_empty")
async def test_a_claim_beside_jobs_that_are_held_back_goes_the_way_of_plain_ones(
    backend: dibs.Backend, sql: Any
) -> None:
    await backend.sources.pause("shut", actor="op", reason="test")
    held_back = [dibs.Job(job_type="mine", source="shut", priority=9) for _ in range(3)]
    await backend.store_jobs([*held_back, *(dibs.Job(job_type="mine") for _ in range(40))])
    first = functions_of(await explain(sql, CLAIM, None, None))
    second = functions_of(await explain(sql, CLAIM, None, None))
    assert ("admit_jobs" in first, "admit_jobs" in second, "give_plain_jobs" in second) == (True, False, True)
    await backend.sources.resume("shut", actor="op", reason="test")
    assert {job.id for job in await backend.claim_pending_jobs(1)} <= {job.id for job in held_back}


def functions_of(nodes: list[dict[str, Any]]) -> set[str]:
    return {node["Function Name"] for node in nodes if "Function Name" in node}


SEALED = """
WITH said AS (
    INSERT INTO dibs.audit (at, tenant, actor, action, subject)
    SELECT now(), 'tenant-' || n % 3, 'op', 'SAID', 'it' FROM generate_series(1, 20000) AS n
    RETURNING sequence, tenant
)
INSERT INTO dibs.seals (tenant, position, sequence, hash)
SELECT tenant, row_number() OVER (PARTITION BY tenant ORDER BY sequence), sequence, 'hash' FROM said
"""


async def test_sealing_reads_the_tail_and_the_heads_and_not_all_seals(backend: dibs.Backend, sql: Any) -> None:
    await sql.execute(SEALED)
    await sql.execute("UPDATE dibs.seal_marks SET floor = (SELECT max(sequence) - 100 FROM dibs.audit)")
    await backend.audit.append_own([NewEntry(action="SAID", subject="it", actor="op")] * 50)
    await sql.execute("ANALYZE dibs.seals, dibs.audit")
    statements = Statements("dibs")
    heads = await explain(sql, statements["auditing/list_heads"])
    tail = await explain(sql, statements["auditing/list_unsealed"], 1000)
    busiest = max([*heads, *tail], key=seen_rows)
    assert seen_rows(busiest) <= 200, busiest
    assert [head.tenant for head in await backend.audit.list_heads()] == ["tenant-0", "tenant-1", "tenant-2"]
    assert len(await backend.audit.list_unsealed()) == 50


def seen_rows(node: dict[str, Any]) -> float:
    """How many rows a node looked at, all its loops together."""
    removed = [node.get(f"Rows Removed by {kind}", 0) for kind in ("Filter", "Join Filter")]
    return float(node["Actual Rows"] + sum(removed)) * float(node["Actual Loops"])
