"""From an app to a service that runs: the tables fit, nothing is open, and the first start gives a link."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import msgspec

from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.access.signing_in import begin_setup
from dibs.assembly import find_tables_schema, make_directory
from dibs.engine.app import App
from dibs.server.application import make_server
from dibs.server.demo.seeding import filled
from dibs.server.options import ServerOptions
from dibs.server.routes.front import SETUP
from dibs.server.serving import Service, listen
from dibs.settings import Settings
from dibs.storage.database.address import find_tables_url, read_address
from dibs.web.kept.answers import TableAnswers

# Who listens on all addresses is called by none of these; people sign in on loopback, where there is no public URL.
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - found, not listened on


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """What to start. `has_worker`: run the app's tasks in the same process.

    `is_demo`: fill the store with made-up work.
    """

    host: str
    port: int
    options: ServerOptions
    has_worker: bool
    is_demo: bool = False


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """Where people find a service, and where it listens. `setup`: the link for the first admin, while there is none."""

    place: str
    address: str
    setup: str | None


def launch(app: App, plan: Launch, tell: Callable[[Started], None]) -> None:
    """Serve until a signal comes; `tell` is called once it answers."""
    asyncio.run(_launch(app, plan, tell))


async def _launch(app: App, plan: Launch, tell: Callable[[Started], None]) -> None:
    # First: a port that is taken is told before anything is opened.
    listener = listen(plan.host, plan.port)
    try:
        async with _open_directory(app) as directory:
            gatekeeper = StoreGatekeeper(directory)
            answers = TableAnswers(directory.tables)
            server = make_server(app, gatekeeper, directory, options=plan.options, answers=answers)
            service = Service(server, plan.options, [app.make_worker()] if plan.has_worker else [])
            started = await _find_start(directory, plan, listener.getsockname()[:2])
            async with filled(app, directory) if plan.is_demo else nullcontext():
                await service.run(listener, on_ready=lambda: tell(started))
            await gatekeeper.settle()
    finally:
        listener.close()


@asynccontextmanager
async def _open_directory(app: App) -> AsyncIterator[Directory]:
    """Open the store, and bring the tables up to date."""
    url, settings = getattr(app, "url", None), app.settings
    _make_folder(settings, url)
    await find_tables_schema(url, settings=settings).migrate()
    try:
        directory = make_directory(await app.backend(), url, settings=settings)
        async with directory.tables:
            yield directory
    finally:
        await app.close()


def _make_folder(settings: Settings, url: str | None) -> None:
    address = read_address(find_tables_url(settings, url))
    if settings.data and not address.is_postgres:
        Path(settings.data).mkdir(mode=0o700, parents=True, exist_ok=True)


async def _find_start(directory: Directory, plan: Launch, address: tuple[str, int]) -> Started:
    host, port = address
    place = plan.options.home.public_url.rstrip("/") or _show_address(ANYWHERE.get(host, host), port)
    secret = await begin_setup(directory)
    setup = None if secret is None else f"{place}{SETUP}/{secret}"
    return Started(place=place, address=_show_address(host, port), setup=setup)


def _show_address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
