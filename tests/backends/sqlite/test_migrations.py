"""From an older schema to this one, with old and new code side by side."""

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest

import dibs
from dibs.backends.sqlite import open_parts
from dibs.backends.sqlite.schema import MIGRATIONS, WANTED, apply_missing
from dibs.backends.sqlite.transaction import Transaction
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import SchemaMismatch
from dibs.testing.stores.sqlite import SqliteStore
from tests.backends.sqlite.conftest import Start

# What code of version 1 sends: it knows neither notices nor named leases.
OLD_STORE = """
INSERT INTO dibs_jobs (seq, id, tenant, queue, job_type, state, ready, priority, run_at, max_retries, created_at, input)
SELECT ?1, ?2, 'default', 'default', 'test', 'pending', 1, 0, now, 3, now, '{}' FROM dibs_clock
"""
OLD_CLAIM = """
UPDATE dibs_jobs
SET state = 'running', ready = NULL, lease_token = ?1, locked_by = 'old', locked_at = (SELECT now FROM dibs_clock),
    heartbeat_at = (SELECT now FROM dibs_clock), lease_expires_at = (SELECT now FROM dibs_clock) + 300000000,
    started_at = (SELECT now FROM dibs_clock)
WHERE seq = (
    SELECT seq FROM dibs_jobs WHERE ready = 1 AND queue = 'default' AND job_type = 'test'
    ORDER BY priority DESC, seq LIMIT 1
)
RETURNING id, lease_token
"""
OLD_COMPLETE = """
UPDATE dibs_jobs SET state = 'succeeded', output = '"old"', finished_at = (SELECT now FROM dibs_clock),
    lease_expires_at = NULL
WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
"""
NEXT = "UPDATE dibs_counters SET value = value + 1 WHERE name = ?1 RETURNING value"


def install(store: SqliteStore, version: int) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        apply_missing(Transaction(connection.cursor()), up_to=version)
        connection.execute("COMMIT")


class OldCode(threading.Thread):
    """Stores, claims and completes in a loop, as version 1 did."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__()
        self.path = store.path
        self.stored: set[str] = set()
        self.done: list[str] = []
        self.stopping = threading.Event()
        self.underway = threading.Event()

    def run(self) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=30)) as connection:
            while not self.stopping.is_set():
                self._store_one(connection)
                self._work_once(connection)
                self.underway.set()

    def _store_one(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        (seq,) = connection.execute(NEXT, ("job",)).fetchone()
        connection.execute(OLD_STORE, (seq, f"old-{seq}"))
        connection.execute("COMMIT")
        self.stored.add(f"old-{seq}")

    def _work_once(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        (token,) = connection.execute(NEXT, ("token",)).fetchone()
        claimed = connection.execute(OLD_CLAIM, (token,)).fetchall()
        connection.execute("COMMIT")
        for job_id, held in claimed:
            assert connection.execute(OLD_COMPLETE, (job_id, held)).rowcount == 1
            self.done.append(job_id)


async def test_old_and_new_code_share_the_file_through_a_migration(store: SqliteStore) -> None:
    install(store, 1)
    old = OldCode(store)
    old.start()
    assert await asyncio.to_thread(old.underway.wait, 10)
    done: list[str] = []
    async with await store.open() as backend:
        assert (await backend.schema.state()).found == WANTED
        for n in range(50):
            await backend.store_job(dibs.Job(id=f"new-{n}", job_type="test"))
            for job in await backend.claim_pending_jobs(2):
                await backend.complete_job(job.lease)
                done.append(job.id)
        old.stopping.set()
        await asyncio.to_thread(old.join)
        for job in await backend.claim_pending_jobs(100_000):
            await backend.complete_job(job.lease)
            done.append(job.id)
        everything = old.stored | {f"new-{n}" for n in range(50)}
        assert sorted(done + old.done) == sorted(everything)
        assert (await backend.reader.count_jobs(JobFilter()))[State.SUCCEEDED] == len(everything)


@pytest.mark.parametrize("version", [0, 1])
async def test_ten_processes_migrate_at_once_and_one_of_them_does_it(
    store: SqliteStore, start: Start, version: int
) -> None:
    if version:
        install(store, version)
    processes = [await start("migrate") for _ in range(10)]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
    outcomes = [await process.communicate() for process in processes]
    assert [err for _, err in outcomes if err] == []
    applied = [out.decode().strip() for out, _ in outcomes]
    assert sorted(applied) == sorted([str(list(range(version + 1, WANTED + 1))), *["[]"] * 9])


async def test_an_upgrade_keeps_the_jobs(store: SqliteStore) -> None:
    install(store, 1)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute(OLD_STORE, (1, "kept"))
        connection.execute("UPDATE dibs_counters SET value = 1 WHERE name = 'job'")
        connection.commit()
    async with await store.open() as backend:
        await backend.store_job(dibs.Job(id="new", job_type="test"))
        page = await backend.reader.list_jobs(JobFilter(), PageRequest())
        assert [job.id for job in page.items] == ["new", "kept"]
        assert await backend.schema.migrate() == []


async def test_every_older_schema_grows_up(store: SqliteStore) -> None:
    install(store, WANTED - 1)
    async with await store.open() as backend:
        assert (await backend.schema.state()).found == WANTED


async def test_an_older_schema_is_refused_without_leave_to_migrate(store: SqliteStore) -> None:
    install(store, 1)
    with pytest.raises(SchemaMismatch, match="version 1"):
        await dibs.open_backend(store.url, migrate=False)


@pytest.mark.parametrize(("oldest_code", "fits"), [(WANTED, True), (WANTED + 1, False)])
async def test_a_newer_schema_is_used_only_if_it_serves_this_code(
    store: SqliteStore, oldest_code: int, fits: bool
) -> None:
    install(store, WANTED)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("INSERT INTO dibs_schema (version, oldest_code) VALUES (?, ?)", (WANTED + 1, oldest_code))
        connection.commit()
    if fits:
        await (await dibs.open_backend(store.url)).close()
    else:
        with pytest.raises(SchemaMismatch, match="Upgrade Dibs"):
            await dibs.open_backend(store.url)


async def test_a_migration_that_fails_leaves_nothing_behind(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = await open_parts(store.url)
    with monkeypatch.context() as broken:
        broken.setitem(MIGRATIONS, 2, ("no-such-file.sql", 1))
        with pytest.raises(FileNotFoundError):
            await parts.schema.migrate()
    assert (await parts.schema.state()).found == 0
    assert await parts.schema.migrate() == list(MIGRATIONS)
    await parts.close()
