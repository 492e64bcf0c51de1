"""Who comes to a door: recognised by key or session, counted, and looked at again where an answer takes long."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, cast

from fastapi import Request
from starlette.responses import Response, StreamingResponse

from dibs.access.gatekeeper import Gatekeeper
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.access.secrets import digest_of
from dibs.errors import RequestRefused
from dibs.web.answers.json import UnkeptResponse
from dibs.web.answers.streams import while_known
from dibs.web.idempotency import KeptAnswers
from dibs.web.rates import Buckets
from dibs.web.sessions import SAFE_METHODS, Home, is_use

MOST_KNOWN = 10_000
# A revoked key is dead within a second. Whoever waits longer than this for an answer is looked at once more.
LONG_SECONDS = 0.5


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
        elif seconds > LONG_SECONDS and _is_reading(request, response) and not await self.still_knows(request):
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
