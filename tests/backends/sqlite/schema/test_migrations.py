"""From an older schema to this one, with old and new code side by side."""

import asyncio
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import cycle

import pytest

import dibs
from dibs.backends.sqlite import open_parts
from dibs.backends.sqlite.schema import MIGRATIONS, WANTED, apply_missing
from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.states import State
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
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
OLD_HEARTBEAT = """
UPDATE dibs_jobs SET heartbeat_at = (SELECT now FROM dibs_clock), lease_expires_at = (SELECT now FROM dibs_clock) + ?3
WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
"""
OLD_PUT_BACK = """
UPDATE dibs_jobs
SET state = ?3, ready = 1, run_at = (SELECT now FROM dibs_clock), attempts = attempts + ?4,
    worker_deaths = worker_deaths + ?5, lease_token = coalesce(?6, lease_token), locked_by = NULL, locked_at = NULL,
    heartbeat_at = NULL, lease_expires_at = NULL
WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
"""
OLD_ATTEMPT = """
INSERT INTO dibs_attempts (job_seq, number, token, worker, started_at, ended_at, outcome)
SELECT seq, (SELECT count(*) + 1 FROM dibs_attempts WHERE job_seq = seq), lease_token, locked_by, locked_at, now, ?2
FROM dibs_jobs, dibs_clock WHERE id = ?1
"""
OLD_LAPSED = "SELECT id, lease_token FROM dibs_jobs WHERE lease_expires_at <= (SELECT now FROM dibs_clock)"
OLD_CANCEL = """
UPDATE dibs_jobs
SET state = 'cancelled', ready = NULL, finished_at = (SELECT now FROM dibs_clock), lease_token = ?3,
    lease_expires_at = NULL
WHERE id = ?1 AND lease_token = ?2
"""
OLD_AUDIT = """
INSERT INTO dibs_audit (at, tenant, actor, action, subject, token)
SELECT now, 'default', 'old', ?1, 'job:' || ?2, ?3 FROM dibs_clock
"""
NEXT = "UPDATE dibs_counters SET value = value + 1 WHERE name = ?1 RETURNING value"


def install(store: SqliteStore, version: int) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        apply_missing(Transaction(connection.cursor()), up_to=version)
        connection.execute("COMMIT")


