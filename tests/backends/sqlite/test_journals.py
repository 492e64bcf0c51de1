"""What was erased does not go on standing in the logs of SQLite files."""

import sqlite3
from contextlib import closing

import pytest

import dibs
from dibs.assembly import load_holdings
from dibs.backends.sqlite.address import parse_url
from dibs.backends.sqlite.journals import JournalsHolding, empty_log
from dibs.backends.sqlite.threads.connections import open_for_writing
from dibs.engine.personal.acting import erase_person
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct

MARK = "ada@example.com"
ADA = Inquiry("acme", [MARK])
ACT = OperatorAct(actor="ann", reason="asked")


@pytest.fixture
async def app(tmp_path):
    async with dibs.Dibs(f"sqlite:///{tmp_path}/jobs.db") as opened:
        await opened.enqueue("GREET", {"to": MARK}, tenant="acme")
        yield opened


def find_traces(folder):
    return [path.name for path in folder.iterdir() if MARK.encode() in path.read_bytes()]


async def test_who_is_erased_stands_in_no_file_while_the_store_is_open(app, tmp_path):
    assert find_traces(tmp_path)
    erasure = await erase_person(await load_holdings(app, None), ADA, ACT, await app.backend())
    assert (erasure.counts["jobs"], erasure.kept, erasure.left) == (1, (), 0)
    assert find_traces(tmp_path) == []


async def test_a_log_that_somebody_reads_in_is_told(app, tmp_path):
    file = tmp_path / "jobs.db"
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    await app.enqueue("GREET", {"to": "somebody else"}, tenant="acme")
    journals = JournalsHolding([file], patience=0.01)
    [said] = (await journals.erase(ADA, ACT)).kept
    assert "jobs.db" in said
    reader.close()
    assert (await journals.erase(ADA, ACT)).kept == ()


def test_a_file_that_is_not_there_has_no_log_and_one_that_is_no_store_is_told(tmp_path):
    assert empty_log(tmp_path / "none.db", 0.01)
    (tmp_path / "text.db").write_text("no store " * 1_000)
    assert not empty_log(tmp_path / "text.db", 0.01)


def test_whoever_writes_overwrites_what_is_deleted(tmp_path):
    with closing(open_for_writing(parse_url(f"sqlite:///{tmp_path}/new.db"), create=True)) as connection:
        assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
