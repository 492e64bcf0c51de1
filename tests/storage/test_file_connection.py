"""Connections to a SQLite file: who waits for the writer, and what cursors give."""

import asyncio
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from dibs.storage.files import connection as files
from dibs.storage.files.connection import BEGIN_WRITING, make_connection


@pytest.fixture
async def opened(tmp_path):
    file = tmp_path / "file.db"
    with closing(sqlite3.connect(file)) as made, made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE dish (name TEXT)")
    connection = make_connection(str(file))
    await connection
    yield connection
    await connection.close()


async def ask(connection, statement, values=()):
    cursor = await connection.cursor().execute(statement, values)
    return cursor, await cursor.fetchall()


async def test_a_cursor_has_columns_rows_and_count_when_its_statement_is_done(opened):
    added, nothing = await ask(opened, "INSERT INTO dish VALUES (?), (?)", ("soup", "rice"))
    assert (added.rowcount, nothing, added.description) == (2, [], None)
    asked, rows = await ask(opened, "SELECT name FROM dish ORDER BY name")
    assert (rows, asked.description[0][0], await asked.fetchall()) == ([("rice",), ("soup",)], "name", [])


async def test_a_statement_for_many_rows_is_run_for_each(opened):
    await opened.cursor().executemany("INSERT INTO dish VALUES (?)", [("soup",), ("rice",)])
    assert (await ask(opened, "SELECT count(*) FROM dish"))[1] == [(2,)]


async def test_who_wants_to_write_waits_for_the_writer_and_hardly_longer(opened, tmp_path):
    writer = sqlite3.connect(tmp_path / "file.db", isolation_level=None, check_same_thread=False)
    writer.execute(BEGIN_WRITING)
    waiting = asyncio.create_task(ask(opened, BEGIN_WRITING))
    # Long enough for SQLite's own wait to sleep a tenth of a second at a time.
    await asyncio.sleep(0.4)
    assert not waiting.done()
    writer.execute("COMMIT")
    freed = time.perf_counter()
    await waiting
    waited = time.perf_counter() - freed
    writer.close()
    assert (waited < 2, opened.in_transaction) == (True, True)


async def test_a_writer_that_never_ends_is_told_of_in_the_end(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BUSY_SECONDS", 0.05)
    writer = sqlite3.connect(tmp_path / "file.db", isolation_level=None)
    writer.execute(BEGIN_WRITING)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        await ask(opened, BEGIN_WRITING)
    writer.close()


async def test_other_faults_are_raised_at_once(opened):
    await ask(opened, "BEGIN")
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
        await ask(opened, BEGIN_WRITING)


async def test_statements_run_in_the_connections_own_thread(opened):
    await opened.create_function("thread", 0, lambda: threading.current_thread().name)
    [[name]] = (await ask(opened, "SELECT thread()"))[1]
    assert name != threading.main_thread().name
