"""A gate that is open again: whoever waited behind it goes on without being looked for there."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import QueueRule
from dibs.engine.job import Job
from dibs.testing import PostgresStore, SqliteStore, StoreHarness
from dibs.testing.machine.governing import open_all

ACT = {"actor": "op", "reason": "turns"}


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StoreHarness]:
    store: StoreHarness = SqliteStore()
    if request.param == "postgres":
        store = await PostgresStore.start(request.getfixturevalue("postgres_url"))
    await store.reset()
    yield store
    await store.close()


async def count_behind_gates(store: StoreHarness) -> int:
    async with store.transaction() as connection:
        if isinstance(store, PostgresStore):
            behind: int = await connection.fetchval("SELECT count(*) FROM dibs.lanes WHERE barrier LIKE 'gate:%'")
            return behind
        return int(connection.execute("SELECT count(*) FROM dibs_lanes WHERE parked_on LIKE 'gate%'").fetchone()[0])


async def test_nobody_is_looked_for_behind_a_gate_that_is_open_again(store: StoreHarness) -> None:
    """Else every claim would read all tenants behind it, until each has had a job."""
    async with await store.open() as backend:
        await backend.admission.set_rule(QueueRule(name="one", fair=True), **ACT)
        await backend.store_jobs([Job(job_type="a", queue="one", tenant=f"t{number:02}") for number in range(40)])
        for mode in (GateMode.DRAIN, GateMode.CLOSED):
            await backend.admission.set_rule(Gate(scope=GateScope.QUEUE, name="one", mode=mode), **ACT)
            assert not await backend.claim_pending_jobs(1)
            # A gate that is shut in another way lets nobody go, either.
            assert await count_behind_gates(store) == 40
        await open_all(backend)
        assert len(await backend.claim_pending_jobs(1)) == 1
        assert await count_behind_gates(store) == 0
