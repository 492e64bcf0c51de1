"""Asking twice does it once: the answer to a POST is kept under the key that came with it."""

import hashlib
import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from dibs.access.principal import Principal
from dibs.errors import RequestRefused, StoreError
from dibs.kit.ids import id_from, new_id
from dibs.kit.log import get_logger
from dibs.web.answers.json import UnkeptResponse
from dibs.web.answers.problems import render_problem

HEADER = "Idempotency-Key"
KEPT_FOR = timedelta(hours=24)
MOST_KEPT = 10_000
MOST_BYTES = 64 * 1024 * 1024
# Answers that say nothing about what was asked: asking again may bring another one.
_PASSING = frozenset({401, 403, 408, 429})
_SERVER_ERROR = 500
_UNKEPT = frozenset({"content-length"})
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
Handler = Callable[[Request], Awaitable[Response]]
log = get_logger("dibs.web")


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it was given."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


# Stands in the place of an answer that is kept nowhere: whoever asks again is answered anew.
ANEW = KeptAnswer(status=0, headers=(), body=b"")


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for what. `credential` is what they are known by: a key, or the id of a session."""

    actor: str
    tenant: str | None
    credential: str
    method: str
    target: str


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """One request: who asks under which key, and a digest of what they ask.

    `holder` tells two requests under one name apart. `seal` locks the answer away: it follows from what the caller is
    known by, and is kept nowhere, so that only this caller can be given the answer again.
    """

    tenant: str | None
    name: str
    digest: str
    holder: str
    seal: bytes

    def __repr__(self) -> str:
        return f"Ticket({self.name[:8]}…)"

    def make_id(self, place: int = 0) -> str:
        """Make the id of a thing that this request makes: whoever does it again makes the same one, and is told."""
        return id_from(0, hashlib.sha256(f"{self.name} {self.digest} {place}".encode()).digest())


class KeptAnswers(Protocol):
    """Where answers are kept. Each name belongs to the request that was first to use it."""

    async def begin(self, ticket: Ticket) -> KeptAnswer | None:
        """Take the name; or give the answer that was given under it.

        Raises RequestRefused when the name stands for another request, or when its answer is not there yet.
        """

    async def finish(self, ticket: Ticket, answer: KeptAnswer) -> None:
        """Keep the answer."""

    async def abandon(self, ticket: Ticket) -> None:
        """Let the name go: nothing was done."""


class MemoryAnswers:
    """Answers in the memory of this process: for one process, and until it ends. The oldest make room for new ones."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, most_bytes: int = MOST_BYTES) -> None:
        self._clock = clock
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[str, float, KeptAnswer | None]] = OrderedDict()

    async def begin(self, ticket: Ticket) -> KeptAnswer | None:
        """Take the name, or give what was answered."""
        self._forget_old()
        found = self._kept.get(ticket.name)
        if found is None:
            self._kept[ticket.name] = (ticket.digest, self._clock(), None)
            return None
        digest, _, answer = found
        return recall(ticket, digest, answer)

    async def finish(self, ticket: Ticket, answer: KeptAnswer) -> None:
        """Keep the answer."""
        self._forget(ticket.name)
        self._kept[ticket.name] = (ticket.digest, self._clock(), answer)
        self._bytes += len(answer.body)

    async def abandon(self, ticket: Ticket) -> None:
        """Let the name go."""
        self._forget(ticket.name)

    def _forget(self, name: str) -> None:
        _, _, answer = self._kept.pop(name, ("", 0.0, None))
        self._bytes -= 0 if answer is None else len(answer.body)

    def _forget_old(self) -> None:
        horizon = self._clock() - KEPT_FOR.total_seconds()
        while self._kept:
            name, (_, since, _answer) = next(iter(self._kept.items()))
            if since >= horizon and len(self._kept) < MOST_KEPT and self._bytes <= self._most_bytes:
                return
            self._forget(name)


def recall(ticket: Ticket, digest: str, answer: KeptAnswer | None) -> KeptAnswer:
    """Give the answer kept under a name, if it is the answer to this very request."""
    if digest != ticket.digest:
        message = f"this {HEADER} was used for another request. Use a new key for a new request; nothing was done."
        raise RequestRefused(message, code="idempotency_key_reused", field=HEADER)
    if answer is None:
        message = f"the first request with this {HEADER} is still under way. Ask again in a second."
        raise RequestRefused(message, code="idempotency_key_in_use", field=HEADER, retry_after=1)
    return answer


def make_ticket(key: str, asking: Asking, body: bytes) -> Ticket:
    """Make the ticket of a request; the same key of somebody else is another one."""
    if not _KEY.fullmatch(key):
        message = f"{HEADER} must be 1 to 200 printable ASCII characters without spaces; a UUID does well."
        raise RequestRefused(message, code="bad_header", field=HEADER)
    seal = hashlib.sha256(f"dibs kept answer\n{key}\n{asking.credential}".encode()).digest()
    asked = f"{asking.method} {asking.target}\n".encode() + body
    return Ticket(
        tenant=asking.tenant,
        name=hashlib.sha256(f"{asking.actor}\n{key}".encode()).hexdigest(),
        # Keyed: a body may hold a password, and a plain hash of one can be guessed at.
        digest=hmac.new(seal, asked, hashlib.sha256).hexdigest(),
        holder=new_id(),
        seal=seal,
    )


async def answer_once(request: Request, principal: Principal, answers: KeptAnswers, handle: Handler) -> Response:
    """Answer a request that brings a key: with what it was answered before, if it was."""
    ticket = request.state.ticket = await _make_ticket(request, principal)
    kept = await answers.begin(ticket)
    if kept == ANEW:
        return await _answer(request, handle)
    if kept is not None:
        return _repeat(kept)
    try:
        response = await _answer(request, handle)
    except BaseException:
        # Cancelled: nobody knows what was done, so that the next one with this key does it.
        with suppress(StoreError):
            await answers.abandon(ticket)
        raise
    await _keep(answers, ticket, response)
    return response


async def _make_ticket(request: Request, principal: Principal) -> Ticket:
    asking = Asking(
        actor=principal.actor,
        tenant=principal.tenant,
        credential=request.state.credential,
        method=request.method,
        target=f"{request.scope['raw_path'].decode('latin-1')}?{request.url.query}",
    )
    return make_ticket(request.headers[HEADER], asking, await request.body())


async def _answer(request: Request, handle: Handler) -> Response:
    try:
        return await handle(request)
    except Exception as error:  # noqa: BLE001 - a refusal is an answer, and is kept like one
        return render_problem(error)


async def _keep(answers: KeptAnswers, ticket: Ticket, response: Response) -> None:
    """Keep an answer. It is given whether that succeeds or not: what was asked for is done, or is not."""
    try:
        body = getattr(response, "body", None)
        if body is None or response.status_code >= _SERVER_ERROR or response.status_code in _PASSING:
            await answers.abandon(ticket)
            return
        await answers.finish(ticket, _copy(response, bytes(body)))
    except StoreError as error:
        log.warning("web.answer.unkept", error=type(error).__name__)


def _copy(response: Response, body: bytes) -> KeptAnswer:
    if isinstance(response, UnkeptResponse):
        return ANEW
    headers = tuple((name, value) for name, value in response.headers.items() if name not in _UNKEPT)
    return KeptAnswer(status=response.status_code, headers=headers, body=body)


def _repeat(kept: KeptAnswer) -> Response:
    return Response(kept.body, kept.status, {**dict(kept.headers), "Idempotency-Replayed": "true"})
