"""Many tenants over HTTP, on stores with two pooled connections each, with requests cancelled at any moment.

Every tenant has canaries: a job, a key, a user and a schedule that carry its mark. No answer to one tenant may ever
hold the mark of another, whatever was cancelled on the same connections before.
"""

import asyncio
import random
import re
import shutil
from collections import Counter
from uuid import uuid4

import httpx
import pytest

import dibs
from dibs.access.actions import create_key, create_tenant, create_user
from dibs.access.keeper import StoreGatekeeper
from dibs.access.model import NewKey, NewUser
from dibs.access.scopes import Role, Scope
from dibs.access.secrets import Passwords
from dibs.assembly import make_directory
from dibs.server.application import make_server
from dibs.settings import Settings
from dibs.web.kept.answers import TableAnswers
from tests.access.conftest import BOSS, QUICK
from tests.server.conftest import OPTIONS, connect
from tests.tables import add_option, drop_family, migrate

TENANTS = [f"tenant-{number:02}" for number in range(12)]
AT_ONCE = 16
MARK = re.compile(r"canary-of-(tenant-\d\d)")
WHY = {"reason": "because"}
TIMING = {"type": "interval", "every_seconds": 86_400}


def mark_of(tenant: str) -> str:
    return f"canary-of-{tenant}"


class Traffic:
    """Requests of random tenants, some of them cancelled somewhere on their way."""

    def __init__(self, server, directory, seed: int) -> None:
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self._server = server
        self._directory = directory
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._ids: dict[str, dict[str, str]] = {}

    async def plant(self) -> None:
        for tenant in TENANTS:
            await create_tenant(self._directory, tenant, BOSS)
            wanted = NewKey(tenant=tenant, scopes=frozenset(Scope), name=mark_of(tenant))
            key, secret = await create_key(self._directory, wanted, BOSS)
            user = NewUser(tenant=tenant, name=mark_of(tenant), role=Role.VIEWER, password="correct horse battery")
            await create_user(self._directory, user, BOSS)
            client = self._clients[tenant] = connect(self._server, secret)
            job = (await client.post("/jobs", json=self._job(tenant))).json()["job"]
            schedule = {"job_type": "PING", "input": {"mark": mark_of(tenant)}, "timing": TIMING, **WHY}
            assert (await client.put(f"/schedules/{mark_of(tenant)}", json=schedule)).status_code == 201
            self._ids[tenant] = {
                "jobs": job["id"],
                "keys": key.id,
                "users": mark_of(tenant),
                "schedules": mark_of(tenant),
            }

    @staticmethod
    def _job(tenant: str) -> dict:
        return {"job_type": "PING", "input": {"text": mark_of(tenant)}, "queue": mark_of(tenant)}

    async def run(self, count: int) -> None:
        turns = asyncio.Semaphore(AT_ONCE)
        kinds = [self.enqueue, self.read, self.listing, self.reach, self.make_key, self.repeat]

        async def one() -> None:
            async with turns:
                await self._maybe_cancelled(self.chance.choice(kinds))

        # All of them to their end: a connection must not be in use when the store is closed.
        ended = await asyncio.gather(*(one() for _ in range(count)), return_exceptions=True)
        for error in ended:
            if error is not None:
                raise error

    async def _maybe_cancelled(self, operation) -> None:
        task = asyncio.create_task(operation(self.chance.choice(TENANTS)))
        if self.chance.random() < 0.3:
            for _ in range(self.chance.randrange(40)):
                await asyncio.sleep(0)
            await asyncio.sleep(self.chance.choice([0, 0, 0.001, 0.003, 0.01]))
            self.counts["cancelled"] += task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled():
            task.result()
            self.counts[operation.__name__] += 1

    async def _send(self, tenant: str, method: str, path: str, status: int, **sent) -> httpx.Response:
        answered = await self._clients[tenant].request(method, path, **sent)
        assert answered.status_code == status, answered.text
        if status < 400:
            assert {*MARK.findall(answered.text)} <= {tenant}, f"{tenant} saw another tenant at {path}"
        return answered

    async def enqueue(self, tenant: str) -> None:
        await self._send(tenant, "POST", "/jobs", 201, json=self._job(tenant))

    async def read(self, tenant: str) -> None:
        kind = self.chance.choice(["jobs", "keys", "users", "schedules"])
        answered = await self._send(tenant, "GET", f"/{kind}/{self._ids[tenant][kind]}", 200)
        assert mark_of(tenant) in answered.text

    async def listing(self, tenant: str) -> None:
        path = self.chance.choice(
            ["/jobs", "/keys", "/users", "/schedules", "/queues", "/audit", "/tenants", "/jobs.csv"]
        )
        answered = await self._send(tenant, "GET", path, 200)
        if path in ("/users", "/schedules", "/queues"):
            assert mark_of(tenant) in answered.text

    async def reach(self, tenant: str) -> None:
        other = self.chance.choice([one for one in TENANTS if one != tenant])
        kind = self.chance.choice(["jobs", "keys", "users", "schedules"])
        await self._send(tenant, "GET", f"/{kind}/{self._ids[other][kind]}", 404)

    async def make_key(self, tenant: str) -> None:
        body = {"scopes": ["jobs:read"], "name": mark_of(tenant), **WHY}
        made = (await self._send(tenant, "POST", "/keys", 201, json=body)).json()
        await self._send(tenant, "POST", f"/keys/{made['id']}/revoke", 200, json=WHY)

    async def repeat(self, tenant: str) -> None:
        key = f"key-{self.chance.randrange(50)}"
        answered = await self._clients[tenant].post("/jobs", json=self._job(tenant), headers={"Idempotency-Key": key})
        assert answered.status_code in (201, 409), answered.text
        assert {*MARK.findall(answered.text)} <= {tenant}

    async def check(self) -> None:
        """Every canary lives, and everybody sees their own only."""
        for tenant in TENANTS:
            for kind in ("jobs", "keys", "users", "schedules"):
                await self._send(tenant, "GET", f"/{kind}/{self._ids[tenant][kind]}", 200)
            await self._clients[tenant].aclose()


