"""A role that programs use: it does all that they do, and cannot touch what the audit log says."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
import pytest_asyncio

import dibs
from dibs.backends.postgres.statements import Statements
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.suite.admission.gating import Gating
from dibs.testing.suite.admission.limiting import Limiting
from dibs.testing.suite.admission.sourcing import Sourcing
from dibs.testing.suite.jobs.claiming import Claiming
from dibs.testing.suite.jobs.ending import Ending
from dibs.testing.suite.jobs.failing import Failing
from dibs.testing.suite.jobs.reclaiming import Reclaiming
from dibs.testing.suite.jobs.storing import Storing
from dibs.testing.suite.jobs.transactions import Transactions
from dibs.testing.suite.jobs.uniqueness import Uniqueness
from dibs.testing.suite.leasing import Leasing
from dibs.testing.suite.noticing import Noticing
from dibs.testing.suite.operating import Operating
from dibs.testing.suite.reading import Reading
from dibs.testing.suite.working import Working

SCHEMA, ROLE = "granted", "granted_role"
ENTRY = NewEntry(action="EMAIL_SENT", subject="message:1", actor="mailer")
ENTRY_AT = "(at, tenant, actor, action, subject) VALUES ({}, 'default', 'mailer', 'X', 'x')"
CHANGES = [
    f"UPDATE {SCHEMA}.audit SET actor = 'nobody'",
    f"DELETE FROM {SCHEMA}.audit",
    f"TRUNCATE {SCHEMA}.audit",
    f"SET dibs.forgetting = '{SCHEMA}'; DELETE FROM {SCHEMA}.audit",
    f"SELECT {SCHEMA}.forget_sealed('default', 9)",
    f"UPDATE {SCHEMA}.seals SET hash = ''",
    f"DELETE FROM {SCHEMA}.seals",
    f"INSERT INTO {SCHEMA}.seals VALUES (1, 1, 'default', '')",
    f"UPDATE {SCHEMA}.seal_marks SET floor = 9000000000000",
    f"INSERT INTO {SCHEMA}.audit OVERRIDING SYSTEM VALUE VALUES (-7, now(), 7, 'default', 'x', 'x', 'x', '')",
    f"INSERT INTO {SCHEMA}.audit {ENTRY_AT.format('now() - interval $$1 year$$')}",
    f"INSERT INTO {SCHEMA}.audit {ENTRY_AT.format('$$infinity$$')}",
    f"INSERT INTO {SCHEMA}.schema_version VALUES (99, 99)",
    f"ALTER TABLE {SCHEMA}.audit DISABLE TRIGGER guard_audit",
]


class GrantedStore(PostgresStore):
    """Handles are opened by the role; the tests' own hands stay the owner's."""

    async def open(self, **settings: Any) -> dibs.Backend:
        handle = PostgresStore(as_role(self.url), self._control)
        handle._name = self._name
        return await handle.open(**settings)


def as_role(url: str) -> str:
    return url.replace(f"//{urlsplit(url).username}@", f"//{ROLE}@")


async def start(postgres_url: str) -> GrantedStore:
    store = await GrantedStore.start(f"{postgres_url}?schema={SCHEMA}")
    exists = await store._control.fetchval("SELECT count(*) FROM pg_roles WHERE rolname = $1", ROLE)
    if not exists:
        await store._control.execute(f"CREATE ROLE {ROLE} LOGIN")
    async with await dibs.open_backend(store.url) as owner:
        assert owner.roles is not None
        await owner.roles.grant(ROLE)
    return store


@pytest_asyncio.fixture
async def granted(postgres_url: str) -> AsyncIterator[GrantedStore]:
    store = await start(postgres_url)
    await store.reset()
    yield store
    await store.close()


@pytest.mark.asyncio
class TestAsTheRole(
    Storing, Uniqueness, Claiming, Ending, Failing, Reclaiming, Operating, Reading, Noticing, Leasing, Working, Gating,
    Limiting, Sourcing, Transactions,
):  # fmt: skip
    """All of the suite's own parts but Sealing, for to forget is the owner's, and those that refuse before they ask."""

    @pytest_asyncio.fixture
    async def harness(self, postgres_url: str) -> AsyncIterator[PostgresStore]:
        store = await start(postgres_url)
        yield store
        await store.close()


@pytest.mark.parametrize("change", CHANGES)
async def test_the_role_cannot_change_what_the_log_says(granted: GrantedStore, change: str) -> None:
    async with await granted.open() as backend:
        await backend.audit.append([ENTRY])
    connection = await asyncpg.connect(as_role(granted.url).partition("?")[0])
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(change)
        assert await connection.fetchval(f"SELECT count(*) FROM {SCHEMA}.audit WHERE actor = 'mailer'") == 1
    finally:
        await connection.close()


@pytest.mark.parametrize("change", CHANGES[:3])
async def test_even_the_owner_is_refused_but_for_what_is_sealed(granted: GrantedStore, sql: Any, change: str) -> None:
    async with await granted.open() as backend:
        await backend.audit.append([ENTRY])
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="kept as they were written"):
        await sql.execute(change)


async def test_the_role_seals_behind_the_last_seal(granted: GrantedStore) -> None:
    async with await granted.open() as backend:
        await backend.audit.append([ENTRY, ENTRY])
        [seals] = chain(await backend.audit.list_unsealed(), [])
        assert await backend.audit.seal(seals)
        assert await backend.audit.count_unsealed() == 0


async def test_a_role_from_before_takes_turns_by_a_table_that_came_since(granted: GrantedStore, sql: Any) -> None:
    await sql.execute(f"DROP TABLE {SCHEMA}.ring")
    await sql.execute(Statements(SCHEMA).migration(15)[0])
    async with await granted.open() as backend:
        await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), actor="op", reason="test")
        await backend.store_jobs([dibs.Job(job_type="t", tenant=tenant) for tenant in "aabb"])
        assert [job.tenant for job in await backend.claim_pending_jobs(4)] == ["a", "b", "a", "b"]


async def test_a_role_without_the_right_to_forget_is_told(granted: GrantedStore) -> None:
    async with await granted.open() as backend:
        with pytest.raises(dibs.StoreAccessDenied, match="right"):
            await backend.audit.forget_sealed("default", 1)
