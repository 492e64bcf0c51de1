"""The pages on large stores: how long each takes, and what they cost a worker that drains at full speed.

    python -m benchmarks.pages sqlite [--jobs 1000000] [--waiting 100000]
    python -m benchmarks.pages postgres [--jobs 10000000]
    python -m benchmarks.pages drain [--jobs 30000]

Jobs are written straight into the tables: storing and finishing ten million would take hours. Pages are asked over
ASGI, in this process, five times each; told is the slowest but one, and the processor time of this process for one (on
a busy machine the clock tells more of the others; on SQLite the store is in this process as well).
"""

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import httpx

import dibs
from dibs.access.directory import Directory
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.assembly import find_tables_schema
from dibs.engine.tasks.builtin import make_builtin
from dibs.server.application import make_server
from dibs.server.options import ServerOptions
from dibs.storage.tables import Tables
from dibs.testing.servers import PostgresServer
from dibs.web.rates import Rate

FREE = Rate(per_second=1_000_000_000, burst=1_000_000_000)
KEY = "key-of-the-benchmark"
OPTIONS = ServerOptions(calls=FREE, failed_keys=FREE)
ENOUGH = 0.3
TIMES = 5
SQLITE_FILL = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {jobs})
INSERT INTO dibs_jobs (seq, id, tenant, queue, job_type, state, ready, priority, run_at, max_retries, source, attempts,
    lease_token, locked_by, locked_at, created_at, started_at, finished_at, error, output, input)
SELECT i, 'job-' || i, 'tenant-' || (i % 20), 'queue-' || (i % 7), 'TYPE_' || (i % 11), state,
    CASE WHEN state = 'pending' THEN 1 END, 0, at, 3, CASE WHEN i % 13 = 0 THEN 'source-' || (i % 5) END,
    state = 'failed', i, CASE WHEN state <> 'pending' THEN 'worker-1' END, at, at, at,
    CASE WHEN state <> 'pending' THEN at + 2000 END,
    CASE WHEN state = 'failed' THEN '{{"type":"Permanent","message":"no luck","traceback":""}}' END,
    CASE WHEN state = 'succeeded' THEN '{{"done":true}}' END, '{{"number":' || i || '}}'
FROM (SELECT i, 1700000000000000 + i * 1000 AS at, CASE WHEN i > {jobs} - {waiting} THEN 'pending'
    WHEN i % 50 = 0 THEN 'failed' WHEN i % 97 = 0 THEN 'cancelled' ELSE 'succeeded' END AS state FROM n)
"""
POSTGRES_FILL = """
INSERT INTO dibs.finished_jobs (seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at,
    finished_at, priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by, source,
    input, output)
SELECT i, at, at, i, 0, at, at, at + interval '2 ms', 0, 3, 0, 0,
    CASE WHEN i % 50 = 0 THEN 'failed' WHEN i % 97 = 0 THEN 'cancelled' ELSE 'succeeded' END,
    'job-' || i, 'tenant-' || (i % 20), 'queue-' || (i % 7), 'TYPE_' || (i % 11), 'worker-1',
    CASE WHEN i % 13 = 0 THEN 'source-' || (i % 5) END, json_build_object('number', i), '{"done": true}'
FROM (SELECT i, timestamptz '2026-01-01' + i * interval '1 ms' AS at
    FROM generate_series($1::bigint, $2::bigint) AS i) AS made
"""
POSTGRES_WAITING = """
INSERT INTO dibs.jobs (seq, run_at, created_at, priority, max_retries, ready, id, tenant, queue, job_type, input)
SELECT i, now(), now(), 0, 3, true, 'job-' || i, 'tenant-' || (i % 20), 'queue-' || (i % 7), 'TYPE_' || (i % 11),
    json_build_object('number', i)
