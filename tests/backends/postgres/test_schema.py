"""Migrations: many at once, beside running code of the older version, and in schemas that do not meet."""

import asyncio
import multiprocessing
from typing import Any

import asyncpg
import pytest

import dibs
from dibs.backends.postgres.address import read_address
from dibs.backends.postgres.connections import Connections
from dibs.backends.postgres.schema import WANTED, PostgresSchema
from dibs.backends.postgres.statements import Statements

# What code of version 1 sends, word for word. Never change these with the code: they are the past.
OLD_STORE = """
SELECT stored_at, duplicate FROM {schema}.store_jobs(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[], $8::timestamptz[],
    $9::text[], $10::text[], $11::text[], $12::bigint, $13::text[]
)
"""
OLD_CLAIM = "SELECT id, lease_token FROM {schema}.claim_jobs($1, $2, $3, $4, $5, $6, $7)"
OLD_COMPLETE = "SELECT place FROM {schema}.complete_jobs($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS place"
OLD_HEARTBEAT = "SELECT place FROM {schema}.heartbeat_jobs($1::text[], $2::bigint[], $3::bigint) AS place"


def open_in_a_process(url: str) -> None:
    async def run() -> None:
        backend = await dibs.open_backend(url)
        await backend.store_job(dibs.Job(job_type="t"))
        await backend.close()

    asyncio.run(run())


async def install(url: str, version: int) -> list[int]:
    """Bring a store to some version, as the code of that time did."""
    address = read_address(url)
    connections = await Connections.open(address)
    try:
        return await PostgresSchema(connections, Statements(address.schema)).migrate(version)
    finally:
        await connections.close()


async def test_ten_processes_install_the_schema_at_once(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=open_in_a_process, args=(url,)) for _ in range(10)]
    for process in processes:
        process.start()
    for process in processes:
        await asyncio.to_thread(process.join, 60)
    assert [process.exitcode for process in processes] == [0] * 10
    versions = await sql.fetch(f"SELECT version FROM {schema}.schema_version ORDER BY version")
    assert [row["version"] for row in versions] == list(range(1, WANTED + 1))
    assert await sql.fetchval(f"SELECT count(*) FROM {schema}.jobs") == 10


class OldWorker:
    """Stores, claims, renews and completes with the statements of version 1 until told to stop."""

    def __init__(self, url: str, schema: str, name: str) -> None:
        self.url, self.schema, self.name = url, schema, name
        self.stopped = asyncio.Event()
        self.progress = asyncio.Condition()
        self.stored: list[str] = []
        self.completed: list[str] = []

    async def run(self) -> None:
        connection = await asyncpg.connect(self.url)
        try:
            while not self.stopped.is_set():
                await self.store(connection)
                await self.work(connection)
            while await self.work(connection):
                pass
        finally:
            await connection.close()

    async def store(self, connection: Any) -> None:
        ids = [f"{self.name}-{len(self.stored) + number}" for number in range(5)]
        plain: list[Any] = [["t"] * 5, ["default"] * 5, ["q"] * 5, [0] * 5, ["{}"] * 5, [3] * 5]
        values = [ids, *plain, *([[None] * 5] * 4), None, ["q"]]
        row = await connection.fetchrow(OLD_STORE.format(schema=self.schema), *values)
        assert row["duplicate"] is None
        self.stored += ids

    async def work(self, connection: Any) -> int:
        claim = (self.name, 5, 60_000_000, ["q"], ["t"], None, True)
        rows = await connection.fetch(OLD_CLAIM.format(schema=self.schema), *claim)
        ids, tokens = [row["id"] for row in rows], [row["lease_token"] for row in rows]
        beats = await connection.fetch(OLD_HEARTBEAT.format(schema=self.schema), ids, tokens, 60_000_000)
        done = await connection.fetch(
            OLD_COMPLETE.format(schema=self.schema), ids, tokens, ["null"] * len(ids), [0] * len(ids)
        )
        assert len(beats) == len(done) == len(ids)
        self.completed += ids
        async with self.progress:
            self.progress.notify_all()
        return len(ids)

    async def complete_more(self) -> None:
        """Wait until it has completed more than it has now."""
        before = len(self.completed)
        async with asyncio.timeout(30), self.progress:
            await self.progress.wait_for(lambda: len(self.completed) > before)


