"""What plain SQL sees: the claiming function, and words that must be the same on both sides."""

import asyncio
import json
from datetime import timedelta
from functools import partial
from typing import Any

import asyncpg
import msgspec
import pytest
from msgspec.structs import replace

import dibs
from dibs.engine.failure import quarantine_error
from dibs.testing.stores.postgres import PostgresStore

RULES_ARE_KEPT = """
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
        AND (classid::bigint << 32 | objid::bigint) = dibs.lock_of('rules')
)
"""


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


async def test_a_gate_is_shut_at_once_while_a_callers_claim_is_not_committed(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_jobs([dibs.Job(id="governed", job_type="g", source="ebay"), dibs.Job(id="plain", job_type="p")])
    await backend.store_job(dibs.Job(id="other", job_type="g", source="ebay"))
    gate = dibs.Gate(scope=dibs.GateScope.JOB_TYPE, name="g", mode=dibs.GateMode.CLOSED)
    async with sql.transaction():
        assert (await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job(ARRAY['g'])"))["id"] == "governed"
        async with asyncio.timeout(2.5):
            # A lock that was waited for takes three seconds and more.
            given = await backend.claim_pending_jobs(5)
            await backend.admission.set_rule(gate, actor="op", reason="stop")
            paused = await backend.sources.pause("ebay", actor="op", reason="stop")
        assert ([job.id for job in given], paused.rule.enabled) == (["plain"], False)
    await backend.admission.set_rule(replace(gate, mode=dibs.GateMode.OPEN), actor="op", reason="go on")
    await backend.sources.resume("ebay", actor="op", reason="go on")
    assert [job.id for job in await backend.claim_pending_jobs(5)] == ["other"]


async def test_a_new_cap_waits_for_a_callers_claim_and_says_so(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_job(dibs.Job(id="a", job_type="t"))
    async with sql.transaction():
        await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job()")
        with pytest.raises(dibs.StoreError, match="claim_next_pending_job"):
            rule = dibs.TenantRule(name="default", max_running=1)
            await backend.admission.set_rule(rule, actor="op", reason="too many")


@pytest.mark.parametrize("is_replaced", [False, True])
async def test_while_a_new_cap_waits_for_a_caller_claims_go_on(
    backend: dibs.Backend, store: PostgresStore, sql: Any, *, is_replaced: bool
) -> None:
    await backend.store_jobs([dibs.Job(id=job_id, job_type="t") for job_id in "abc"])
    before, after = (dibs.TenantRule(name="default", max_running=most) for most in (9, 3))
    act = {"actor": "op", "reason": "too many"}
    if is_replaced:
        await backend.admission.set_rule(before, **act)
    async with sql.transaction(), asyncio.timeout(4):
        assert (await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job()"))["id"] == "a"
        replace_it, set_it = partial(backend.admission.replace_rule, before), backend.admission.set_rule
        setting = asyncio.create_task((replace_it if is_replaced else set_it)(after, **act))
        async with store.transaction() as other:
            while not await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
            assert not await other.fetchval(RULES_ARE_KEPT)
        # The same transaction, and somebody else, as far as a door is not kept.
        assert (await sql.fetchrow("SELECT * FROM dibs.claim_next_pending_job()"))["id"] == "b"
        given = await backend.claim_pending_jobs(1)
        assert [job.id for job in given] == ([] if is_replaced else ["c"])
    await setting
    assert await backend.admission.list_rules() == [after]


async def test_who_would_wait_in_a_circle_is_told_that_others_are_there(store: PostgresStore) -> None:
    async with store.transaction() as one:
        other = await asyncpg.connect(store.url)
        try:
            async with other.transaction():
                for number, connection in enumerate((one, other)):
                    await connection.execute("SET LOCAL deadlock_timeout = '20ms'")
                    await connection.execute("SELECT pg_advisory_xact_lock($1)", number)
                asked = asyncio.create_task(one.fetchval("SELECT dibs.wait_for(1)"))
                is_free = await other.fetchval("SELECT dibs.wait_for(0)")
                assert not is_free or not await asked
        finally:
            await other.close()
        await asked


async def test_a_callers_claim_that_fails_keeps_no_lock(backend: dibs.Backend, sql: Any) -> None:
    await backend.store_job(dibs.Job(id="a", job_type="t", source="ebay"))
    with pytest.raises(asyncpg.PostgresError):
        async with sql.transaction(isolation="serializable"):
            await sql.fetch("SELECT * FROM dibs.claim_next_pending_job()")
    assert await sql.fetch("SELECT * FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()") == []
