"""Routes as doors: each names the scope that opens it, and no request passes without."""

import time
from collections.abc import MutableMapping
from functools import cached_property
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response
from starlette.routing import Match

from dibs.access.scopes import Scope
from dibs.web.answers.problems import render_problem
from dibs.web.doorkeeping import Doorkeeping
from dibs.web.entrance.names import show_slashes
from dibs.web.idempotency import HEADER, answer_once
from dibs.web.parameters import find_body_fields, find_parameters, name_fields, refuse_unknown
from dibs.web.sessions import SAFE_METHODS
from dibs.web.sparing import Handler, spare_search

SCOPE_MARK = "x-dibs-scope"
_ERRORS = {401: "no key, or one that nobody knows", 403: "the key lacks the scope", 429: "too many requests"}


class Door(APIRoute):
    """A route that cannot be made without a scope."""

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        """Tell whether a request is meant for this route. Most are not, and their paths begin otherwise."""
        if not scope.get("root_path") and not scope["path"].startswith(self._beginning):
            return Match.NONE, {}
        return super().matches(scope)

    @cached_property
    def _beginning(self) -> str:
        return self.path_format.partition("{")[0]

    def get_route_handler(self) -> Handler:
        """Put the doorkeeper before the handler."""
        scope, known = self.scope, find_parameters(self.dependant)
        handle = spare_search(self, super().get_route_handler())
        handle = name_fields(handle, frozenset({*known, *find_body_fields(self.dependant)}))

        async def guarded(request: Request) -> Response:
            keeping: Doorkeeping = request.app.state.doorkeeping
            try:
                principal = await keeping.admit(request, scope)
                show_slashes(request.scope)
                if request.scope["query_string"]:
                    refuse_unknown(request, known)
                call = await keeping.make_call(request)
                began = time.monotonic()
                if request.method == "POST" and HEADER in request.headers:
                    response = await answer_once(call, principal, keeping.answers, handle)
                else:
                    response = await handle(call)
                return await keeping.watch_over(request, response, time.monotonic() - began)
            except Exception as error:  # noqa: BLE001 - every error becomes an answer here
                return self.refuse(request, error)

        return guarded

    def refuse(self, request: Request, error: Exception) -> Response:  # noqa: ARG002 - pages answer by what was asked
        """Answer with an error; doors of pages answer with a page."""
        return render_problem(error)

    @property
    def scope(self) -> Scope:
        """The scope that opens it."""
        mark = (self.openapi_extra or {}).get(SCOPE_MARK)
        if mark is None:
            message = f"route {self.path} names no scope. Give it one: @router.get(…, **door(Scope.…))"
            raise TypeError(message)
        return Scope(mark)


class OpenDoor(APIRoute):
    """A route for people whom nobody knows yet, such as the one to sign in at. Other sites' pages have no use of it."""

    def get_route_handler(self) -> Handler:
        """Check where a request comes from, before the handler."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                if request.method not in SAFE_METHODS:
                    request.app.state.doorkeeping.home.check_origin(request)
                return await handle(request)
            except Exception as error:  # noqa: BLE001 - every error becomes an answer here
                return render_problem(error)

        return guarded


def make_router(tag: str, prefix: str) -> APIRouter:
    """Make a router whose routes are doors. They know their whole path, so that a server takes them as they are."""
    return APIRouter(route_class=Door, tags=[tag], prefix=prefix)


def door(
    scope: Scope,
    shape: type[BaseModel] | None = None,
    *,
    status: int = 200,
    also: tuple[int, ...] = (),
    refusals: tuple[int, ...] = (),
) -> dict[str, Any]:
    """Say which scope opens a route, what it answers, with which other good status, and which refusals are its own."""
    named: dict[str, Any] = {
        "openapi_extra": {SCOPE_MARK: scope.value, "security": [{"key": []}]},
        "responses": {code: describe_problem(code) for code in sorted({*_ERRORS, 422, 503, *refusals})},
        "status_code": status,
        # The shape is for the description; answers are written by msgspec, which is several times faster.
        "response_model": shape,
    }
    named["responses"] |= {code: {"model": shape, "description": "Given."} for code in also}
    return named


def csv_door(scope: Scope) -> dict[str, Any]:
    """The same for a table."""
    return _other_door(scope, "text/csv")


def text_door(scope: Scope) -> dict[str, Any]:
    """The same for plain text."""
    return _other_door(scope, "text/plain")


def zip_door(scope: Scope, *, refusals: tuple[int, ...] = ()) -> dict[str, Any]:
    """The same for an archive."""
    return _other_door(scope, "application/zip", refusals=refusals)


def stream_door(scope: Scope, *, refusals: tuple[int, ...] = ()) -> dict[str, Any]:
    """The same for a stream of events."""
    return _other_door(scope, "text/event-stream", refusals=refusals)


def _other_door(scope: Scope, media_type: str, *, refusals: tuple[int, ...] = ()) -> dict[str, Any]:
    named = door(scope, refusals=refusals)
    named["responses"][200] = {"description": "Given.", "content": {media_type: {"schema": {"type": "string"}}}}
    # Without this, the description would promise JSON as well.
    return {**named, "response_class": Response}


def describe_problem(code: int) -> dict[str, Any]:
    """Describe an error of a route."""
    said = _ERRORS.get(code) or {
        400: "the body cannot be read",
        404: "there is none, or it is not yours",
        409: "it is not in a state that allows this",
        412: "it has been changed since you read it",
        413: "too large",
        422: "something in the request makes no sense",
        428: "say which version you mean, with If-Match",
        503: "the store is not there",
    }.get(code, "refused")
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": f"Refused: {said}.", "content": {"application/problem+json": {"schema": schema}}}
