"""A claim that meets a job while it is being replaced gives it all the same, as it is now."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest_asyncio

import dibs

GATE = 4_217_001
# Whoever looks at the second job waits at a gate: a claim that has begun, and stands between looking and locking.
POLICY = """
CREATE FUNCTION {schema}.pass_gate(job_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF job_id = 'second' THEN
        PERFORM pg_advisory_lock_shared({gate});
        PERFORM pg_advisory_unlock_shared({gate});
    END IF;
    RETURN true;
END
$$;
ALTER TABLE {schema}.jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY gated ON {schema}.jobs TO {schema}_role USING ({schema}.pass_gate(id)) WITH CHECK (true);
"""
WAITING = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted)"


@pytest_asyncio.fixture
async def gated_url(postgres_url: str, schema: str, sql: Any) -> AsyncIterator[str]:
    """A store in which two jobs wait, opened by a role that has to pass the gate."""
    url, role = f"{postgres_url}?schema={schema}", f"{schema}_role"
    await sql.execute(f"CREATE ROLE {role} LOGIN")
    async with await dibs.open_backend(url) as owner:
        assert owner.roles is not None
        await owner.store_jobs([dibs.Job(id=name, job_type="t") for name in ("first", "second")])
        await sql.execute(POLICY.format(schema=schema, gate=GATE))
        await owner.roles.grant(role)
    yield url.replace(f"//{urlsplit(url).username}@", f"//{role}@")
    await sql.execute(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {role}")


async def test_a_job_that_was_replaced_while_a_claim_looked_at_it_is_given(
    gated_url: str, schema: str, sql: Any
) -> None:
    await sql.execute(f"SELECT pg_advisory_lock({GATE})")
    async with await dibs.open_backend(gated_url, migrate=False) as backend:
        claiming = asyncio.ensure_future(backend.claim_pending_jobs(5))
        async with asyncio.timeout(60):
            while not await sql.fetchval(WAITING, GATE):
                await asyncio.sleep(0.01)
        await sql.execute(f"UPDATE {schema}.jobs SET input = '{{\"is\": \"new\"}}' WHERE id = 'second'")
        await sql.execute(f"SELECT pg_advisory_unlock({GATE})")
        assert [(job.id, job.input) for job in await claiming] == [("first", {}), ("second", {"is": "new"})]
