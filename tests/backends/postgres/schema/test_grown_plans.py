"""Plans made while a few wait stay good when thousands do, also before the server has counted them."""

from typing import Any

import pytest

import dibs
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from tests.backends.postgres.schema.test_plans import CLAIM, explain, seen_rows

ACT = {"actor": "op", "reason": "test"}
DIRECTORY = "dibs.ring, dibs.turns, dibs.lanes, dibs.barriers, dibs.arrivals"
MANY = 1000


@pytest.fixture(params=[1, 2, 30])
async def few(request: pytest.FixtureRequest, backend: dibs.Backend, sql: Any) -> int:
    """So many tenants take turns; the server has counted them, and this session has planned for them."""
    tenants: int = request.param
    await sql.execute(f"TRUNCATE dibs.jobs, {DIRECTORY}")
    await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), **ACT)
    jobs = [dibs.Job(id=f"early-{n}", job_type="mine", tenant=f"early-{n % tenants:02}") for n in range(60)]
    await backend.store_jobs([*jobs, dibs.Job(id="gone", job_type="mine", tenant="early-00")])
    await backend.reap_jobs()
    await sql.execute(f"ANALYZE dibs.jobs, {DIRECTORY}")
    for _ in range(2):
        await sql.fetch(CLAIM, None, None)
    await backend.cancel_jobs(["gone"], **ACT)
    await sql.fetch(CLAIM, None, None)
    return tenants


async def count_busiest(sql: Any, claims: int = 1) -> float:
    """Claim, and tell how many rows the busiest step looked at."""
    nodes = [node for _ in range(claims) for node in await explain(sql, CLAIM, None, None)]
    return max(seen_rows(node) for node in nodes)


@pytest.mark.usefixtures("few")
async def test_a_claim_by_turns_looks_at_those_whose_turn_it_is_and_not_at_all_who_wait(
    backend: dibs.Backend, sql: Any
) -> None:
    await backend.copy_jobs([dibs.Job(job_type="mine", tenant=f"tenant-{n:04}") for n in range(3 * MANY)])
    await sql.fetch(CLAIM, None, None)
    before = await sql.fetchval("SELECT max(lease_token) FROM dibs.jobs")
    assert await count_busiest(sql) <= 60
    given = await sql.fetch("SELECT tenant FROM dibs.jobs WHERE lease_token > $1 ORDER BY lease_token", before)
    names = [row["tenant"] for row in given]
    assert len(names) == 10
    assert names == sorted(names)


@pytest.mark.usefixtures("few")
async def test_what_has_arrived_and_what_has_left_is_looked_at_once(backend: dibs.Backend, sql: Any) -> None:
    jobs = [dibs.Job(id=f"job-{n:04}", job_type="mine", tenant=f"tenant-{n:04}") for n in range(MANY)]
    await backend.copy_jobs(jobs)
    assert await count_busiest(sql) <= 3 * MANY
    await backend.cancel_jobs([job.id for job in jobs[MANY // 2 :]], **ACT)
    assert await count_busiest(sql) <= 3 * MANY


@pytest.mark.usefixtures("few")
async def test_lanes_are_put_behind_a_gate_and_let_out_again_without_looking_for_each(
    backend: dibs.Backend, sql: Any
) -> None:
    async def turn(mode: GateMode) -> None:
        gate = Gate(scope=GateScope.TENANT, name="shut", mode=mode)
        await backend.admission.set_rule(gate, **ACT)

    await backend.store_job(dibs.Job(job_type="mine", tenant="shut", concurrency_key="first"))
    for mode in (GateMode.DRAIN, GateMode.OPEN):
        await turn(mode)
        await sql.fetch(CLAIM, None, None)
    jobs = [dibs.Job(job_type="mine", tenant="shut", concurrency_key=f"key-{n}") for n in range(MANY)]
    await backend.copy_jobs([*jobs, *(dibs.Job(job_type="mine", tenant=f"tenant-{n:04}") for n in range(MANY))])
    await turn(GateMode.DRAIN)
    assert await count_busiest(sql, claims=6) <= 6 * MANY
    assert await sql.fetchval("SELECT count(*) FROM dibs.lanes WHERE barrier = 'gate:tenant:shut'") >= MANY
    await turn(GateMode.OPEN)
    assert await count_busiest(sql, claims=6) <= 6 * MANY
    assert await sql.fetchval("SELECT count(*) FROM dibs.lanes WHERE barrier <> ''") == 0
