"""The FastAPI application, put together."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from types import ModuleType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dibs.access.directory import Directory
from dibs.access.gatekeeper import Gatekeeper
from dibs.assembly import load_holdings, load_parts
from dibs.engine.app import App
from dibs.server.actions.people import Holdings
from dibs.server.arrivals import Arrivals
from dibs.server.call import make_call
from dibs.server.description import describe, find_methods
from dibs.server.figures import Counting, Figures
from dibs.server.hub import Hub
from dibs.server.lookups import Lookups
from dibs.server.observing.cached import Cached
from dibs.server.options import ServerOptions
from dibs.server.pages.mounting import answer_reader, mount_pages
from dibs.server.routes import access, audit, front, governing, health, jobs, people, queues, schedules, waiting
from dibs.server.routes.prefix import PREFIX
from dibs.web.answers.problems import render_problem
from dibs.web.doorkeeping import Doorkeeping
from dibs.web.entrance.intake import Intake, IntakeLimits
from dibs.web.entrance.signpost import Signpost
from dibs.web.idempotency import KeptAnswers, MemoryAnswers
from dibs.web.rates import Buckets

DESCRIPTION = f"{PREFIX}/openapi.json"
ROUTERS = (
    jobs.router,
    waiting.router,
    queues.router,
    schedules.router,
    governing.router,
    audit.router,
    access.router,
    people.router,
    health.router,
)
DEFAULTS = ServerOptions()


def make_server(
    app: App,
    gatekeeper: Gatekeeper,
    directory: Directory,
    *,
    options: ServerOptions = DEFAULTS,
    answers: KeptAnswers | None = None,
) -> FastAPI:
    """Make the HTTP server of an app. Its tasks check inputs; their handlers run wherever workers do.

    Routes and pages find what they need in its state: `engine` (the app), `directory` (tenants, keys, users), `tables`.
    """

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        await app.backend()
        yield
        server.state.hub.close()
        server.state.nudges.close()
        await server.state.chronicle.close()
        await server.state.cached.close()

    server = FastAPI(
        title="Dibs",
        version=version("dibs"),
        lifespan=live,
        # The one that FastAPI offers is made and written on the loop, and its pages load their scripts from elsewhere.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    modules = tuple(load_parts("routes"))
    _furnish(server, app, options, _find_uploads(modules))
    server.state.directory = directory
    server.state.tables = directory.tables
    server.state.holdings = Holdings(lambda: load_holdings(app, directory.tables))
    server.state.doorkeeping = Doorkeeping(
        gatekeeper, answers or MemoryAnswers(), Buckets(options.calls), Buckets(options.failed_keys), options.home
    )
    server.state.doorkeeping.make_call = make_call
    # Not include_router: it would look for the way twice at every request, at a quarter of the price of a read.
    for router in (*ROUTERS, health.open_router, front.router, *(module.router for module in modules)):
        server.router.routes.extend(router.routes)
    mount_pages(server, app, load_parts("pages"), options.most_streams)
    describe(server, DESCRIPTION)
    server.router.routes.insert(0, Signpost(server.router.routes))
    return server


def _find_uploads(modules: Iterable[ModuleType]) -> dict[str, IntakeLimits]:
    """Ask what is installed where whole files come in, and how large they may be."""
    found: dict[str, IntakeLimits] = {}
    for module in modules:
        if hasattr(module, "find_uploads"):
            found |= module.find_uploads()
    return found


def _furnish(server: FastAPI, app: App, options: ServerOptions, uploads: dict[str, IntakeLimits]) -> None:
    server.state.engine = app
    server.state.hub = Hub(app.backend, options.most_streams)
    server.state.lookups = Lookups(app.backend)
    server.state.arrivals = Arrivals(app.backend)
    server.state.cached = Cached(app)
    server.state.figures = Figures(app.events, server.state.hub)
    server.add_middleware(Counting, figures=server.state.figures)
    server.add_middleware(
        Intake,
        limits=options.limits,
        is_secure=options.home.is_secure,
        uploads=uploads,
        is_known=lambda scope: server.state.doorkeeping.has_known(Request(scope)),
    )
    for kind in (HTTPException, RequestValidationError, Exception):
        server.add_exception_handler(kind, _answer_error)


async def _answer_error(request: Request, error: Exception) -> Response:
    response = await answer_reader(request, error) or render_problem(error)
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = ", ".join(find_methods(request))
    return response