class OldCode(threading.Thread):
    """Does in a loop, to one job after another, everything that version 1 did."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__()
        self.path = store.path
        self.stored: set[str] = set()
        self.done: list[str] = []
        self.cancelled: list[str] = []
        self.acts: Counter[str] = Counter()
        self.stopping = threading.Event()
        self.underway = threading.Event()

    def run(self) -> None:
        ends = [self._complete, self._fail, self._snooze, self._lose, self._cancel]
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=30)) as connection:
            for end in cycle(ends):
                with in_transaction(connection):
                    self._store_one(connection)
                with in_transaction(connection):
                    held = self._claim_one(connection)
                if held is not None:
                    assert connection.execute(OLD_HEARTBEAT, (*held, 300_000_000)).rowcount == 1
                    end(connection, *held)
                    self.acts[end.__name__] += 1
                if len(self.acts) == len(ends):
                    self.underway.set()
                if self.stopping.is_set():
                    return

    def _store_one(self, connection: sqlite3.Connection) -> None:
        (seq,) = connection.execute(NEXT, ("job",)).fetchone()
        connection.execute(OLD_STORE, (seq, f"old-{seq}"))
        self.stored.add(f"old-{seq}")

    def _claim_one(self, connection: sqlite3.Connection) -> tuple[str, int] | None:
        (token,) = connection.execute(NEXT, ("token",)).fetchone()
        claimed: list[tuple[str, int]] = connection.execute(OLD_CLAIM, (token,)).fetchall()
        return claimed[0] if claimed else None

    def _complete(self, connection: sqlite3.Connection, job_id: str, token: int) -> None:
        with in_transaction(connection):
            assert connection.execute(OLD_COMPLETE, (job_id, token)).rowcount == 1
            connection.execute(OLD_AUDIT, ("JOB_SUCCEEDED", job_id, token))
        self.done.append(job_id)

    def _fail(self, connection: sqlite3.Connection, job_id: str, token: int) -> None:
        with in_transaction(connection):
            connection.execute(OLD_ATTEMPT, (job_id, "errored"))
            assert connection.execute(OLD_PUT_BACK, (job_id, token, "retryable", 1, 0, None)).rowcount == 1

    def _snooze(self, connection: sqlite3.Connection, job_id: str, token: int) -> None:
        with in_transaction(connection):
            connection.execute(OLD_ATTEMPT, (job_id, "snoozed"))
            assert connection.execute(OLD_PUT_BACK, (job_id, token, "pending", 0, 0, None)).rowcount == 1

    def _lose(self, connection: sqlite3.Connection, job_id: str, token: int) -> None:
        connection.execute(OLD_HEARTBEAT, (job_id, token, 0))
        with in_transaction(connection):
            lapsed = connection.execute(OLD_LAPSED).fetchall()
            assert lapsed == [(job_id, token)]
            (taken,) = connection.execute(NEXT, ("token",)).fetchone()
            connection.execute(OLD_ATTEMPT, (job_id, "lost"))
            connection.execute(OLD_PUT_BACK, (job_id, token, "pending", 1, 1, taken))
            connection.execute(OLD_AUDIT, ("JOB_RECLAIMED", job_id, taken))
        assert connection.execute(OLD_COMPLETE, (job_id, token)).rowcount == 0

    def _cancel(self, connection: sqlite3.Connection, job_id: str, token: int) -> None:
        with in_transaction(connection):
            (taken,) = connection.execute(NEXT, ("token",)).fetchone()
            connection.execute(OLD_ATTEMPT, (job_id, "cancelled"))
            assert connection.execute(OLD_CANCEL, (job_id, token, taken)).rowcount == 1
            connection.execute(OLD_AUDIT, ("JOB_CANCELLED", job_id, taken))
        assert connection.execute(OLD_COMPLETE, (job_id, token)).rowcount == 0
        self.cancelled.append(job_id)


@contextmanager
def in_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("COMMIT")


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
        assert sorted(done + old.done + old.cancelled) == sorted(everything)
        counts = await backend.reader.count_jobs(JobFilter())
        assert counts[State.SUCCEEDED] == len(everything) - len(old.cancelled)
        assert counts[State.CANCELLED] == len(old.cancelled) > 0
        assert await count_entries(backend, "JOB_SUCCEEDED") == counts[State.SUCCEEDED]


async def count_entries(backend: dibs.Backend, action: str) -> int:
    count, cursor = 0, None
    while True:
        page = await backend.reader.list_audit(AuditFilter(action=action), PageRequest(limit=1000, cursor=cursor))
        count, cursor = count + len(page.items), page.next_cursor
        if cursor is None:
            return count


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


async def test_who_waited_before_there_was_a_ring_takes_turns(store: SqliteStore) -> None:
    async with await store.open() as backend:
        await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), actor="op", reason="test")
        await backend.store_jobs([dibs.Job(job_type="test", tenant=name) for name in "abc" for _ in range(2)])
        before = [job.tenant for job in await backend.claim_pending_jobs(2)]
    forget_ring(store)
    async with await store.open() as backend:
        after = [job.tenant for job in await backend.claim_pending_jobs(4)]
    assert (before, after) == (["a", "b"], ["c", "a", "b", "c"])


def forget_ring(store: SqliteStore) -> None:
    """Make a file of version 7 again."""
    with closing(sqlite3.connect(store.path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE dibs_ring")
        connection.execute("DROP INDEX dibs_turns_places")
        connection.execute("DELETE FROM dibs_schema WHERE version = 8")
        connection.commit()


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


async def test_jobs_that_waited_and_ran_before_admission_obey_it_afterwards(store: SqliteStore) -> None:
    install(store, 3)
    with closing(sqlite3.connect(store.path)) as connection:
        for seq in (1, 2, 3):
            connection.execute(OLD_STORE, (seq, f"job-{seq}"))
        connection.execute("UPDATE dibs_jobs SET concurrency_key = 'k'")
        assert connection.execute(OLD_CLAIM, (1,)).fetchall() == [("job-1", 1)]
        connection.execute("UPDATE dibs_counters SET value = 3")
        connection.commit()
    async with await store.open() as backend:
        assert await backend.claim_pending_jobs(5) == []
        with closing(sqlite3.connect(store.path)) as connection:
            assert connection.execute(OLD_COMPLETE, ("job-1", 1)).rowcount == 1
            connection.commit()
        # Older code tells nobody what it has freed: claims look again after a while.
        await store.advance(timedelta(minutes=1))
        assert [job.id for job in await backend.claim_pending_jobs(5)] == ["job-2"]


async def test_older_code_does_not_see_governed_jobs(store: SqliteStore) -> None:
    async with await store.open() as backend:
        await backend.store_job(dibs.Job(id="governed", job_type="test", concurrency_key="k"))
        await backend.store_job(dibs.Job(id="plain", job_type="test"))
        with closing(sqlite3.connect(store.path)) as connection:
            assert connection.execute(OLD_CLAIM, (1_000,)).fetchall() == [("plain", 1_000)]
            assert connection.execute(OLD_CLAIM, (1_001,)).fetchall() == []
            connection.commit()
        assert [job.id for job in await backend.claim_pending_jobs(5)] == ["governed"]
