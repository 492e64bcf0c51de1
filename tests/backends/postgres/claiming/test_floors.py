"""Claims among dead rows that nobody may remove: quick, and no job is missed for good."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

import dibs
from dibs.testing.stores.postgres import PostgresStore

DEAD = 60_000
FILL = f"""
INSERT INTO dibs.jobs (id, job_type, input, priority)
SELECT 'dead-' || n, 'T', '{{}}', 5 FROM generate_series(1, {DEAD}) AS n;
UPDATE dibs.jobs SET ready = false, state = 'running';
DELETE FROM dibs.jobs;
SELECT pg_stat_force_next_flush()
"""
# Statistics of a moment when nothing was ready, on a table that has become small: plans by them read what is ready.
MISLED = """
TRUNCATE dibs.jobs, dibs.floors;
INSERT INTO dibs.jobs (id, job_type, input, ready, state)
SELECT n, 'T', '{}', false, 'running' FROM generate_series(1, 1000) AS n;
ANALYZE dibs.jobs;
TRUNCATE dibs.jobs
"""
COUNT_DEAD = "SELECT pg_stat_get_dead_tuples('dibs.jobs'::regclass)"
COUNT_READ = "SELECT pg_stat_get_xact_tuples_returned('dibs.jobs_ready'::regclass)"
TIME_PASSES = """
UPDATE dibs.floors SET noted_at = noted_at - interval '1 minute', until = clock_timestamp() + interval '1 hour'
"""
CLAIM = "SELECT id FROM dibs.claim_jobs('w', $1, 60000000, $2, $3, $4, false)"


@pytest_asyncio.fixture
async def pinned(store: PostgresStore, sql: Any, postgres_url: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Dead rows at the head of a lane, which somebody with an old snapshot may still want to see."""
    await sql.execute(MISLED)
    reader = await asyncpg.connect(postgres_url)
    await reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    await reader.fetch("SELECT count(*) FROM dibs.jobs")
    await sql.execute(FILL)
    while await sql.fetchval(COUNT_DEAD) < DEAD:
        await asyncio.sleep(0.05)
    yield reader.close
    await reader.close()
    await sql.execute("TRUNCATE dibs.jobs, dibs.floors")


async def claim(sql: Any, wanted: int = 100, tenant: str | None = None) -> list[str]:
    return [row[0] for row in await sql.fetch(CLAIM, wanted, None, ["T", "U"], tenant)]


async def store_jobs(backend: dibs.Backend, *ids: str, priority: int = 5, job_type: str = "T") -> None:
    await backend.store_jobs([dibs.Job(id=job_id, job_type=job_type, priority=priority) for job_id in ids])


async def lay_floor(backend: dibs.Backend, sql: Any) -> None:
    """Let claims notice how far they walk, and time pass, until there is a floor that they obey."""
    for job_id in ("first", "second", "third"):
        await store_jobs(backend, job_id)
        assert await claim(sql) == [job_id]
        await sql.execute(TIME_PASSES)
    assert await sql.fetchval("SELECT seq FROM dibs.floors WHERE job_type = 'T' AND priority = 5") > DEAD


async def put_below(backend: dibs.Backend, sql: Any, *ids: str, tenant: str = "default") -> None:
    """Let jobs appear where a claim has been: as those do that are tried again, or are committed late."""
    await backend.store_jobs([dibs.Job(id=job_id, job_type="T", priority=5, tenant=tenant) for job_id in ids])
    await sql.execute("UPDATE dibs.jobs SET seq = 1 WHERE id = ANY ($1)", list(ids))


async def read_by_claim(sql: Any, expected: list[str]) -> int:
    """How many entries of the index a claim reads, dead ones as well. Only this connection counts."""
    async with sql.transaction():
        before = await sql.fetchval(COUNT_READ)
        assert await claim(sql) == expected
        return int(await sql.fetchval(COUNT_READ) - before)


async def make_stale(sql: Any, by: str = "0 s") -> None:
    await sql.execute(f"UPDATE dibs.floors SET until = clock_timestamp() - interval '{by}'")