FROM generate_series($1::bigint, $2::bigint) AS i
"""
# A success a job, as a drain leaves them: what an operator looks for is behind a thousand of these.
SQLITE_AUDIT = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {jobs})
INSERT INTO dibs_audit (at, tenant, actor, action, subject, reason, token)
SELECT 1700000000000000 + i * 1000, 'tenant-' || (i % 20), 'worker-1',
    CASE WHEN i % 1000 = 0 THEN 'JOB_FAILED' ELSE 'JOB_SUCCEEDED' END, 'job:job-' || i, '', i FROM n
"""
POSTGRES_AUDIT = """
INSERT INTO dibs.audit (at, tenant, actor, action, subject, reason, token)
SELECT dibs.clock(), 'tenant-' || (i % 20), 'worker-1',
    CASE WHEN i % 1000 = 0 THEN 'JOB_FAILED' ELSE 'JOB_SUCCEEDED' END, 'job:job-' || i, '', i
FROM generate_series($1::bigint, $2::bigint) AS i
"""
PAGES = {
    "overview": "/",
    "jobs, first page": "/jobs",
    "jobs, pending": "/jobs?state=pending",
    "jobs, running (none)": "/jobs?state=running",
    "jobs, retryable (none)": "/jobs?state=retryable",
    "jobs, succeeded": "/jobs?state=succeeded",
    "jobs, failed": "/jobs?state=failed",
    "jobs, of a tenant": "/jobs?tenant=tenant-3",
    "jobs, failed of a tenant": "/jobs?state=failed&tenant=tenant-3",
    "jobs, of a queue and a type": "/jobs?queue=queue-1&job_type=TYPE_1",
    "jobs, of a source": "/jobs?source=source-1",
    "jobs, of a tenant that has none": "/jobs?tenant=nobody",
    "jobs, succeeded, of a queue that has none": "/jobs?queue=nothing&state=succeeded",
    "jobs, of a worker that has none": "/jobs?locked_by=nobody",
    "jobs, search an id": "/jobs?q=job-77",
    "jobs, search a type": "/jobs?q=TYPE_7",
    "jobs, search what is not there": "/jobs?q=nothing-like-this",
    "one job": "/jobs/job-77",
    "audit, all but successes": "/audit",
    "audit, everything": "/audit?view=everything",
    "audit, of an actor that did nothing": "/audit?actor=nobody",
    "audit, of a tenant": "/audit?tenant=tenant-3",
    "tenants": "/tenants",
    "sources": "/sources",
}


class OneKey:
    """A gatekeeper at no cost: what is measured is the pages."""

    principal = Principal(actor="bench", tenant=None, scopes=frozenset(Scope), kind="key")

    async def authenticate_key(self, secret):
        return self.principal if secret == KEY else None

    async def authenticate_session(self, cookie, *, is_use=True):
        return None


@asynccontextmanager
async def serve(app):
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/tables.db"
        await find_tables_schema(url).migrate()
        async with app, Tables.at(url) as tables:
            server = make_server(app, OneKey(), Directory(tables), options=OPTIONS)
            headers = {"Authorization": f"Bearer {KEY}", "Accept": "text/html"}
            transport = httpx.ASGITransport(server)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost", headers=headers, timeout=600
            ) as client:
                yield client
            await server.state.chronicle.close()


async def measure_pages(app) -> None:
    async with serve(app) as client:
        await client.get("/")
        slow = 0
        for name, path in PAGES.items():
            began = time.process_time()
            times = sorted([await time_one(client, path) for _ in range(TIMES)])
            worked = (time.process_time() - began) / TIMES * 1000
            slow += times[-2] > ENOUGH
            over = "" if times[-2] <= ENOUGH else "   over"
            print(f"{name:45} {times[-2] * 1000:8.0f} ms, our processor {worked:5.0f} ms{over}", flush=True)
        print(f"{slow} of {len(PAGES)} over {ENOUGH * 1000:.0f} ms")


async def time_one(client, path) -> float:
    began = time.perf_counter()
    answer = await client.get(path)
    assert answer.status_code in (200, 404), answer.text
    return time.perf_counter() - began


