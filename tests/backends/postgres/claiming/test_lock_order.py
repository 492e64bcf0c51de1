"""Everybody locks rows in the order of ids, so that two batches never wait for each other."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import dibs
from dibs.engine.store.moves import Drop, Progress
from dibs.kit.codec import Json
from dibs.testing.stores.postgres import PostgresStore

BATCHES: dict[str, Callable[[dibs.Backend, list[dibs.Lease]], Coroutine[Any, Any, Any]]] = {
    "heartbeat": lambda backend, leases: backend.heartbeat_jobs(leases),
    "progress": lambda backend, leases: backend.jobs.report_progress(
        [Progress(lease=lease, value=Json(b"1")) for lease in leases]
    ),
    "snooze": lambda backend, leases: backend.release_jobs(leases),
    "complete": lambda backend, leases: backend.complete_jobs([backend.completion(lease) for lease in leases]),
    "fail": lambda backend, leases: backend.fail_jobs(
        [dibs.Failure(lease=lease, error=dibs.ErrorInfo(type="Boom")) for lease in leases]
    ),
    "drop": lambda backend, leases: backend.drop_jobs([Drop(lease=lease) for lease in leases]),
    "cancel": lambda backend, leases: backend.cancel_jobs(
        [lease.job_id for lease in leases], actor="op", reason="test"
    ),
    "retry": lambda backend, leases: backend.retry_jobs([lease.job_id for lease in leases], actor="op", reason="test"),
}


@pytest.mark.parametrize("batch", BATCHES)
async def test_rows_are_locked_by_id_whatever_the_order_of_a_batch(
    backend: dibs.Backend, store: PostgresStore, sql: Any, batch: str
) -> None:
    await backend.store_jobs([dibs.Job(id=job_id, job_type="t") for job_id in "abc"])
    leases = {job.id: job.lease for job in await backend.claim_pending_jobs(3)}
    table = "dibs.jobs"
    if batch == "retry":
        await backend.cancel_jobs(["a", "b", "c"], actor="op", reason="test")
        table = "dibs.finished_jobs"
    async with store.transaction() as other:
        await other.execute(f"SELECT FROM {table} WHERE id = 'b' FOR UPDATE")
        sent = asyncio.create_task(BATCHES[batch](backend, [leases[job_id] for job_id in "cab"]))
        async with asyncio.timeout(60):
            while not await sql.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
        free = await sql.fetch(f"SELECT id FROM {table} ORDER BY id FOR UPDATE SKIP LOCKED")
    assert all(await sent)
    assert [row["id"] for row in free] == ["c"], "it waits for b, so it has a, and has not come to c"
