"""A server on the memory store: called in this process, or over real sockets."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

import dibs
from dibs.access.actions import create_tenant
from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.access.secrets import Passwords
from dibs.engine.tasks.builtin import make_builtin
from dibs.server.application import make_server
from dibs.server.options import ServerOptions
from dibs.server.serving import Service, listen
from dibs.storage.tables import Tables
from dibs.web.rates import Rate
from tests.access.conftest import BOSS, QUICK
from tests.server.keys import ACME, GLOBEX, OPERATOR, KeyRing

FREE = Rate(per_second=1_000_000, burst=1_000_000)
OPTIONS = ServerOptions(calls=FREE, failed_keys=FREE)


@pytest.fixture
async def engine() -> AsyncIterator[dibs.Dibs]:
    app = dibs.Dibs("memory://")
    app.include(make_builtin())

    @app.task("FAIL", max_retries=0)
    async def fail() -> None:
        message = "no luck"
        raise dibs.Permanent(message)

    async with app:
        yield app


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing()


@pytest.fixture
async def directory(migrated_file, tmp_path) -> AsyncIterator[Directory]:
    shutil.copy(migrated_file, tmp_path / "tables.db")
    async with Tables.at(f"sqlite:///{tmp_path}/tables.db") as tables:
        made = Directory(tables, passwords=Passwords(QUICK))
        for name in ("acme", "globex"):
            await create_tenant(made, name, BOSS)
        yield made


@pytest.fixture
async def gatekeeper(directory) -> AsyncIterator[StoreGatekeeper]:
    """The gatekeeper of the store; what it still notes is waited for before the tables are closed."""
    keeper = StoreGatekeeper(directory)
    yield keeper
    await keeper.settle()


@pytest.fixture
def server(engine, ring, directory):
    return make_server(engine, ring, directory, options=OPTIONS)


def connect(server, key: str | None) -> httpx.AsyncClient:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://dibs.test/api/v1", headers=headers)


@pytest.fixture
async def acme(server) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(server, ACME) as client:
        yield client


@pytest.fixture
async def globex(server) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(server, GLOBEX) as client:
        yield client


@pytest.fixture
async def operator(server) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(server, OPERATOR) as client:
        yield client


@pytest.fixture
async def drain(engine):
    """Run every job that is due."""

    async def run() -> None:
        await engine.make_worker(until_drained=True).run()

    return run


@asynccontextmanager
async def serving(server, options=OPTIONS, workers=()) -> AsyncIterator[tuple[str, int]]:
    """Serve on a free port."""
    listener = listen("127.0.0.1", 0)
    service, ready = Service(server, options, workers), asyncio.Event()
    running = asyncio.create_task(service.run(listener, on_ready=ready.set))
    try:
        async with asyncio.timeout(60):
            await ready.wait()
        host, port = listener.getsockname()[:2]
        yield host, port
    finally:
        service.stop()
        async with asyncio.timeout(60):
            await running


async def enqueue(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    answered = await client.post("/jobs", json={"job_type": "PING", **fields})
    assert answered.status_code == 201, answered.text
    job: dict[str, Any] = answered.json()["job"]
    return job
