"""Pages as doors: each names its scope like a route of the API, and answers errors with a page."""

from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dibs.access.scopes import Scope
from dibs.errors import RequestRefused
from dibs.web.answers.problems import make_problem
from dibs.web.doors import Door, door
from dibs.web.entrance.names import find_address
from dibs.web.pages.shell import render

SIGN_IN = "/sign-in"
SEE_OTHER = 303
# Asked for once more, it would be answered the same.
HOPELESS = (403, 404)
# What people read in place of what programs do.
TITLES = {
    400: "That cannot be read",
    404: "Not found",
    409: "Not possible now",
    412: "Somebody was faster",
    413: "Too large",
    422: "That does not fit",
    429: "Too many requests",
    500: "Something broke",
    503: "The store does not answer",
}
SAID = {
    "no_such_path": "There is no page here. The address may be mistyped, or its part is not installed.",
    "method_not_allowed": "This address only takes forms. Go to the page that has it.",
}


class PageDoor(Door):
    """A door whose errors are read by people."""

    def refuse(self, request: Request, error: Exception) -> Response:
        """Send strangers to the sign-in page; show everybody else what went wrong."""
        if isinstance(error, RequestRefused) and error.code == "not_authenticated":
            return ask_to_sign_in(request)
        return show_error(request, error)


def make_page_router() -> APIRouter:
    """Make a router whose routes are pages."""
    return APIRouter(route_class=PageDoor)


def page(scope: Scope) -> dict[str, Any]:
    """Say which scope opens a page or a form; the API's description leaves it out."""
    named = door(scope)
    return {"openapi_extra": named["openapi_extra"], "include_in_schema": False, "response_class": Response}


def ask_to_sign_in(request: Request) -> Response:
    """Send somebody to the sign-in page, and back afterwards if they were reading."""
    back = find_address(request.scope) + (f"?{request.url.query}" if request.url.query else "")
    where = f"{SIGN_IN}?next={quote(back, safe='')}" if request.method == "GET" and back != "/" else SIGN_IN
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": where})
    return RedirectResponse(where, SEE_OTHER)


def show_error(request: Request, error: BaseException) -> Response:
    """Show what went wrong, under the status that the API would answer."""
    problem = make_problem(error)
    said = SAID.get(problem.code, problem.detail)
    return render(
        request,
        "web/error.html",
        status=problem.status,
        problem=problem,
        title=TITLES.get(problem.status, problem.title),
        said_of_it=said[:1].upper() + said[1:],
        back=_find_back(request, problem.status),
    )


def _find_back(request: Request, status: int) -> str | None:
    """Give the page on which a refused form was filled in, or that can be asked for once more; None: neither."""
    if request.method == "GET":
        here = find_address(request.scope)
        return here if here != "/" and status not in HOPELESS else None
    try:
        came = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return None
    # Two slashes would name another host.
    is_ours = came.netloc == request.headers.get("host") and came.path.startswith("/") and came.path[1:2] != "/"
    return f"{came.path}?{came.query}" if is_ours and came.query else came.path if is_ours else None
