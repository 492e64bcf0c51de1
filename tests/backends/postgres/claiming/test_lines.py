"""Large claims of the same lanes go one after the other; nothing depends on it, and nobody waits for long."""

from typing import Any

import dibs

CLAIM = "SELECT id FROM dibs.claim_jobs('elsewhere', $1, 60000000, NULL, $2, NULL, false)"
COUNT_LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"


async def count_locks(sql: Any, wanted: int, job_types: list[str]) -> int:
    """Tell how many advisory locks a claim holds until its transaction ends; the claim is undone."""
    undone = sql.transaction()
    await undone.start()
    await sql.fetch(CLAIM, wanted, job_types)
    count: int = await sql.fetchval(COUNT_LOCKS)
    await undone.rollback()
    return count


async def test_only_large_claims_stand_in_line(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type=job_type) for job_type in ("a", "b") for _ in range(200)])
    for job_types in (["a"], ["a", "b"]):
        assert await count_locks(sql, 100, job_types) == await count_locks(sql, 99, job_types) + 1


async def test_a_large_claim_goes_on_when_the_line_does_not_move(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type="t") for _ in range(300)])
    async with sql.transaction():
        theirs = {row["id"] for row in await sql.fetch(CLAIM, 100, ["t"])}
        ours = {job.id for job in await backend.claim_pending_jobs(100, job_types=["t"])}
    assert (len(theirs), len(ours), len(theirs & ours)) == (100, 100, 0)


async def test_a_large_claim_of_few_jobs_does_not_wait(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type="t") for _ in range(60)])
    async with sql.transaction():
        assert len(await sql.fetch(CLAIM, 100, ["t"])) == 60
        await backend.store_jobs([dibs.Job(job_type="t") for _ in range(60)])
        assert len(await backend.claim_pending_jobs(100, job_types=["t"])) == 60


async def test_a_claim_in_a_callers_transaction_keeps_nobody_waiting(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(job_type="t") for _ in range(300)])
    async with sql.transaction():
        await sql.execute("SET LOCAL dibs.is_caller = 'on'")
        kept = await sql.fetchval(COUNT_LOCKS)
        await sql.fetch(CLAIM, 100, ["t"])
        # The rules are held, the line is not.
        assert await sql.fetchval(COUNT_LOCKS) == kept + 1
