"""A store that a worker may look at and not write to: it does not pretend to work."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from uuid import uuid4

import asyncpg
import pytest

from dibs.assembly import Dibs, open_backend
from dibs.engine import events
from dibs.engine.app import App
from dibs.engine.events import Event
from dibs.errors import StoreAccessDenied
from tests.engine.worker.conftest import SOON, at_work, finish
from tests.tables import add_option

Tell = Callable[[str], Awaitable[object]]
MAY_READ = """
    REVOKE ALL ON ALL TABLES IN SCHEMA "{schema}" FROM "{role}";
    GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{role}";
"""
MAY_WRITE = """
    GRANT ALL ON ALL TABLES IN SCHEMA "{schema}" TO "{role}";
    GRANT ALL ON ALL SEQUENCES IN SCHEMA "{schema}" TO "{role}";
"""


@pytest.fixture
async def denied(postgres_url: str) -> AsyncIterator[tuple[App, Tell]]:
    """An app whose user may only read, and what changes that."""
    named = {"schema": f"t_{uuid4().hex[:12]}", "role": f"role_{uuid4().hex[:12]}"}
    url = add_option(postgres_url, f"schema={named['schema']}")
    async with await open_backend(url):
        pass
    connection = await asyncpg.connect(postgres_url)

    async def tell(statements: str) -> object:
        return await connection.execute(statements.format(**named))

    await tell('CREATE ROLE "{role}" LOGIN; GRANT USAGE ON SCHEMA "{schema}" TO "{role}"')
    await tell(MAY_READ)
    async with Dibs(url.replace("postgres@", f"{named['role']}@")) as app:

        @app.task("GREET")
        async def greet() -> str:
            return "hello"

        yield app, tell
    await tell('DROP OWNED BY "{role}"; DROP ROLE "{role}"; DROP SCHEMA "{schema}" CASCADE')
    await connection.close()


async def test_a_worker_that_may_not_write_ends_and_says_why(denied: tuple[App, Tell]) -> None:
    app, _ = denied
    async with asyncio.timeout(SOON):
        with pytest.raises(StoreAccessDenied, match="permission denied"):
            await app.make_worker().run()


async def test_a_worker_that_may_not_write_any_more_waits_until_it_may(denied: tuple[App, Tell]) -> None:
    app, tell = denied
    lost = asyncio.Event()

    def watch(event: Event) -> None:
        if event.name == events.STORE_LOST:
            lost.set()

    app.events.watch(watch)
    await tell(MAY_WRITE)
    async with at_work(app, beat=timedelta(milliseconds=20)):
        await finish(app, await app.enqueue("GREET"))
        await tell(MAY_READ)
        async with asyncio.timeout(SOON):
            await lost.wait()
        await tell(MAY_WRITE)
        assert (await finish(app, await app.enqueue("GREET"))).output == "hello"
