"""Large batches cost what their jobs cost, and a batch goes on record in the order in which it was asked."""

import random
from datetime import timedelta
from typing import Any

import pytest

import dibs
from dibs.engine.store.moves import CancelVerdict, Drop, RetryVerdict
from dibs.testing.stores.postgres import PostgresStore
from tests.backends.postgres.schema.test_plans import explain, seen_rows

FEW, FACTOR = 500, 8
CANCEL = "SELECT * FROM dibs.cancel_jobs($1, 'op', 'test')"
RETRY = "SELECT * FROM dibs.retry_jobs($1, 'op', 'test', false)"
ACT = {"actor": "op", "reason": "test"}
COUNT_LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"


async def test_a_batch_of_unique_keys_takes_few_locks(backend: dibs.Backend, store: PostgresStore) -> None:
    """The server has room for some thousand locks in all."""
    async with store.transaction() as connection:
        jobs = [dibs.Job(id=f"job-{number}", job_type="t", unique_key=f"key-{number}") for number in range(3_000)]
        assert None not in await backend.store_jobs(jobs, connection=connection)
        assert await connection.fetchval(COUNT_LOCKS) <= 256
    await backend.cancel_jobs([job.id for job in jobs], **ACT)
    async with store.transaction() as connection:
        await connection.fetch("SELECT * FROM dibs.retry_jobs($1, 'op', 'test', false)", [job.id for job in jobs])
        assert await connection.fetchval(COUNT_LOCKS) <= 256


async def count_rows(sql: Any, statement: str, count: int) -> float:
    """Count the rows that all parts of a plan look at, and keep what they did."""
    ids = [f"{count}-{number}" for number in range(count)]
    nodes = await explain(sql, statement, ids)
    return sum(map(seen_rows, nodes))


async def test_cancelling_and_retrying_grow_with_the_batch_and_no_faster(backend: dibs.Backend, sql: Any) -> None:
    for count in (FEW, FEW * FACTOR):
        await backend.copy_jobs([dibs.Job(id=f"{count}-{number}", job_type="t") for number in range(count)])
    for statement in (CANCEL, RETRY):
        few, many = [await count_rows(sql, statement, count) for count in (FEW, FEW * FACTOR)]
        assert few >= FEW
        assert many < 1.5 * FACTOR * few, (
            f"{statement}: {few:.0f} rows for {FEW}, {many:.0f} for {FACTOR} times as many"
        )


async def test_a_retried_batch_is_judged_one_after_the_other(backend: dibs.Backend) -> None:
    keys = {"free-2": "free", "free-1": "free", "taken-1": "taken", "plain": None, "other": "other"}
    for job_id, key in keys.items():
        await backend.store_job(dibs.Job(id=job_id, job_type="t", unique_key=key))
        await backend.cancel_job(job_id, **ACT)
    await backend.store_job(dibs.Job(id="done", job_type="t", unique_key="free"))
    done = await backend.claim_pending_job()
    assert done is not None
    await backend.complete_job(done.lease)
    await backend.store_job(dibs.Job(id="holder", job_type="t", unique_key="taken"))
    asked = ["done", "free-1", "nobody", "taken-1", "free-2", "holder", "plain", "other"]
    assert await backend.retry_jobs(asked, **ACT) == [
        RetryVerdict.NOT_REVIVABLE,
        RetryVerdict.RETRIED,
        RetryVerdict.MISSING,
        RetryVerdict.KEY_TAKEN,
        RetryVerdict.KEY_TAKEN,
        RetryVerdict.NOT_REVIVABLE,
        RetryVerdict.RETRIED,
        RetryVerdict.RETRIED,
    ]


async def test_a_cancelled_batch_is_answered_in_the_order_asked(backend: dibs.Backend) -> None:
    await backend.store_jobs([dibs.Job(id=job_id, job_type="t") for job_id in "ac"])
    await backend.cancel_job("a", **ACT)
    verdicts = await backend.cancel_jobs(["nobody", "c", "a"], **ACT)
    assert verdicts == [CancelVerdict.MISSING, CancelVerdict.CANCELLED, CancelVerdict.ALREADY_FINAL]


async def complete(backend: dibs.Backend, jobs: list[dibs.Job]) -> Any:
    return await backend.complete_jobs([backend.completion(job.lease) for job in jobs])


async def fail(backend: dibs.Backend, jobs: list[dibs.Job]) -> Any:
    error, kind = dibs.ErrorInfo(type="Boom"), dibs.FailureKind.PERMANENT
    return await backend.fail_jobs([dibs.Failure(lease=job.lease, error=error, kind=kind) for job in jobs])


async def drop(backend: dibs.Backend, jobs: list[dibs.Job]) -> Any:
    return await backend.drop_jobs([Drop(lease=job.lease, reason="test") for job in jobs])


async def cancel(backend: dibs.Backend, jobs: list[dibs.Job]) -> Any:
    return await backend.cancel_jobs([job.id for job in jobs], **ACT)


async def retry(backend: dibs.Backend, jobs: list[dibs.Job]) -> Any:
    await backend.cancel_jobs([job.id for job in jobs], **ACT)
    return await backend.retry_jobs([job.id for job in jobs], **ACT)


@pytest.mark.parametrize("move", [complete, fail, drop, cancel, retry])
async def test_the_audit_log_has_the_order_of_the_request(backend: dibs.Backend, move: Any) -> None:
    await backend.store_jobs([dibs.Job(id=f"job-{number:03}", job_type="t") for number in range(100)])
    jobs = await backend.claim_pending_jobs(100)
    random.Random(7).shuffle(jobs)
    assert all(await move(backend, jobs))
    page = await backend.reader.list_audit(dibs.AuditFilter(), dibs.PageRequest(limit=100))
    assert [entry.subject for entry in reversed(page.items)] == [f"job:{job.id}" for job in jobs]


async def test_a_reap_goes_on_record_in_the_order_of_its_answer(backend: dibs.Backend, store: PostgresStore) -> None:
    await backend.store_jobs([dibs.Job(job_type="t") for _ in range(50)])
    for number in range(50):
        await backend.claim_pending_job(lease=timedelta(seconds=1 + number * 7 % 50))
    await store.advance(timedelta(minutes=2))
    reaped = await backend.reap_jobs()
    page = await backend.reader.list_audit(dibs.AuditFilter(), dibs.PageRequest(limit=100))
    assert [entry.subject for entry in reversed(page.items)] == [f"job:{gone.lease.job_id}" for gone in reaped]