@pytest.fixture(params=["sqlite", "postgres"])
async def urls(request, tmp_path, migrated_file):
    """A store of jobs and one of tables, with two connections each."""
    if request.param == "sqlite":
        shutil.copy(migrated_file, tmp_path / "tables.db")
        yield f"sqlite:///{tmp_path}/jobs.db", f"sqlite:///{tmp_path}/tables.db?pool_size=2"
        return
    postgres_url, family = request.getfixturevalue("postgres_url"), f"t_{uuid4().hex[:12]}"
    url = add_option(add_option(postgres_url, f"schema={family}"), "pool_size=2")
    await migrate(url)
    yield url, url
    await drop_family(postgres_url, family)


async def check_mixed(urls, count: int) -> None:
    jobs_url, tables_url = urls
    settings = Settings(url=jobs_url, tables_url=tables_url)
    async with dibs.Dibs(jobs_url, settings=settings) as app:
        directory = make_directory(None, jobs_url, settings=settings)
        directory.passwords = Passwords(QUICK)
        async with directory.tables:
            gatekeeper = StoreGatekeeper(directory)
            answers = TableAnswers(directory.tables)
            server = make_server(app, gatekeeper, directory, options=OPTIONS, answers=answers)
            traffic = Traffic(server, directory, seed=1)
            await traffic.plant()
            await traffic.run(count)
            await traffic.check()
            await gatekeeper.settle()
    assert traffic.counts["cancelled"] > count / 20, "hardly any was cancelled in time"
    kinds = ("enqueue", "read", "listing", "reach", "make_key", "repeat")
    assert min(traffic.counts[name] for name in kinds) > count / 30, traffic.counts


async def test_no_tenant_sees_another_while_requests_are_cancelled(urls):
    await check_mixed(urls, 200)


@pytest.mark.system
async def test_no_tenant_sees_another_in_ten_thousand_requests(urls):
    await check_mixed(urls, 10_000)


async def test_without_our_fence_the_check_fails_on_sqlite_and_the_policies_of_postgresql_hold_alone(urls, monkeypatch):
    monkeypatch.setattr("dibs.storage.transaction.confine_reading", lambda question, _: question)
    if urls[1].startswith("sqlite"):
        with pytest.raises(AssertionError):
            await check_mixed(urls, 100)
    else:
        await check_mixed(urls, 100)