@pytest.mark.usefixtures("pinned")
async def test_claims_walk_over_the_dead_once_and_begin_at_the_floor_from_then_on(
    backend: dibs.Backend, sql: Any
) -> None:
    assert await read_by_claim(sql, []) >= DEAD
    await lay_floor(backend, sql)
    await store_jobs(backend, "next")
    assert await read_by_claim(sql, ["next"]) < DEAD // 10


@pytest.mark.usefixtures("pinned")
async def test_more_and_less_urgent_jobs_are_found_beside_a_floor_in_their_order(
    backend: dibs.Backend, sql: Any
) -> None:
    await lay_floor(backend, sql)
    await store_jobs(backend, "less", priority=1)
    await store_jobs(backend, "alike")
    await store_jobs(backend, "more", priority=9)
    await store_jobs(backend, "other-lane", priority=7, job_type="U")
    assert [await claim(sql, 1) for _ in range(5)] == [["more"], ["other-lane"], ["alike"], ["less"], []]


@pytest.mark.usefixtures("pinned")
async def test_what_appears_below_a_floor_is_found_once_that_is_stale(backend: dibs.Backend, sql: Any) -> None:
    await lay_floor(backend, sql)
    await put_below(backend, sql, "again")
    await store_jobs(backend, "new")
    assert await claim(sql) == ["new"]
    await make_stale(sql)
    assert await claim(sql) == ["again"]


@pytest.mark.usefixtures("pinned")
async def test_many_that_appear_below_a_floor_are_not_kept_waiting_for_one_look_each(
    backend: dibs.Backend, sql: Any
) -> None:
    await lay_floor(backend, sql)
    await put_below(backend, sql, *(f"again-{number}" for number in range(300)))
    await make_stale(sql)
    claimed = [job_id for _ in range(30) for job_id in await claim(sql, 10)]
    assert len(set(claimed)) == 300


@pytest.mark.usefixtures("pinned")
async def test_a_job_that_is_put_back_by_a_claim_that_is_undone_is_found(backend: dibs.Backend, sql: Any) -> None:
    await lay_floor(backend, sql)
    await store_jobs(backend, "undone")
    transaction = sql.transaction()
    await transaction.start()
    assert await claim(sql) == ["undone"]
    await transaction.rollback()
    assert await claim(sql) == ["undone"]


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize("tenant", ["default", "small"])
async def test_who_may_lay_no_floors_looks_below_them_all_the_same(
    backend: dibs.Backend, sql: Any, tenant: str
) -> None:
    await lay_floor(backend, sql)
    await put_below(backend, sql, "again", tenant=tenant)
    assert await claim(sql, tenant=tenant) == []
    await make_stale(sql, "6 s")
    assert await claim(sql, tenant=tenant) == ["again"]
    await put_below(backend, sql, "once-more", tenant=tenant)
    found = await sql.fetch("SELECT id FROM dibs.claim_next_pending_job(ARRAY['T'])")
    assert [row[0] for row in found] == ["once-more"]


@pytest.mark.usefixtures("pinned")
async def test_one_looks_below_stale_floors_and_others_do_not_wait_for_it(
    backend: dibs.Backend, sql: Any, postgres_url: str
) -> None:
    await lay_floor(backend, sql)
    await make_stale(sql)
    await put_below(backend, sql, "again")
    other = await asyncpg.connect(postgres_url)
    async with sql.transaction():
        assert await claim(sql) == ["again"]
        await store_jobs(backend, "new")
        assert await claim(other) == ["new"]
    await other.close()


async def test_nothing_is_below_a_floor_when_the_dead_are_gone(
    backend: dibs.Backend, sql: Any, pinned: Callable[[], Awaitable[None]]
) -> None:
    await lay_floor(backend, sql)
    await put_below(backend, sql, "again")
    await pinned()
    await sql.execute("VACUUM dibs.jobs")
    while await sql.fetchval(COUNT_DEAD) >= DEAD // 10:
        await asyncio.sleep(0.05)
    assert await claim(sql) == ["again"]
