"""What the doctor finds in a PostgreSQL server."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg
import pytest

import dibs
from dibs.assembly import connect_backend, open_backend
from dibs.backends.postgres import examiner
from dibs.backends.postgres.examiner import PostgresExaminer, judge_syncing
from dibs.engine.store.checkup import Severity
from dibs.testing.servers import PostgresServer
from tests.backends.postgres.wire.test_pooler import pooler_url

__all__ = ["pooler_url"]
OK, WARNING, PROBLEM = Severity.OK, Severity.WARNING, Severity.PROBLEM
TOPICS = [
    "pooler",
    "syncing",
    "vacuum",
    "dead rows",
    "old snapshots",
    "held horizon",
    "idle transactions",
    "connections",
]


@pytest.fixture(scope="module")
def server():
    with PostgresServer(durable=True, settings={"max_prepared_transactions": "2"}) as running:
        yield running


@pytest.fixture
async def url(server):
    async with await open_backend(server.url):
        return server.url


async def examine(url: str):
    async with await connect_backend(url) as backend:
        assert backend.examiner is not None
        return {finding.topic: finding for finding in await backend.examiner.examine()}


@asynccontextmanager
async def session(url: str):
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def test_a_server_as_it_should_be_is_well(url):
    found = await examine(url)
    assert list(found) == TOPICS
    assert {one.severity for one in found.values()} == {OK}, found
    assert found["pooler"].message == "none"


async def test_a_server_that_does_not_sync_is_a_problem(postgres_url):
    async with await open_backend(postgres_url):
        found = (await examine(postgres_url))["syncing"]
    assert found.severity is PROBLEM
    assert "fsync" in found.message


@pytest.mark.parametrize(
    ("settings", "severity"),
    [({}, OK), ({"synchronous_commit": "off"}, WARNING), ({"full_page_writes": "off"}, PROBLEM)],
)
def test_syncing_is_judged_by_what_a_crash_would_cost(settings, severity):
    assert judge_syncing(settings).severity is severity


async def test_a_table_that_is_never_vacuumed_is_a_problem(url):
    async with session(url) as sql:
        await sql.execute("ALTER TABLE dibs.jobs SET (autovacuum_enabled = false)")
        try:
            assert (await examine(url))["vacuum"].severity is PROBLEM
        finally:
            await sql.execute("ALTER TABLE dibs.jobs RESET (autovacuum_enabled)")


async def test_dead_rows_are_counted(url, monkeypatch):
    monkeypatch.setattr(examiner, "MANY_DEAD", 10)
    async with await open_backend(url) as backend, session(url) as sql:
        await backend.store_jobs([dibs.Job(job_type="t") for _ in range(50)])
        await sql.execute("UPDATE dibs.jobs SET priority = priority + 1")
        await sql.execute("SELECT pg_stat_force_next_flush()")
    found = (await examine(url))["dead rows"]
    assert found.severity is WARNING
    assert "VACUUM dibs.jobs" in found.advice


async def test_old_snapshots_and_idle_transactions_are_told_with_the_process(url, monkeypatch):
    monkeypatch.setattr(examiner, "OLD", timedelta(0))
    monkeypatch.setattr(examiner, "IDLE", timedelta(0))
    async with session(url) as sql:
        await sql.execute("SET application_name = 'forgetful'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        pid = await sql.fetchval("SELECT pg_backend_pid()")
        found = await examine(url)
    assert found["old snapshots"].severity is WARNING
    assert f"process {pid} (forgetful, idle in transaction)" in found["old snapshots"].message
    assert f"pg_terminate_backend({pid})" in found["old snapshots"].advice
    assert found["idle transactions"].severity is WARNING
    assert f"process {pid} (forgetful)" in found["idle transactions"].message


async def test_what_is_hidden_from_a_user_without_rights_is_said(url, monkeypatch):
    monkeypatch.setattr(examiner, "OLD", timedelta(0))
    async with session(url) as sql:
        await sql.execute("CREATE ROLE low LOGIN; GRANT USAGE ON SCHEMA dibs TO low")
        try:
            await sql.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
            found = await examine(url.replace("postgres@", "low@"))
        finally:
            await sql.execute("ROLLBACK; DROP OWNED BY low; DROP ROLE low")
    assert found["old snapshots"].severity is WARNING
    assert "sessions of other users are hidden from low" in found["old snapshots"].message
    assert "GRANT pg_read_all_stats TO low" in found["old snapshots"].advice


async def test_a_forgotten_prepared_transaction_is_told(url, monkeypatch):
    monkeypatch.setattr(examiner, "OLD_HORIZON", 0)
    async with session(url) as sql:
        await sql.execute("BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'lost'")
        try:
            found = (await examine(url))["held horizon"]
        finally:
            await sql.execute("ROLLBACK PREPARED 'lost'")
    assert found.severity is WARNING
    assert "the prepared transaction lost holds vacuum back" in found.message


@pytest.mark.parametrize(("crowded", "almost_full", "severity"), [(0.0, 0.9, WARNING), (0.0, 0.0, PROBLEM)])
async def test_a_crowded_server_is_told(url, monkeypatch, crowded, almost_full, severity):
    monkeypatch.setattr(examiner, "CROWDED", crowded)
    monkeypatch.setattr(examiner, "ALMOST_FULL", almost_full)
    assert (await examine(url))["connections"].severity is severity


@pytest.mark.parametrize(
    ("options", "seen", "severity"),
    [
        ("", (False, False), OK),
        ("?pooler=session", (True, False), OK),
        ("?pooler=transaction", (True, True), OK),
        ("?pooler=transaction", (False, False), WARNING),
        ("", (True, True), PROBLEM),
    ],
)
async def test_a_pooler_must_be_in_the_url(url, monkeypatch, options, seen, severity):
    async def look(*_: object):
        return seen

    monkeypatch.setattr(PostgresExaminer, "_look_for_pooler", look)
    assert (await examine(url + options))["pooler"].severity is severity


async def test_what_fails_to_be_looked_at_leaves_the_rest(url, monkeypatch):
    async def fail(*_: object) -> None:
        await asyncio.sleep(0)
        raise dibs.StoreUnavailable("no answer")

    monkeypatch.setattr(PostgresExaminer, "_look_for_pooler", fail)
    found = await examine(url)
    assert list(found) == TOPICS
    assert found["pooler"].severity is WARNING


@pytest.mark.system
async def test_a_real_transaction_pooler_is_recognised(pooler_url, postgres_url):
    async with await open_backend(postgres_url):
        found = (await examine(pooler_url))["pooler"]
    assert found.message.startswith("in transaction mode, as the URL says")
    with pytest.raises(dibs.BadInput, match="Say so in the URL: pooler=transaction or pooler=session"):
        async with await open_backend(pooler_url.replace("pooler=transaction", "")):
            pass
