"""From a template and some values to a page."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from fastapi import Request
from jinja2 import Environment, FileSystemLoader, PrefixLoader, StrictUndefined, select_autoescape
from starlette.responses import RedirectResponse, Response

from dibs.access.principal import Principal
from dibs.web.answers.headers import PAGE_POLICY
from dibs.web.entrance.names import find_address
from dibs.web.pages import showing
from dibs.web.pages.files import FILES
from dibs.web.pages.navigation import NavItem, find_current, offer
from dibs.web.pages.subjects import SubjectPage, find_page, order
from dibs.web.sessions import REFRESHED, find_cookie

HERE = Path(__file__).parent
HEADERS = {"Content-Security-Policy": PAGE_POLICY, "Vary": "Cookie, HX-Request"}
THEMES = ("auto", "light", "dark")
THEME_COOKIE, SAID_COOKIE = "dibs-theme", "dibs-said"
_LONGEST_SAID = 300
SEE_OTHER = 303


class Shell(msgspec.Struct, frozen=True, kw_only=True):
    """What all pages of one server share: the templates, what there is to go to, and where subjects are shown."""

    environment: Environment
    items: tuple[NavItem, ...]
    subjects: tuple[SubjectPage, ...] = ()

    def find_page(self, subject: str, tenant: str, principal: Principal) -> str:
        """Tell where somebody may look at what the audit log calls so."""
        return find_page(self.subjects, subject, tenant, principal)


def make_shell(items: Iterable[NavItem], folders: dict[str, Path], subjects: Iterable[SubjectPage] = ()) -> Shell:
    """Make a shell. Each folder of templates is known under its name: `server/jobs.html`."""
    environment = _make_environment(tuple(sorted(folders.items())))
    return Shell(environment=environment, items=tuple(items), subjects=order(subjects))


@cache
def _make_environment(folders: tuple[tuple[str, Path], ...]) -> Environment:
    loaders = {name: FileSystemLoader(folder) for name, folder in (*folders, ("web", HERE / "templates"))}
    environment = Environment(
        loader=PrefixLoader(loaders),
        # Every template, whatever its name: there is none that may write markup it was given.
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(showing.FILTERS)
    environment.globals["file"] = _address_of
    return environment


def render(request: Request, template: str, *, status: int = 200, is_live: bool = False, **values: Any) -> Response:
    """Render a page; for somebody who has it open already, only the part that changes.

    `is_live`: that part is asked for again whenever something happens.
    """
    shell: Shell = request.app.state.shell
    is_part = request.headers.get("hx-target") == REFRESHED
    said = unquote(find_cookie(request, SAID_COOKIE) or "")
    text = shell.environment.get_template(template).render(
        layout="web/part.html" if is_part else "web/layout.html",
        here=_here(request, shell),
        said="" if is_part else said[:_LONGEST_SAID],
        may=_may(request),
        is_live=is_live,
        **values,
    )
    answer = Response(text, status, HEADERS, "text/html; charset=utf-8")
    if said and not is_part:
        answer.delete_cookie(SAID_COOKIE)
    return answer


def go_to(path: str, said: str = "") -> Response:
    """Send a browser on after a form, with a word about what was done."""
    answer = RedirectResponse(path, SEE_OTHER)
    if said:
        text = quote(said[:_LONGEST_SAID])
        answer.set_cookie(SAID_COOKIE, text, max_age=20, httponly=True, samesite="lax")
    return answer


def _here(request: Request, shell: Shell) -> dict[str, Any]:
    """What the layout needs to know of the request."""
    principal: Principal | None = getattr(request.state, "principal", None)
    theme = find_cookie(request, THEME_COOKIE)
    query = f"?{request.url.query}" if request.url.query else ""
    return {
        "principal": principal,
        "groups": [] if principal is None else offer(shell.items, principal),
        "current": find_current(shell.items, request.url.path),
        "theme": theme if theme in THEMES else "auto",
        "address": find_address(request.scope) + query,
        "path": find_address(request.scope),
    }


def _may(request: Request) -> Any:
    principal: Principal | None = getattr(request.state, "principal", None)
    scopes = frozenset() if principal is None else {scope.value for scope in principal.scopes}
    return lambda scope: scope in scopes


def _address_of(name: str) -> str:
    found = FILES.find(name)
    return "" if found is None else found.address
