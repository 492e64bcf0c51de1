"""Putting the pages into a server: the engine's own, and those that were installed."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from fastapi import FastAPI, Request
from starlette.responses import Response

from dibs.engine.app import App
from dibs.errors import DibsError
from dibs.server.observing.chronicle import Chronicle
from dibs.server.observing.holdups import Holdups
from dibs.server.observing.nudges import Nudges
from dibs.server.pages import audit, gate, jobs, live, moving, overview, schedules, sources, tenants, workers
from dibs.server.pages.access import keys, signing_in, users
from dibs.server.pages.offering import NAV, SUBJECTS, TEMPLATES
from dibs.server.routes.prefix import PREFIX
from dibs.web.pages import files
from dibs.web.pages.doors import show_error
from dibs.web.pages.shell import make_shell

OWN = (overview, moving, jobs, schedules, workers, sources, gate, tenants, audit, keys, users, live)
OPEN = (signing_in.open_router, files.open_router)


def mount_pages(server: FastAPI, app: App, installed: Iterable[ModuleType], most_open: int) -> None:
    """Give a server its pages. A module of pages has `router`, `NAV`, and templates in `templates` beside it.

    One whose pages show what the audit log tells of has `SUBJECTS`, too.
    """
    modules = tuple(installed)
    added = [item for module in modules for item in module.NAV]
    # What is installed stands before what is operated: it is looked at more often.
    items = [*(item for item in NAV if not item.group), *added, *(item for item in NAV if item.group)]
    folders = {"server": TEMPLATES, **{_name(module): _find_templates(module) for module in modules}}
    subjects = [*SUBJECTS, *(one for module in modules for one in getattr(module, "SUBJECTS", ()))]
    server.state.shell = make_shell(items, folders, subjects)
    server.state.chronicle = Chronicle(app.backend)
    server.state.holdups = Holdups(app.backend)
    server.state.nudges = Nudges(app.backend, server.state.chronicle, most_open)
    for router in (*OPEN, *(module.router for module in (*OWN, *modules))):
        server.router.routes.extend(router.routes)


async def answer_reader(request: Request, error: Exception) -> Response | None:
    """Answer a mistaken address with a page, if a browser asked; None: somebody else must."""
    is_reading = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(f"{PREFIX}/")
    if not is_reading or not hasattr(request.app.state, "shell"):
        return None
    # Whoever is signed in keeps the way to all other pages; strangers get the page alone.
    with suppress(DibsError):
        request.state.principal = await request.app.state.doorkeeping.recognise(request)
    return show_error(request, error)


def _name(module: ModuleType) -> str:
    """`dibs.apps.postings.pages` is known as `postings`."""
    return module.__name__.split(".")[-2]


def _find_templates(module: ModuleType) -> Path:
    return Path(module.__file__ or "").parent / "templates"
