"""Files that were made when version 4 was another one are brought to the layout that a new file has, and work."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import dibs
from dibs.backends.sqlite.schema import MIGRATIONS
from dibs.backends.sqlite.statements import migration_steps
from dibs.engine.admission.rules import KeyRule
from dibs.testing.stores.sqlite import SqliteStore

# Version 4 as it once was. Never change these files with the code: they are the past. The other versions never changed.
FOURTHS = ("0004_first", "0004_middle")
OLD_JOB = """
INSERT INTO dibs_jobs (seq, id, tenant, queue, job_type, state, ready, lane, priority, run_at, max_retries, created_at,
    max_cost_microcents, concurrency_key, input)
VALUES (?1, ?2, 'default', 'default', 'test', 'pending', 2, 7, ?3, 0, 3, 0, ?4, 'one', '{}')
"""
OLD_LANE = """
INSERT INTO dibs_lanes (lane, queue, job_type, tenant, source, concurrency_key, priority, seq, parked_on)
VALUES (7, 'default', 'test', 'default', '', 'one', 5, 1, 'key')
"""


def lay(store: SqliteStore, fourth: str) -> None:
    """Make a file of version 5 as the code of that time did, with three jobs that wait in one lane behind a limit."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE dibs_schema (version INTEGER PRIMARY KEY, oldest_code INTEGER NOT NULL)")
        for version in range(1, 6):
            for step in old_steps(fourth) if version == 4 else migration_steps(MIGRATIONS[version][0]):
                connection.execute(step)
            connection.execute("INSERT INTO dibs_schema VALUES (?, 1)", (version,))
        connection.execute(OLD_LANE)
        connection.execute("INSERT INTO dibs_parks VALUES ('key', 'key', 0, NULL)")
        for seq, (job_id, priority, cost) in enumerate([("dear", 0, 9), ("cheap", 5, 1), ("cheaper", 5, 1)], start=1):
            connection.execute(OLD_JOB, (seq, job_id, priority, cost))
        connection.execute("UPDATE dibs_counters SET value = 3 WHERE name = 'job'")


def old_steps(fourth: str) -> list[str]:
    text = (Path(__file__).parent / "layouts" / f"{fourth}.sql").read_text()
    return [part for part in text.split(";\n") if part.strip()]


def read_catalog(store: SqliteStore) -> dict[str, str]:
    with closing(sqlite3.connect(store.path)) as connection:
        rows = connection.execute("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return {name: re.sub(r"\s+", " ", re.sub(r"--.*", "", sql)) for name, sql in rows if name != "table dibs_schema"}


@pytest.mark.parametrize("fourth", FOURTHS)
async def test_an_old_layout_becomes_that_of_a_new_file(tmp_path: Path, fourth: str) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    old, new = (SqliteStore(tmp_path / name) for name in ("old", "new"))
    lay(old, fourth)
    for store in (old, new):
        async with await store.open():
            pass
    assert read_catalog(old) == read_catalog(new)


@pytest.mark.parametrize("fourth", FOURTHS)
async def test_jobs_that_wait_in_old_lanes_are_done_in_their_order(store: SqliteStore, fourth: str) -> None:
    lay(store, fourth)
    order = []
    async with await store.open() as backend:
        while jobs := await backend.claim_pending_jobs(10):
            order += [[job.id for job in jobs]]
            await backend.complete_jobs([backend.completion(job.lease) for job in jobs])
        assert order == [["cheap"], ["cheaper"], ["dear"]]
        await backend.admission.set_rule(KeyRule(name="two", max_running=2), actor="op", reason="test")
        await backend.store_jobs([dibs.Job(job_type="test", concurrency_key="two") for _ in range(3)])
        assert len(await backend.claim_pending_jobs(10)) == 2
