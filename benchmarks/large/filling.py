"""Filling stores with very many jobs: by one statement where there is SQL, through the contract elsewhere."""

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import asyncpg

import dibs

CHUNK = 1_000_000
BATCH = 5_000
QUEUE, JOB_TYPE = "default", "bench"
PAYLOAD = {"to": "somebody@example.org", "subject": "a subject of common length", "template": "welcome", "n": 12345}
JSON = json.dumps(PAYLOAD, separators=(",", ":"))
LATER = timedelta(days=30)

# Each takes the first and the last number, so that many can be made in parts.
POSTGRES = {
    "waiting": """
INSERT INTO {schema}.jobs (run_at, created_at, priority, max_retries, ready, id, tenant, queue, job_type, input)
SELECT now(), now(), 0, 3, true, 'waiting-' || lpad(i::text, 9, '0'), 'default', 'default', 'bench', '{payload}'
FROM generate_series($1::bigint, $2::bigint) AS i""",
    "scheduled": """
INSERT INTO {schema}.jobs (run_at, created_at, priority, max_retries, ready, id, tenant, queue, job_type, input)
SELECT now() + interval '30 days' + i * interval '1 ms', now(), 0, 3, false, 'later-' || lpad(i::text, 9, '0'),
    'default', 'default', 'bench', '{payload}'
FROM generate_series($1::bigint, $2::bigint) AS i""",
    "finished": """
INSERT INTO {schema}.finished_jobs (seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at,
    finished_at, priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by, input)
SELECT -i, now(), now(), i, 0, now(), now(), now(), 0, 3, 0, 0, 'succeeded', 'finished-' || lpad(i::text, 9, '0'),
    'default', 'default', 'bench', 'worker-1', '{payload}'
FROM generate_series($1::bigint, $2::bigint) AS i""",
}
SQLITE = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
INSERT INTO dibs_jobs (seq, id, tenant, queue, job_type, state, ready, priority, run_at, max_retries, lease_token,
    created_at, finished_at, input)
SELECT i + (SELECT value FROM dibs_counters WHERE name = 'job'), '{kind}-' || i, 'default', 'default', 'bench',
    {facts}, (SELECT now FROM dibs_clock), {finished_at}, '{payload}'
FROM n"""
SQLITE_FACTS = {
    "waiting": "'pending', 1, 0, (SELECT now FROM dibs_clock), 3, 0",
    "scheduled": "'pending', 0, 0, (SELECT now FROM dibs_clock) + 2592000000000 + i, 3, 0",
    "finished": "'succeeded', NULL, 0, (SELECT now FROM dibs_clock), 3, i",
}


async def fill(url: str, backend: dibs.Backend, kind: str, count: int) -> None:
    """Put so many waiting, scheduled or finished jobs into a store."""
    scheme = urlsplit(url).scheme
    if scheme == "postgresql":
        await _fill_postgres(url, kind, count)
    elif scheme == "sqlite":
        _fill_sqlite(url, kind, count)
    elif kind == "finished":
        await _finish(backend, count)
    else:
        run_at = datetime.now(UTC) + LATER if kind == "scheduled" else None
        await copy(backend, count, lambda _: {"run_at": run_at})


async def copy(backend: dibs.Backend, count: int, describe: Callable[[int], dict[str, object]]) -> None:
    """Store jobs through the contract, each with what `describe` says of its number."""
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        await backend.copy_jobs([make_job(**describe(number)) for number in numbers])


def make_job(**facts: object) -> dibs.Job:
    """One job like all the others."""
    return dibs.Job(**{"job_type": JOB_TYPE, "queue": QUEUE, "input": PAYLOAD, **facts})  # type: ignore[arg-type]


async def settle(url: str, backend: dibs.Backend) -> None:
    """Let a store come to rest that was filled through the contract, as the server does by itself within a minute."""
    if urlsplit(url).scheme != "postgresql":
        return
    schema = url.rpartition("schema=")[2]
    connection = await asyncpg.connect(url.partition("?")[0])
    # Reaping brings the directory of lanes up to date, some thousand lanes at a time.
    while await connection.fetchval(f"SELECT count(*) FROM {schema}.arrivals WHERE lane IS NOT NULL"):
        await backend.reap_jobs()
    for table in ("jobs", "arrivals", "lanes", "ring", "turns"):
        await connection.execute(f"VACUUM ANALYZE {schema}.{table}", timeout=3600)
    await connection.execute("CHECKPOINT", timeout=600)
    await connection.close()


async def _fill_postgres(url: str, kind: str, count: int) -> None:
    schema = url.rpartition("schema=")[2]
    connection = await asyncpg.connect(url.partition("?")[0])
    statement = POSTGRES[kind].format(schema=schema, payload=JSON)
    for first in range(1, count + 1, CHUNK):
        await connection.execute(statement, first, min(first + CHUNK - 1, count), timeout=3600)
    for table in ("jobs", "finished_jobs"):
        await connection.execute(f"VACUUM ANALYZE {schema}.{table}", timeout=3600)
    await connection.execute("CHECKPOINT", timeout=600)
    await connection.close()


def _fill_sqlite(url: str, kind: str, count: int) -> None:
    statement = SQLITE.format(
        count=count,
        kind=kind,
        facts=SQLITE_FACTS[kind],
        finished_at="(SELECT now FROM dibs_clock)" if kind == "finished" else "NULL",
        payload=JSON,
    )
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    with connection:
        connection.execute(statement)
        connection.execute("UPDATE dibs_counters SET value = value + ? WHERE name IN ('job', 'token')", (count,))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


async def _finish(backend: dibs.Backend, count: int) -> None:
    """Let jobs go the whole way, in batches."""
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        await backend.copy_jobs([make_job(queue="done") for _ in range(size)])
        left = size
        while left:
            taken = await backend.claim_pending_jobs(min(left, 1_000), queues=["done"])
            await backend.complete_jobs([backend.completion(job.lease, None) for job in taken])
            left -= len(taken)
