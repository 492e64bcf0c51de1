"""Pages as doors: each names its scope like a route of the API, and answers errors with a page."""

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dibs.access.scopes import Scope
from dibs.errors import RequestRefused
from dibs.web.doors import Door, door
from dibs.web.pages.shell import render
from dibs.web.problems import make_problem, render_problem

SIGN_IN = "/sign-in"
SEE_OTHER = 303


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
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    where = f"{SIGN_IN}?next={quote(back, safe='')}" if request.method == "GET" and back != "/" else SIGN_IN
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": SIGN_IN})
    return RedirectResponse(where, SEE_OTHER)


def show_error(request: Request, error: BaseException) -> Response:
    """Show what went wrong, under the status that the API would answer."""
    problem = make_problem(error)
    answer = render(request, "web/error.html", status=problem.status, problem=problem)
    retry_after = render_problem(error).headers.get("retry-after")
    if retry_after is not None:
        answer.headers["Retry-After"] = retry_after
    return answer