async def bench_sqlite(jobs: int, waiting: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dibs.db"
        await (await dibs.open_backend(f"sqlite:///{file}")).close()
        with sqlite3.connect(file) as connection:
            connection.execute(SQLITE_FILL.format(jobs=jobs, waiting=waiting))
            connection.execute(SQLITE_AUDIT.format(jobs=jobs))
            connection.execute("UPDATE dibs_counters SET value = ? WHERE name IN ('job', 'token')", (jobs + 1,))
            connection.execute("ANALYZE")
        print(f"SQLite, {jobs:,} jobs, {waiting:,} of them waiting")
        await measure_pages(make_app(f"sqlite:///{file}"))


async def bench_postgres(jobs: int, waiting: int) -> None:
    with PostgresServer() as server:
        await (await dibs.open_backend(server.url)).close()
        connection = await asyncpg.connect(server.url)
        for begin in range(1, jobs - waiting, 1_000_000):
            await connection.execute(POSTGRES_FILL, begin, min(begin + 999_999, jobs - waiting), timeout=900)
            await connection.execute(POSTGRES_AUDIT, begin, min(begin + 999_999, jobs - waiting), timeout=900)
            print(".", end="", flush=True)
        await connection.execute(POSTGRES_WAITING, jobs - waiting + 1, jobs, timeout=900)
        for name in ("jobs", "finished_jobs", "audit"):
            await connection.execute(f"VACUUM ANALYZE dibs.{name}", timeout=900)
        await connection.execute("SELECT setval(pg_get_serial_sequence('dibs.jobs', 'seq'), $1)", jobs + 1)
        await connection.close()
        print(f"\nPostgreSQL, {jobs:,} jobs, {waiting:,} of them waiting")
        await measure_pages(make_app(server.url))


def make_app(url):
    app = dibs.Dibs(url)
    app.include(make_builtin())
    return app


async def bench_drain(jobs: int) -> None:
    """Drain with and without somebody who watches the overview, in turns."""
    runs = {False: [], True: []}
    for is_watched in (False, True) * 5:
        runs[is_watched].append(await drain(jobs, is_watched=is_watched))
        print("watched" if is_watched else "alone", *(f"{rate:,.0f}" for rate in runs[is_watched][-1]), flush=True)
    for place, what in enumerate(("a second", "a second of the processor")):
        pairs = zip(runs[False], runs[True], strict=True)
        ratio = statistics.median(watched[place] / alone[place] for alone, watched in pairs)
        print(f"{what}: watched {ratio:.2f} of alone (median of {len(runs[True])} pairs)")


async def drain(jobs: int, *, is_watched: bool) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(f"sqlite:///{folder}/dibs.db")
        async with serve(app) as client:
            await app.enqueue_many("PING", [{}] * jobs)
            if is_watched:
                # Templates are compiled once, and the first look reads more than the others.
                await client.get("/")
            watching = asyncio.create_task(watch(client)) if is_watched else None
            began, processor = time.perf_counter(), time.process_time()
            await app.make_worker(until_drained=True).run()
            rates = jobs / (time.perf_counter() - began), jobs / (time.process_time() - processor)
            if watching is not None:
                watching.cancel()
                [result] = await asyncio.gather(watching, return_exceptions=True)
                assert isinstance(result, asyncio.CancelledError), result
            return rates


async def watch(client) -> None:
    while True:
        spent = await time_one(client, "/")
        print(f"  overview in {spent * 1000:.0f} ms", flush=True)
        await asyncio.sleep(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["sqlite", "postgres", "drain"])
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--waiting", type=int, default=100_000)
    given = parser.parse_args()
    if given.what == "drain":
        asyncio.run(bench_drain(given.jobs or 30_000))
    elif given.what == "sqlite":
        asyncio.run(bench_sqlite(given.jobs or 1_000_000, given.waiting))
    else:
        asyncio.run(bench_postgres(given.jobs or 10_000_000, given.waiting))


if __name__ == "__main__":
    main()
