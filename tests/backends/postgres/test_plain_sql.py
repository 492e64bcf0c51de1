"""What plain SQL sees: the claiming function, and words that must be the same on both sides."""

import json
from datetime import timedelta
from typing import Any

import msgspec
import pytest

import dibs
from dibs.engine.failure import quarantine_error
from dibs.testing.stores.postgres import PostgresStore


async def test_plain_sql_claims_the_most_urgent_job(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(id="low", job_type="t"), dibs.Job(id="high", job_type="t", priority=5)])
    row = await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job()")
    assert (row["id"], row["state"]) == ("high", "running")
    await backend.complete_job(dibs.Lease("high", row["lease_token"]))


async def test_plain_sql_claims_by_type_and_in_a_name(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(id="a", job_type="a"), dibs.Job(id="b", job_type="b")])
    row = await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job(ARRAY['b'], 'worker-7')")
    assert (row["id"], row["locked_by"]) == ("b", "worker-7")
    assert await sql.fetch("SELECT * FROM dibs.claim_next_pending_job(job_types => ARRAY['c'])") == []


async def test_plain_sql_reclaims_a_lapsed_job_first(backend: dibs.Backend, store: PostgresStore, sql: Any) -> None:
    await backend.store_job(dibs.Job(id="a", job_type="t"))
    lost = await backend.claim_pending_job(worker="gone")
    assert lost is not None
    assert await sql.fetch("SELECT * FROM dibs.claim_next_pending_job()") == []
    await store.advance(timedelta(seconds=301))
    row = await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job(worker => 'next')")
    assert (row["id"], row["attempts"], row["locked_by"]) == ("a", 1, "next")
    with pytest.raises(dibs.LeaseLost):
        await backend.complete_job(lost.lease)


@pytest.mark.parametrize("deaths", [1, 3, 12])
async def test_both_sides_give_the_same_reason_for_a_quarantine(sql: Any, store: PostgresStore, deaths: int) -> None:
    found = json.loads(await sql.fetchval(f"SELECT dibs.quarantine_error({deaths})"))
    assert found == msgspec.to_builtins(quarantine_error(deaths))
