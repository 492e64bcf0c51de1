"""A claimer that stops in the middle of a claim keeps what it was given, for as long as its lease, and no more."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import dibs
from dibs.engine.admission.rules import TenantRule
from dibs.engine.failure import ErrorInfo
from dibs.engine.store.moves import Failure
from dibs.testing.stores.postgres import PostgresStore

# Twenty megabytes fit into no buffer between two processes.
COUNT, SIZE = 200, 100_000
# Warms up, so that the next claim is one message; sends that, and stops before it has read a byte of the answer.
CLAIMER = """
import asyncio, os, signal, sys
import dibs

async def main():
    backend = await dibs.open_backend(sys.argv[1])
    assert [job.id for job in await backend.claim_pending_jobs(1, queues=["warm"])] == ["warm"]
    claiming = asyncio.ensure_future(backend.claim_pending_jobs(1000, queues=["large"]))
    for _ in range(20):
        await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGSTOP)
    jobs = await claiming
    print(len(jobs), {len(job.input["text"]) for job in jobs}, flush=True)
    await backend.close()

asyncio.run(main())
"""
HELD = "SELECT count(*) FROM dibs.jobs WHERE queue = 'large' AND lease_expires_at IS NOT NULL"
IS_STUCK = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%claim_jobs%' AND wait_event = 'ClientWrite')
"""


@asynccontextmanager
async def frozen_claimer(store: PostgresStore) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a claimer, and wait until it has stopped."""
    command = (sys.executable, "-c", CLAIMER, store.url)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        await asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def wait_for_answer(sql: Any) -> None:
    """Wait until the server has done with the claim, or cannot get rid of its answer."""
    async with asyncio.timeout(60):
        while not (await sql.fetchval(HELD) or await sql.fetchval(IS_STUCK)):
            await asyncio.sleep(0.01)


async def test_a_claimer_that_stops_while_it_receives_holds_nobody_up(
    store: PostgresStore, backend: dibs.Backend, sql: Any
) -> None:
    await backend.store_job(dibs.Job(id="warm", job_type="t", queue="warm"))
    await backend.store_jobs([dibs.Job(job_type="t", queue="large", input={"text": "x" * SIZE}) for _ in range(COUNT)])
    await backend.store_job(dibs.Job(id="other", job_type="t"))
    async with frozen_claimer(store) as process:
        await wait_for_answer(sql)
        assert await sql.fetchval(HELD) == COUNT, "others see who has the jobs, and until when"
        assert [job.id for job in await backend.claim_pending_jobs(1)] == ["other"]
        await backend.admission.set_rule(TenantRule(name="any", max_running=1), actor="op", reason="test")
        process.send_signal(signal.SIGCONT)
        answer, _ = await process.communicate()
        assert answer.decode().strip() == f"{COUNT} {{{SIZE}}}"


async def test_large_contents_come_whole_and_in_order(backend: dibs.Backend) -> None:
    sizes = [10, 200_000, 5, 3_000, 0, 900_000]
    jobs = [dibs.Job(id=f"{n}", job_type="t", input={"text": "x" * size}) for n, size in enumerate(sizes)]
    await backend.store_jobs(jobs)
    claimed = await backend.claim_pending_jobs(100)
    assert [(job.id, job.input) for job in claimed] == [(job.id, job.input) for job in jobs]


async def test_a_large_error_comes_with_the_next_claim(backend: dibs.Backend) -> None:
    await backend.store_job(dibs.Job(id="a", job_type="t"))
    (job,) = await backend.claim_pending_jobs(1)
    await backend.report_progress(job.lease, {"done": "y" * 3_000})
    await backend.fail_job(Failure(lease=job.lease, error=ErrorInfo(type="Boom", message="m" * 3_000)))
    kept = await backend.get_job("a")
    (again,) = await backend.claim_pending_jobs(1000)
    assert again.error is not None
    assert (again.error, again.progress, again.input) == (kept.error, kept.progress, kept.input)
