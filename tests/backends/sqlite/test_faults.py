"""What can be wrong with a file, and what the error says."""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dibs
from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.faults import explain
from dibs.backends.sqlite.threads import connections
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import JobFilter
from dibs.errors import (
    BadInput,
    SchemaMismatch,
    StoreAccessDenied,
    StoreError,
    StoreUnavailable,
)
from dibs.testing.stores.sqlite import SqliteStore


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("sqlite://", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite:///a%00b", "names no file"),
        ("sqlite:///:memory:", "memory://"),
        ("sqlite://jobs.db", "names no file"),
        ("sqlite:///jobs.db?synchronous=off", "full"),
        ("sqlite:///jobs.db?busy_timeout=soon", "seconds"),
        ("sqlite:///jobs.db?busy_timeout=-1", "seconds"),
        ("sqlite:///jobs.db?colour=red", "colour"),
    ],
)
async def test_a_url_that_makes_no_sense_is_refused(url: str, hint: str) -> None:
    with pytest.raises(BadInput, match=hint):
        await dibs.open_backend(url)


async def test_a_relative_path_and_odd_characters_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with await dibs.open_backend("sqlite:///my%20jobs%3F.db?synchronous=normal&busy_timeout=0.5"):
        assert (tmp_path / "my jobs?.db").exists()


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere does not exist"):
        await dibs.open_backend(f"sqlite:///{tmp_path}/nowhere/jobs.db")


async def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is a folder"):
        await dibs.open_backend(f"sqlite:///{tmp_path}")


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(StoreError, match="no SQLite database"):
        await dibs.open_backend(f"sqlite:///{letter}")
    assert letter.read_text().startswith("Dear Sir")


async def test_opening_without_migration_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(SchemaMismatch, match="migrate=True"):
        await dibs.open_backend(f"sqlite:///{tmp_path}/jobs.db", migrate=False)
    assert not (tmp_path / "jobs.db").exists()


async def test_a_deleted_file_is_told_and_a_restored_one_is_taken_up_again(
    store: SqliteStore, backend: Backend, tmp_path: Path
) -> None:
    await backend.store_job(Job(id="kept", job_type="test"))
    store.path.rename(tmp_path / "moved.db")
    for suffix in ("-wal", "-shm"):
        store.path.with_name(f"jobs.db{suffix}").rename(tmp_path / f"moved.db{suffix}")
    with pytest.raises(StoreUnavailable, match="is gone"):
        await backend.store_job(Job(id="lost", job_type="test"))
    with pytest.raises(StoreUnavailable, match="is gone"):
        await backend.find_job("kept")
    for suffix in ("-wal", "-shm", ""):
        if (tmp_path / f"moved.db{suffix}").exists():
            (tmp_path / f"moved.db{suffix}").rename(store.path.with_name(f"jobs.db{suffix}"))
    await backend.store_job(Job(id="new", job_type="test"))
    assert [job is not None for job in await backend.reader.find_jobs(["kept", "lost", "new"])] == [True, False, True]


async def test_a_foreign_file_in_its_place_is_refused(store: SqliteStore, backend: Backend) -> None:
    store.path.unlink()
    for suffix in ("-wal", "-shm"):
        store.path.with_name(f"jobs.db{suffix}").unlink()
    other = sqlite3.connect(store.path)
    other.execute("CREATE TABLE letters (id INTEGER)")
    other.close()
    with pytest.raises(SchemaMismatch, match="migrate=True"):
        await backend.store_job(Job(job_type="test"))


async def test_a_lock_that_never_ends_is_told_after_the_busy_timeout(store: SqliteStore) -> None:
    async with await dibs.open_backend(f"{store.url}&busy_timeout=0.2") as backend:
        holder = sqlite3.connect(store.path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="does not commit"):
            await backend.store_job(Job(id="first", job_type="test"))
        holder.execute("ROLLBACK")
        await backend.store_job(Job(id="second", job_type="test"))
        assert await backend.find_job("first") is None
        holder.close()


async def test_a_full_disk_loses_nothing_and_is_forgiven(store: SqliteStore, backend: Backend) -> None:
    await backend.store_job(Job(id="before", job_type="test"))
    await limit_pages(backend, 60)
    big = [backend.store_job(Job(id=f"big-{n}", job_type="test", input="x" * 50_000)) for n in range(30)]
    results = await asyncio.gather(*big, return_exceptions=True)
    refused = [one for one in results if isinstance(one, BaseException)]
    stored = [one for one in results if isinstance(one, Job)]
    assert refused
    assert all(isinstance(one, StoreUnavailable) and "disk is full" in str(one) for one in refused)
    assert (await backend.reader.count_jobs(JobFilter()))[State.PENDING] == 1 + len(stored)
    await limit_pages(backend, 1_000_000)
    await backend.store_job(Job(id="after", job_type="test", input="x" * 50_000))
    with closing(sqlite3.connect(store.path)) as looked_at:
        assert looked_at.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(("free", "told"), [(0, "The disk is full"), (10**9, "The disk failed")])
def test_a_disk_too_full_to_open_the_file_is_called_full(monkeypatch, tmp_path, free: int, told: str) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert told in str(explain(error, str(tmp_path / "jobs.db")))


async def limit_pages(backend: Backend, pages: int) -> None:
    """Make the writer's connection believe that the disk ends there."""
    open_truly = connections.open_for_writing
    database = backend.jobs._database  # type: ignore[attr-defined]

    def open_limited(address: Address, **options: Any) -> sqlite3.Connection:
        connection = open_truly(address, **options)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    connections.open_for_writing = open_limited
    await database.write(lambda transaction: transaction.cursor.execute(f"PRAGMA max_page_count = {pages}"))


@pytest.fixture(autouse=True)
def restore_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "open_for_writing", connections.open_for_writing)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
async def test_a_file_that_may_not_be_written_is_told(store: SqliteStore, backend: Backend) -> None:
    database = backend.jobs._database  # type: ignore[attr-defined]
    with pytest.raises(StoreAccessDenied, match="right to write"):
        await database.read(lambda snapshot: snapshot.cursor.execute("DELETE FROM dibs_jobs"))
    assert (await backend.store_job(Job(job_type="test"))) is not None


def test_an_error_that_is_not_sqlites_stays_what_it_is() -> None:
    error = KeyError("bug")
    assert explain(error, "jobs.db") is error


async def test_text_that_cannot_be_encoded_is_bad_input(backend: Backend) -> None:
    await backend.store_job(Job(id="job", job_type="test"))
    with pytest.raises(BadInput, match="Unicode"):
        await backend.jobs.cancel(["job"], OperatorAct(actor="op", reason="a lone \ud800"))
    assert (await backend.get_job("job")).state is State.PENDING
