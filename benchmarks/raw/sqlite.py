"""The bare loop on SQLite: a table as wide as ours, one index for the order, every commit synced, the same ids.

Payloads are values outside and JSON inside, as in the other raw loops (benchmarks/raw/memory.py says why).
"""

import sqlite3
import time
from urllib.parse import urlsplit

import msgspec

from dibs.kit.ids import new_id

encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tenant TEXT, queue TEXT, job_type TEXT, state TEXT,
    priority INTEGER, run_at INTEGER, max_retries INTEGER, unique_key TEXT, concurrency_key TEXT, source TEXT,
    parent_id TEXT, cost_microcents INTEGER, attempts INTEGER, worker_deaths INTEGER, lease_token INTEGER,
    locked_by TEXT, locked_at INTEGER, heartbeat_at INTEGER, lease_expires_at INTEGER, created_at INTEGER,
    started_at INTEGER, finished_at INTEGER, error TEXT, progress TEXT, output TEXT, input TEXT
)
"""
INDEX = "CREATE INDEX IF NOT EXISTS jobs_order ON jobs (priority DESC, seq) WHERE state = 'pending'"
STORE = """
INSERT INTO jobs (
    id, tenant, queue, job_type, state, priority, run_at, max_retries, cost_microcents, attempts, worker_deaths,
    lease_token, created_at, input
)
VALUES (?, 'default', 'default', 'bench', 'pending', 0, ?, 3, 0, 0, 0, 0, ?, ?)
"""
CLAIM = """
UPDATE jobs
SET state = 'running', lease_token = lease_token + 1, locked_by = 'raw', locked_at = ?1, heartbeat_at = ?1,
    lease_expires_at = ?1 + 300000000, started_at = ?1
WHERE seq IN (SELECT seq FROM jobs WHERE state = 'pending' ORDER BY priority DESC, seq LIMIT ?2)
RETURNING id, lease_token, input
"""
COMPLETE = """
UPDATE jobs SET state = 'succeeded', output = ?, finished_at = ?, lease_expires_at = NULL
WHERE id = ? AND lease_token = ? AND state = 'running'
"""


class Raw:
    """Plain statements, each batch one transaction."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute(TABLE)
        self.connection.execute(INDEX)

    async def store(self, n, payload):
        now = time.time_ns() // 1000
        rows = [(new_id(), now, now, encode(payload).decode()) for _ in range(n)]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(STORE, rows)
        self.connection.execute("COMMIT")

    async def claim(self, n):
        self.connection.execute("BEGIN IMMEDIATE")
        claimed = self.connection.execute(CLAIM, (time.time_ns() // 1000, n)).fetchall()
        self.connection.execute("COMMIT")
        return [(job_id, token, decode(payload)) for job_id, token, payload in claimed]

    async def complete(self, handles, output):
        now = time.time_ns() // 1000
        rows = [(encode(output).decode(), now, job_id, token) for job_id, token, _ in handles]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(COMPLETE, rows)
        self.connection.execute("COMMIT")

    async def close(self):
        self.connection.close()


async def open_raw(url):
    return Raw(urlsplit(url).path[1:])
