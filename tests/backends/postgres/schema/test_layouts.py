"""Stores that were made long ago are brought to the layout that a new one has, and work."""

from collections import Counter
from typing import Any

import pytest

import dibs
from dibs.engine.admission.rules import KeyRule
from tests.backends.postgres.layouts import NAMES, lay

# What code of those days sends, word for word.
OLD_STORE = """
SELECT stored_at, duplicate FROM {schema}.store_jobs(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[], $8::timestamptz[],
    $9::text[], $10::text[], $11::text[], $12::bigint, $13::text[]
)
"""
OLD_CLAIM = "SELECT id, lease_token FROM {schema}.claim_jobs('old', $1, 60000000, NULL, NULL, NULL, true)"
OLD_RULE = """
SELECT {schema}.set_rule(
    'tenant', 'capped', '{"type": "tenant", "name": "capped", "max_running": 1}', NULL, NULL, NULL, NULL,
    'RULE_SET', 'tenant:capped', '*', 'op', 'test'
)
"""
OLD_PAUSE = "SELECT name FROM {schema}.pause_source('ebay', now() + interval '1 hour', '2030', 'op', 'test')"
ACT = {"actor": "op", "reason": "test"}
# What of a schema makes a difference. Columns without their places: those that were added later stand at the end.
CATALOG = {
    "tables": """
        SELECT relname, relkind::text, reloptions FROM pg_class WHERE relnamespace = $1::regnamespace
    """,
    "columns": """
        SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, identity_generation
        FROM information_schema.columns WHERE table_schema = $1::regnamespace::text
    """,
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = $1::regnamespace
    """,
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1::regnamespace::text",
    "functions": """
        SELECT pg_get_function_identity_arguments(oid), pg_get_functiondef(oid)
        FROM pg_proc WHERE pronamespace = $1::regnamespace
    """,
    "rights": "SELECT proname, proacl::text FROM pg_proc WHERE pronamespace = $1::regnamespace",
    "triggers": """
        SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = $1::regnamespace AND NOT tgisinternal
    """,
    "policies": """
        SELECT tablename, policyname, cmd, qual, with_check FROM pg_policies WHERE schemaname = $1::regnamespace::text
    """,
}


async def read_catalog(sql: Any, schema: str) -> dict[str, Counter[str]]:
    catalog = {}
    for part, question in CATALOG.items():
        rows = await sql.fetch(question, schema)
        catalog[part] = Counter(repr(tuple(row)).replace(f'"{schema}"', "S").replace(schema, "S") for row in rows)
    return catalog


@pytest.mark.parametrize("name", NAMES)
async def test_an_old_layout_becomes_that_of_a_new_store(postgres_url: str, schema: str, sql: Any, name: str) -> None:
    await lay(sql, schema, name)
    async with (
        await dibs.open_backend(f"{postgres_url}?schema={schema}"),
        await dibs.open_backend(f"{postgres_url}?schema={schema}_new"),
    ):
        old, new = await read_catalog(sql, schema), await read_catalog(sql, f"{schema}_new")
    await sql.execute(f"DROP SCHEMA {schema}_new CASCADE")
    for part, wanted in new.items():
        assert (old[part] - wanted, wanted - old[part]) == (Counter(), Counter()), part


class OldStore:
    """A store with an old layout, and the code that was made for it."""

    def __init__(self, sql: Any, schema: str, name: str) -> None:
        self.sql, self.schema, self.name = sql, schema, name

    @property
    def knows_rules(self) -> bool:
        return self.name >= "5"

    async def send(self, statement: str, *values: Any) -> list[Any]:
        rows: list[Any] = await self.sql.fetch(statement.replace("{schema}", self.schema), *values)
        return rows

    async def fill(self) -> set[str]:
        """Store plain jobs, jobs that share a key, and jobs of a tenant with a cap; where there are lanes, use them."""
        if self.knows_rules:
            await self.send(OLD_RULE)
        await self._store("plain", 3)
        await self._store("keyed", 4, key="one")
        await self._store("capped", 3, tenant="capped")
        return {
            f"{kind}-{number}" for kind, count in (("plain", 3), ("keyed", 4), ("capped", 3)) for number in range(count)
        }

    async def _store(self, kind: str, count: int, *, tenant: str = "default", key: str | None = None) -> None:
        ids = [f"{kind}-{number}" for number in range(count)]
        what: list[list[Any]] = [["t"], [tenant], ["default"], [0], ["{}"], [3], [None], [key], [None], [None]]
        await self.send(OLD_STORE, ids, *(column * count for column in what), None, ["default"])


async def finish_all(backend: dibs.Backend) -> list[list[str]]:
    """Claim and complete until nothing is left: the ids of each claim."""
    rounds = []
    while jobs := await backend.claim_pending_jobs(20):
        assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
        rounds.append([job.id for job in jobs])
    return rounds


@pytest.mark.parametrize("name", NAMES)
async def test_jobs_of_an_old_store_are_all_done_under_their_limits(
    postgres_url: str, schema: str, sql: Any, name: str
) -> None:
    await lay(sql, schema, name)
    old = OldStore(sql, schema, name)
    stored = await old.fill()
    # Before there were limits a claim gave all of them; since then, one with this key and one of this tenant run now.
    running = [row["id"] for row in await old.send(OLD_CLAIM, 20)] if old.knows_rules else []
    assert Counter(job_id.split("-")[0] for job_id in running) in ({}, {"plain": 3, "keyed": 1, "capped": 1})
    async with await dibs.open_backend(f"{postgres_url}?schema={schema}") as backend:
        assert not running or await backend.claim_pending_jobs(20) == [], "what runs counts"
        await sql.execute(f"UPDATE {schema}.jobs SET lease_expires_at = now() WHERE state = 'running'")
        await backend.reap_jobs()
        rounds = await finish_all(backend)
    assert sorted(job_id for ids in rounds for job_id in ids) == sorted(stored)
    kinds = [Counter(job_id.split("-")[0] for job_id in ids) for ids in rounds]
    assert max(count["keyed"] for count in kinds) == 1
    assert max(count["capped"] for count in kinds) == (1 if old.knows_rules else 3)


@pytest.mark.parametrize("name", NAMES)
async def test_an_old_store_does_what_a_new_one_does(postgres_url: str, schema: str, sql: Any, name: str) -> None:
    await lay(sql, schema, name)
    async with await dibs.open_backend(f"{postgres_url}?schema={schema}") as backend:
        await backend.copy_jobs([dibs.Job(job_type="t") for _ in range(1200)])
        await backend.store_jobs([dibs.Job(job_type="t", concurrency_key="pair") for _ in range(20)])
        await backend.store_jobs([dibs.Job(id="doomed", job_type="t"), dibs.Job(id="later", job_type="t")])
        await backend.admission.set_rule(KeyRule(name="pair", max_running=2), **ACT)
        await backend.cancel_job("doomed", **ACT)
        await backend.retry_job("doomed", **ACT)
        assert await backend.erase_jobs(["later"], **ACT) == [False], "only what is finished"
        done = 0
        while jobs := await backend.claim_pending_jobs(500):
            assert sum(job.concurrency_key is not None for job in jobs) <= 2
            done += sum(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
        assert done == 1222
        assert [row["name"] for row in await OldStore(sql, schema, name).send(OLD_PAUSE)] == ["ebay"]
