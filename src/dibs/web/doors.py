"""Routes as doors: each names the scope that opens it, and no request passes without."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from functools import cached_property, partial
from typing import Any, cast, get_args, get_origin

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match

from dibs.access.gatekeeper import Gatekeeper
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.access.secrets import digest_of
from dibs.errors import BadInput, RequestRefused
from dibs.web.answers.json import UnkeptResponse
from dibs.web.answers.problems import render_problem
from dibs.web.answers.streams import while_known
from dibs.web.entrance.names import show_slashes
from dibs.web.idempotency import HEADER, KeptAnswers, answer_once
from dibs.web.rates import Buckets
from dibs.web.sessions import SAFE_METHODS, Home, is_use
from dibs.web.sparing import Handler, spare_search

SCOPE_MARK = "x-dibs-scope"
MOST_KNOWN = 10_000
# A revoked key is dead within a second. Whoever waits longer than this for an answer is looked at once more.
LONG = 0.5
_ERRORS = {401: "no key, or one that nobody knows", 403: "the key lacks the scope", 429: "too many requests"}


class Doorkeeping:
    """What all doors share: who recognises callers, how often they may come, and what they were answered."""

    def __init__(
        self, gatekeeper: Gatekeeper, answers: KeptAnswers, calls: Buckets, failures: Buckets, home: Home
    ) -> None:
        self._gatekeeper = gatekeeper
        self._calls = calls
        self._failures = failures
        # Hashes of what was good when it was shown last, the latest at the end.
        self._known: dict[str, None] = {}
        self.answers = answers
        self.home = home
        # What a handler is given as its request: a server may know more of one than the framework does.
        self.make_call: Callable[[Request], Awaitable[Request]] = _as_it_is

    async def admit(self, request: Request, scope: Scope) -> Principal:
        """Recognise the caller, and let them in if they may."""
        principal = await self.recognise(request)
        # Before anything is refused: whoever is told so on a page keeps what they may go to.
        request.state.principal = principal
        self._calls.take(principal.actor)
        if scope not in principal.scopes:
            advice = "Ask an admin for a role that has it." if principal.kind == "user" else "Use a key that has it."
            who = principal.name or principal.actor
            message = f"this needs the scope {scope.value}, which {who} lacks. {advice}"
            raise RequestRefused(message, code="scope_missing")
        return principal

    async def recognise(self, request: Request) -> Principal:
        """Tell who asks; refuse whom nobody knows."""
        key = _find_key(request)
        session = self.home.find_session(request) if key is None else None
        if session is not None and request.method not in SAFE_METHODS:
            # A browser sends the cookie along whoever asked for it; a key is sent only by who has it.
            self.home.check_origin(request)
        # Who shows nothing guesses nothing, and is told so whatever their neighbours do.
        found = await self._find(key, session, request) if key or session else None
        if found is None:
            raise _unknown()
        request.state.credential = key or session
        return found

    async def still_knows(self, request: Request) -> bool:
        """Tell whether somebody who was let in is known still, and may do the same: some answers take long."""
        principal: Principal = request.state.principal
        if principal.kind == "user":
            # Only looked at: a page that was left open is no use of its session, which ends when it is idle.
            return await self._gatekeeper.authenticate_session(request.state.credential, is_use=False) == principal
        return await self._gatekeeper.authenticate_key(request.state.credential) == principal

    async def watch_over(self, request: Request, response: Response, seconds: float) -> Response:
        """Give an answer to who has asked for it, unless they are not known any more; a stream ends then."""
        if isinstance(response, StreamingResponse):
            parts = cast("AsyncIterator[Any]", response.body_iterator)
            response.body_iterator = while_known(parts, partial(self.still_knows, request))
        elif seconds > LONG and _is_reading(request, response) and not await self.still_knows(request):
            raise _unknown()
        return response

    def has_known(self, request: Request) -> bool:
        """Tell whether what a request brings was good when it was shown last; nobody is asked."""
        shown = _find_key(request) or self.home.find_session(request)
        return shown is not None and digest_of(shown) in self._known

    def know(self, secret: str) -> None:
        """Remember a session that has just begun: its first page must not be taken for a guess."""
        self._know(digest_of(secret))

    async def _find(self, key: str | None, session: str | None, request: Request) -> Principal | None:
        """Ask who comes with a key or a session. Whoever guesses is slowed down, by the address.

        Not so who was known before: a neighbour with an old key would shut out everybody behind the same address.
        """
        shown, place = digest_of(key or session or ""), find_place(request)
        if shown not in self._known:
            self._failures.check(place)
        if key:
            found = await self._gatekeeper.authenticate_key(key)
        else:
            found = await self._gatekeeper.authenticate_session(session or "", is_use=is_use(request))
        self._known.pop(shown, None)
        if found is not None:
            self._know(shown)
        else:
            self._failures.take(place)
        return found

    def _know(self, shown: str) -> None:
        self._known[shown] = None
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]


def _is_reading(request: Request, response: Response) -> bool:
    """Tell whether nothing was changed; who has changed something is told so, whatever became of their key."""
    return request.method in SAFE_METHODS or isinstance(response, UnkeptResponse)


def _unknown() -> RequestRefused:
    message = "no key that is known here, and no session. Send a key: Authorization: Bearer …"
    return RequestRefused(message, code="not_authenticated")


async def _as_it_is(request: Request) -> Request:
    return request


def find_place(request: Request) -> str:
    """Tell from which address a request came."""
    return request.client.host if request.client is not None else "?"


def _find_key(request: Request) -> str | None:
    """Give the key that a request brings: None when it brings none, empty when what it brings is no key."""
    given = request.headers.get("authorization")
    if given is None:
        return None
    kind, _, secret = given.partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


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
        scope, known = self.scope, _find_parameters(self.dependant)
        handle = spare_search(self, super().get_route_handler())
        handle = _name_fields(handle, frozenset({*known, *_find_body_fields(self.dependant)}))

        async def guarded(request: Request) -> Response:
            keeping: Doorkeeping = request.app.state.doorkeeping
            try:
                principal = await keeping.admit(request, scope)
                show_slashes(request.scope)
                if request.scope["query_string"]:
                    _refuse_unknown(request, known)
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


def _find_parameters(dependant: Dependant) -> dict[str, bool]:
    """Name the query parameters of a route, those of its models and dependencies included; which may be repeated?"""
    known: dict[str, bool] = {}
    for field in dependant.query_params:
        kind = field.field_info.annotation
        is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
        fields = kind.model_fields if is_model else {field.alias: field.field_info}  # type: ignore[union-attr]
        known |= {name: _is_many(one.annotation) for name, one in fields.items()}
    for below in dependant.dependencies:
        known |= _find_parameters(below)
    return known


def _find_body_fields(dependant: Dependant) -> Iterator[str]:
    for field in dependant.body_params:
        kind = field.field_info.annotation
        yield from kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else (field.alias,)


def _name_fields(handle: Handler, fields: frozenset[str]) -> Handler:
    """Let refusals from below say which field of the request they mean: they begin with its name."""

    async def naming(request: Request) -> Response:
        try:
            return await handle(request)
        except BadInput as error:
            first = str(error).partition(" ")[0].rstrip(":")
            if error.field is None and first in fields:
                error.field = first
            raise

    return naming


def _is_many(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple, set, frozenset) or any(map(_is_many, get_args(kind)))


def _refuse_unknown(request: Request, known: dict[str, bool]) -> None:
    """Refuse a parameter that does not exist, or one too many: it would be a filter that filters nothing."""
    given = request.query_params
    unknown = sorted(set(given) - set(known))
    if unknown:
        there_are = f"There are: {', '.join(sorted(known))}." if known else "There are none."
        message = f"this path has no query parameter {unknown[0][:80]!r}. {there_are}"
        raise RequestRefused(message, code="unknown_parameter", field=unknown[0][:80])
    if len(given) == len(given.multi_items()):
        return
    repeated = next((name for name in given if not known[name] and len(given.getlist(name)) > 1), None)
    if repeated is not None:
        message = f"the query parameter {repeated!r} is there more than once, and stands for one thing. Give it once."
        raise RequestRefused(message, code="repeated_parameter", field=repeated)


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
