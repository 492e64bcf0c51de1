"""Migrations: many at once, beside running code of the older version, and in schemas that do not meet."""

import asyncio
import contextlib
import multiprocessing
from collections import Counter
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

import dibs
from dibs.backends.postgres.schema import VERSIONS, WANTED
from dibs.backends.postgres.wire.address import read_address
from tests.backends.postgres.layouts import lay

# What code of version 1 sends, word for word. Never change these with the code: they are the past.
OLD_STORE = """
SELECT stored_at, duplicate FROM {schema}.store_jobs(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[], $8::timestamptz[],
    $9::text[], $10::text[], $11::text[], $12::bigint, $13::text[]
)
"""
OLD_CLAIM = "SELECT id, lease_token, attempts FROM {schema}.claim_jobs($1, $2, $3, $4, $5, $6, $7)"
OLD_COMPLETE = "SELECT place FROM {schema}.complete_jobs($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS place"
OLD_HEARTBEAT = "SELECT place FROM {schema}.heartbeat_jobs($1::text[], $2::bigint[], $3::bigint) AS place"
OLD_FAIL = """
SELECT place, verdict FROM {schema}.fail_jobs(
    $1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::integer[], $8::boolean
)
"""
OLD_SNOOZE = """
SELECT place FROM {schema}.snooze_jobs(
    $1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean
) AS place
"""
OLD_REAP = "SELECT id, token, worker, state FROM {schema}.reap_jobs($1::integer, $2::integer, $3::boolean)"
OLD_CANCEL = "SELECT place, verdict FROM {schema}.cancel_jobs($1::text[], $2::text, $3::text)"
MINUTE = 60_000_000


def open_in_a_process(url: str) -> None:
    async def run() -> None:
        backend = await dibs.open_backend(url)
        await backend.store_job(dibs.Job(job_type="t"))
        await backend.close()

    asyncio.run(run())


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
    assert [row["version"] for row in versions] == list(VERSIONS)
    assert await sql.fetchval(f"SELECT count(*) FROM {schema}.jobs") == 10


class OldWorker:
    """Does what a job can live through with the statements of version 1, until told to stop."""

    def __init__(self, url: str, schema: str, name: str) -> None:
        self.url, self.schema, self.name = url, schema, name
        self.stopped = asyncio.Event()
        self.progress = asyncio.Condition()
        self.stored: list[str] = []
        self.completed: list[str] = []
        self.cancelled: list[str] = []
        self.outcomes: Counter[str] = Counter()

    async def run(self) -> None:
        self.connection = await asyncpg.connect(self.url)
        try:
            while not self.stopped.is_set():
                self.stored += await self.store("q", 5)
                await self.work()
                await self.cancel()
                await self.lapse()
            while await self.work():
                pass
        finally:
            await self.connection.close()

    async def send(self, statement: str, *values: Any) -> list[Any]:
        """As that code did, make a call again that the server undid: others were quicker, or tables just changed."""
        for _ in range(6):
            with contextlib.suppress(asyncpg.SerializationError, asyncpg.DatatypeMismatchError):
                rows: list[Any] = await self.connection.fetch(statement.format(schema=self.schema), *values)
                return rows
        raise AssertionError("undone again and again")

    async def store(self, queue: str, count: int) -> list[str]:
        ids = [f"{self.name}-{uuid4()}" for _ in range(count)]
        what: list[list[Any]] = [["t"], ["default"], [queue], [0], ["{}"], [3], *([[None]] * 4)]
        rows = await self.send(OLD_STORE, ids, *(column * count for column in what), None, [queue])
        assert rows[0]["duplicate"] is None
        return ids

    async def claim(self, queue: str, lease: int) -> list[Any]:
        return await self.send(OLD_CLAIM, self.name, 5, lease, [queue], ["t"], None, True)

    async def work(self) -> int:
        """Renew all; fail the first unless it has failed before; snooze one; complete the others."""
        rows = await self.claim("q", MINUTE)
        ids, tokens = [row["id"] for row in rows], [row["lease_token"] for row in rows]
        assert len(await self.send(OLD_HEARTBEAT, ids, tokens, MINUTE)) == len(ids)
        failing = [row for row in rows[:1] if row["attempts"] == 0]
        snoozing = rows[3:4]
        await self.fail(failing)
        await self.snooze(snoozing)
        await self.complete([row for row in rows if row not in failing and row not in snoozing])
        async with self.progress:
            self.progress.notify_all()
        return len(ids)

    async def fail(self, rows: list[Any]) -> None:
        for row in rows:
            error = ['{"type": "Boom", "message": ""}']
            values = [row["id"]], [row["lease_token"]], error, ["transient"], [0], [0], [3], True
            assert [answer["verdict"] for answer in await self.send(OLD_FAIL, *values)] == ["retryable"]
            self.outcomes["errored"] += 1

    async def snooze(self, rows: list[Any]) -> None:
        for row in rows:
            values = [row["id"]], [row["lease_token"]], [0], ["snoozed"], [0], True
            assert len(await self.send(OLD_SNOOZE, *values)) == 1
            self.outcomes["snoozed"] += 1

    async def complete(self, rows: list[Any]) -> None:
        ids, tokens = [row["id"] for row in rows], [row["lease_token"] for row in rows]
        done = await self.send(OLD_COMPLETE, ids, tokens, ["null"] * len(ids), [0] * len(ids))
        assert len(done) == len(ids)
        self.completed += ids

    async def cancel(self) -> None:
        ids = await self.store("unwanted", 2)
        answers = await self.send(OLD_CANCEL, ids, "operator", "test")
        assert [answer["verdict"] for answer in answers] == ["cancelled"] * 2
        self.cancelled += ids

    async def lapse(self) -> None:
        """Vanish with a job, so that somebody takes it back; come back too late; then do it after all."""
        self.stored += await self.store(self.name, 1)
        (lapsed,) = await self.claim_at_last(0)
        await self.send(OLD_REAP, 100, 3, True)
        late = await self.send(OLD_COMPLETE, [lapsed["id"]], [lapsed["lease_token"]], ["null"], [0])
        assert late == []
        self.outcomes["lost"] += 1
        await self.complete(await self.claim_at_last(MINUTE))

    async def claim_at_last(self, lease: int) -> list[Any]:
        """Claim the job of this worker's own queue; somebody else may be reaping it, or letting it in, just now."""
        async with asyncio.timeout(60):
            while not (rows := await self.claim(self.name, lease)):
                await asyncio.sleep(0.01)
        return rows

    async def complete_more(self) -> None:
        """Wait until it has completed more than it has now."""
        before = len(self.completed)
        async with asyncio.timeout(60), self.progress:
            await self.progress.wait_for(lambda: len(self.completed) > before)


