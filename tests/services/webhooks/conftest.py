"""Webhooks on memory jobs, with tables on SQLite and PostgreSQL, and a receiver on loopback."""

from datetime import timedelta

import pytest

import dibs
from dibs.access.directory import Directory
from dibs.access.model import by_system
from dibs.engine.events import Events
from dibs.engine.loops.sealing import Sealing
from dibs.engine.worker.reach import Reach
from dibs.kit.encryption.secret import Secret
from dibs.outside.transport.transport import Transport
from dibs.services.webhooks.actions import NewEndpoint, Postroom, add_endpoint
from dibs.services.webhooks.collecting import Collector
from dibs.services.webhooks.delivering import Deliverer
from dibs.services.webhooks.settings import WebhookSettings
from dibs.services.webhooks.tasks import make_tasks
from dibs.storage.roles import TablesRole
from dibs.storage.tables import Tables
from tests.access.conftest import place, url  # noqa: F401 - fixtures
from tests.outside.conftest import hostile, other  # noqa: F401 - the same

BY = by_system("ada", "a test")
KEY = Secret("k" * 32)
ALL = ("job.finished", "job.failed", "alert")


@pytest.fixture
def settings(hostile):  # noqa: F811 - the fixture
    return WebhookSettings(keys=(KEY,), allow_hosts=frozenset({hostile.host}))


@pytest.fixture
async def tables(url):  # noqa: F811 - the fixture
    async with Tables.at(url) as opened:
        yield opened


@pytest.fixture
async def worker_tables(url):  # noqa: F811 - the fixture
    async with Tables.at(url, role=TablesRole.WORKER) as opened:
        yield opened


@pytest.fixture
async def app(worker_tables, settings):
    app = dibs.Dibs("memory://")

    @app.task("GREET")
    async def greet(name: str) -> str:
        return f"hello {name}"

    @app.task("BREAK", max_retries=0)
    async def breaks() -> None:
        raise dibs.Permanent("no luck")

    async with Transport() as transport, app:
        app.include(make_tasks(Deliverer(worker_tables, transport, settings)))
        yield app


@pytest.fixture
async def room(tables, app, settings):
    backend = await app.backend()
    return Postroom(Directory(tables, audit=backend.audit), backend, settings)


@pytest.fixture
def collector(worker_tables, app):
    return Collector(worker_tables, app.backend, app.enqueue)


@pytest.fixture
def drain(app):
    async def run() -> None:
        await app.make_worker(until_drained=True).run()

    return run


@pytest.fixture
async def seal(app):
    """Seal the audit log."""
    backend = await app.backend()
    sealing = Sealing(backend, Reach(Events()), owner="test", interval=timedelta(seconds=30))
    return sealing.tick


@pytest.fixture
def add(room, hostile):  # noqa: F811 - the fixture
    async def make(tenant: str | None = "acme", path: str = "/hook", events: tuple[str, ...] = ALL):
        return await add_endpoint(room, NewEndpoint(tenant=tenant, url=hostile.url(path), events=events), BY)

    return make