async def test_old_code_goes_on_while_the_schema_is_upgraded(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    assert await install(url, 1) == [1]
    old = [OldWorker(postgres_url, schema, f"old-{number}") for number in range(3)]
    tasks = [asyncio.create_task(worker.run()) for worker in old]
    await asyncio.gather(*(worker.complete_more() for worker in old))
    async with await dibs.open_backend(url) as new:
        async with new.notices.subscribe(["q"]) as subscription:
            assert await subscription.wait(dibs.Settings().lease), "new code hears what old code stores"
        claimed = [job for _ in range(20) for job in await new.claim_pending_jobs(3)]
        await new.complete_jobs([new.completion(job.lease) for job in claimed])
        await asyncio.gather(*(worker.complete_more() for worker in old))
        for worker in old:
            worker.stopped.set()
        await asyncio.gather(*tasks)
        completed = [job.id for job in claimed] + [job_id for worker in old for job_id in worker.completed]
        stored = [job_id for worker in old for job_id in worker.stored]
        assert sorted(completed) == sorted(stored)
        counts = await new.reader.count_jobs(dibs.JobFilter())
        assert counts[dibs.State.SUCCEEDED] == len(stored)
        assert await new.schema.migrate() == []


async def test_two_schemas_in_one_database_do_not_see_each_other(postgres_url: str, schema: str, sql: Any) -> None:
    other = f"{schema}_other"
    async with (
        await dibs.open_backend(f"{postgres_url}?schema={schema}") as one,
        await dibs.open_backend(f"{postgres_url}?schema={other}") as two,
    ):
        await one.store_job(dibs.Job(id="a", job_type="t", unique_key="k"))
        await two.store_job(dibs.Job(id="a", job_type="t", unique_key="k"))
        async with two.notices.subscribe() as subscription:
            await one.store_job(dibs.Job(id="b", job_type="t"))
            assert not await subscription.wait(dibs.Settings().lease / 5000)
        assert [job.id for job in await two.claim_pending_jobs(10)] == ["a"]
        assert (await one.get_job("a")).state is dibs.State.PENDING
    await sql.execute(f"DROP SCHEMA {other} CASCADE")


async def test_a_newer_schema_that_still_serves_us_is_used(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    await install(url, WANTED)
    await sql.execute(f"INSERT INTO {schema}.schema_version VALUES (99, {WANTED})")
    async with await dibs.open_backend(url) as backend:
        assert (await backend.schema.state()).found == 99


async def test_a_newer_schema_that_does_not_is_refused(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    await install(url, WANTED)
    await sql.execute(f"INSERT INTO {schema}.schema_version VALUES (99, 99)")
    with pytest.raises(dibs.SchemaMismatch, match="Upgrade Dibs"):
        await dibs.open_backend(url)


async def test_a_missing_schema_is_told(postgres_url: str, schema: str) -> None:
    with pytest.raises(dibs.SchemaMismatch, match="migrate=True"):
        await dibs.open_backend(f"{postgres_url}?schema={schema}", migrate=False)


async def test_a_schema_made_by_somebody_else_is_enough(postgres_url: str, schema: str, sql: Any) -> None:
    role = f"{schema}_role"
    await sql.execute(f"CREATE ROLE {role} LOGIN; CREATE SCHEMA {schema} AUTHORIZATION {role}")
    url = postgres_url.replace("postgres@", f"{role}@")
    try:
        async with await dibs.open_backend(f"{url}?schema={schema}") as backend:
            await backend.store_job(dibs.Job(id="a", job_type="t"))
        with pytest.raises(dibs.StoreAccessDenied, match="right"):
            await dibs.open_backend(f"{url}?schema={schema}_2")
    finally:
        await sql.execute(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {role}")


@pytest.mark.parametrize("name", ["", "Dibs", "a-b", "1a", 'a"; DROP SCHEMA public; --', "pg_jobs", "a" * 64])
async def test_a_schema_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(dibs.BadInput, match="schema"):
        read_address(f"postgresql://localhost/db?schema={name}")
