"""What the doctor finds in a SQLite file."""

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from dibs.assembly import connect_backend, open_backend
from dibs.backends.sqlite import examiner
from dibs.backends.sqlite.examiner import find_file_system
from dibs.engine.job import Job
from dibs.engine.store.checkup import Finding, Severity

TOPICS = ["journal", "syncing", "log size", "contents", "disk space", "file system"]


@pytest.fixture
async def path(tmp_path):
    file = tmp_path / "jobs.db"
    async with await open_backend(f"sqlite:///{file}") as backend:
        await backend.store_jobs([Job(id=f"job-{n}", job_type="t", input="x" * 500) for n in range(200)])
    return file


async def examine(file: Path, options: str = "") -> dict[str, Finding]:
    async with await connect_backend(f"sqlite:///{file}{options}") as backend:
        assert backend.examiner is not None
        return {finding.topic: finding for finding in await backend.examiner.examine()}


async def test_a_sound_file_is_well(path):
    found = await examine(path)
    assert list(found) == TOPICS
    assert {one.severity for one in found.values()} == {Severity.OK}, found


async def test_a_journal_that_is_no_write_ahead_log_is_a_problem(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    found = (await examine(path))["journal"]
    assert (found.severity, "journal mode is delete" in found.message) == (Severity.PROBLEM, True)


async def test_less_syncing_is_a_warning(path):
    found = (await examine(path, "?synchronous=normal"))["syncing"]
    assert found.severity is Severity.WARNING
    assert "power cut" in found.message


async def test_a_large_log_is_a_warning(path, monkeypatch):
    monkeypatch.setattr(examiner, "LARGE_WAL", 1)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM dibs_jobs").fetchone()
        async with await open_backend(f"sqlite:///{path}") as backend:
            await backend.store_job(Job(job_type="t"))
            found = (await examine(path))["log size"]
    assert found.severity is Severity.WARNING
    assert "read transaction open" in found.advice


async def test_a_damaged_file_is_a_problem(path):
    # Not the names of the tables: without them the file could not even be opened.
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        (number,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'dibs_jobs'").fetchone()
    content = bytearray(path.read_bytes())
    content[(number - 1) * page : number * page] = b"\xff" * page
    path.write_bytes(content)
    found = (await examine(path))["contents"]
    assert found.severity is Severity.PROBLEM
    assert "bring back a backup" in found.advice


async def test_a_very_large_file_is_not_read_through(path, monkeypatch):
    monkeypatch.setattr(examiner, "LARGEST_CHECKED", 1)
    assert (await examine(path))["contents"].message.startswith("not read through")


@pytest.mark.parametrize(
    ("free", "severity"),
    [(10**7, Severity.PROBLEM), (5 * 10**8, Severity.WARNING), (10**11, Severity.OK)],
)
async def test_a_full_disk_is_told_in_time(path, monkeypatch, free, severity):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert (await examine(path))["disk space"].severity is severity


async def test_a_network_file_system_is_a_problem_where_it_can_be_told(path, monkeypatch, tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nserver:/x {path.parent} nfs4 rw 0 0\n")
    monkeypatch.setattr(examiner, "MOUNTS", mounts)
    assert (await examine(path))["file system"].severity is Severity.PROBLEM
    monkeypatch.setattr(examiner, "MOUNTS", tmp_path / "nowhere")
    assert (await examine(path))["file system"].severity is Severity.OK


def test_the_deepest_mount_decides(monkeypatch, tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text("disk / ext4 rw 0 0\nx /srv cifs rw 0 0\ny /srv/my\\040disk xfs rw 0 0\n")
    monkeypatch.setattr(examiner, "MOUNTS", mounts)
    kinds = [find_file_system(Path(place)) for place in ("/home/a.db", "/srv/a.db", "/srv/my disk/a.db", "/srvx/a.db")]
    assert kinds == ["ext4", "cifs", "xfs", "ext4"]