async def test_old_code_goes_on_while_the_schema_is_upgraded(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    await lay(sql, schema, "3", up_to=1)
    old = [OldWorker(postgres_url, schema, f"old-{number}") for number in range(3)]
    tasks = [asyncio.create_task(worker.run()) for worker in old]
    await asyncio.gather(*(worker.complete_more() for worker in old))
    async with await dibs.open_backend(url) as new:
        async with new.notices.subscribe(["q"]) as subscription:
            assert await subscription.wait(dibs.Settings().lease), "new code hears what old code stores"
        claimed = [job for _ in range(20) for job in await new.claim_pending_jobs(3, queues=["q"])]
        await new.complete_jobs([new.completion(job.lease) for job in claimed])
        await asyncio.gather(*(worker.complete_more() for worker in old))
        for worker in old:
            worker.stopped.set()
        await asyncio.gather(*tasks)
        completed = [job.id for job in claimed] + [job_id for worker in old for job_id in worker.completed]
        stored = [job_id for worker in old for job_id in worker.stored]
        assert sorted(completed) == sorted(stored)
        counts = await new.reader.count_jobs(dibs.JobFilter())
        ended = {dibs.State.SUCCEEDED: len(stored), dibs.State.CANCELLED: sum(len(worker.cancelled) for worker in old)}
        assert {state: count for state, count in counts.items() if count} == ended
        outcomes = await sql.fetch(f"SELECT outcome, count(*) FROM {schema}.attempts GROUP BY outcome")
        assert dict(outcomes) == sum((worker.outcomes for worker in old), Counter())
        assert {outcome for outcome, _ in outcomes} == {"errored", "snoozed", "lost"}
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
    async with await dibs.open_backend(url):
        pass
    await sql.execute(f"INSERT INTO {schema}.schema_version VALUES (99, {WANTED})")
    async with await dibs.open_backend(url) as backend:
        assert (await backend.schema.state()).found == 99


async def test_a_newer_schema_that_does_not_is_refused(postgres_url: str, schema: str, sql: Any) -> None:
    url = f"{postgres_url}?schema={schema}"
    async with await dibs.open_backend(url):
        pass
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
