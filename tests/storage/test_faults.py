"""What a store of tables says, in our words and with what to do."""

import sqlite3
import time
from contextlib import closing

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from dibs.errors import StoreUnavailable
from dibs.storage.database.faults import translate, translating
from dibs.storage.files.connection import BUSY_SECONDS
from tests.tables import migrate


def test_a_full_disk_is_not_taken_for_a_store_that_is_away():
    engine = create_engine("sqlite://")
    with (
        engine.connect() as connection,
        pytest.raises(StoreUnavailable, match=r"no room left on its disk\. Free some"),
        translating("x.db"),
    ):
        connection.execute(text("PRAGMA max_page_count = 1"))
        connection.execute(text("CREATE TABLE notes (body TEXT)"))
    engine.dispose()


def test_a_disk_that_is_too_full_to_open_the_file_is_told_to_look_at():
    cause = sqlite3.OperationalError("disk I/O error")
    told = translate(OperationalError("BEGIN", {}, cause), "x.db")
    assert isinstance(told, StoreUnavailable)
    assert "its disk is full, or failed" in str(told)


async def test_a_file_that_cannot_be_opened_is_told_without_waiting_as_for_one_that_is_busy(tmp_path):
    file = tmp_path / "tables.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (body TEXT)")
    # Where the write-ahead log should be: not even root writes to that.
    (tmp_path / "tables.db-wal").mkdir()
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="no file that can be opened"):
        await migrate(f"sqlite:///{file}")
    assert time.monotonic() - began < BUSY_SECONDS / 2
