"""What every request passes first: its size, its depth and its time are bounded, and its answer is marked."""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Self

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dibs.errors import RequestRefused
from dibs.kit.ids import new_id
from dibs.web.answers.headers import encode_headers
from dibs.web.answers.problems import render_problem
from dibs.web.entrance.depth import is_deeper_than
from dibs.web.entrance.heads import as_get
from dibs.web.entrance.names import hide_slashes

REQUEST_ID = "X-Request-Id"
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_REQUEST_ID = REQUEST_ID.lower().encode()
# Bodies up to this size come in whatever others send.
_SMALL = 64 * 1024


class IntakeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much one request may be. A body must come whole within `body_seconds`.

    `bodies_bytes`: of all bodies that are on their way or being worked on, so that nobody fills the memory with halves
    of them, or with whole ones while the store is slow. Of these `strangers_bytes` are for whoever was not known
    before: they can hold back a body, and need no key for it.
    """

    body_bytes: int = 8 * 1024 * 1024
    bodies_bytes: int = 256 * 1024 * 1024
    strangers_bytes: int = 64 * 1024 * 1024
    depth: int = 64
    headers: int = 100
    body_seconds: float = 15.0


class Room(msgspec.Struct):
    """How much bodies may take together, and how much they do."""

    most: int
    taken: int = 0


class Share:
    """What one body has of a room, until its request is answered. A small one takes none, and is never asked for it."""

    def __init__(self, find_room: Callable[[], Room]) -> None:
        self._find_room = find_room
        self._room: Room | None = None
        self._taken = 0
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._room is not None:
            self._room.taken -= self._taken

    def take(self, size: int) -> None:
        """Take some more; a large body is refused where there is none left."""
        self.size += size
        if self.size <= _SMALL:
            return
        if self._room is None:
            self._room = self._find_room()
        self._room.taken += self.size - self._taken
        self._taken = self.size
        if self._room.taken > self._room.most:
            raise _too_many()


class Intake:
    """Reads the body whole before anybody else sees the request, and refuses what is over the limits.

    `uploads` are paths with limits of their own. What is sent there is not read before the one who sends it is known:
    the handler reads it, and is refused it once it is over the limits.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: IntakeLimits,
        *,
        is_secure: bool = False,
        uploads: Mapping[str, IntakeLimits] | None = None,
        is_known: Callable[[Scope], bool] = lambda _: False,
    ) -> None:
        self._app = app
        self._limits = limits
        self._security = encode_headers(is_secure=is_secure)
        self._uploads = dict(uploads or {})
        self._is_known = is_known
        self._of_known = Room(limits.bodies_bytes - limits.strangers_bytes)
        self._of_strangers = Room(limits.strangers_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            scope, send = as_get(scope, send)
        scope.setdefault("state", {})["request_id"] = request_id = _find_id(scope)
        hide_slashes(scope)
        marked = self._mark(send, request_id)
        upload = self._uploads.get(scope["path"]) if scope["method"] == "POST" else None
        if upload is not None and len(scope["headers"]) <= self._limits.headers:
            # Whoever is let in there is known.
            with Share(lambda: self._of_known) as share:
                metered = Metered(receive, upload, share)
                await self._app(scope, metered.receive, metered.close_unread(marked))
            return
        with Share(lambda: self._of_known if self._is_known(scope) else self._of_strangers) as share:
            try:
                body = await self._read(scope, receive, share)
            except RequestRefused as refusal:
                # What is left of the body is not read: the connection cannot be used for another request.
                answer = render_problem(refusal)
                answer.headers["Connection"] = "close"
                await answer(scope, receive, marked)
                return
            await self._app(scope, _replay(body, receive), marked)

    async def _read(self, scope: Scope, receive: Receive, share: Share) -> bytes:
        headers = scope["headers"]
        if len(headers) > self._limits.headers:
            message = f"{len(headers)} header fields, over the limit of {self._limits.headers}. Send fewer."
            raise RequestRefused(message, code="too_many_headers")
        if not any(name in (b"content-length", b"transfer-encoding") for name, _ in headers):
            return b""
        body = await self._read_in_time(receive, share)
        if is_deeper_than(body, self._limits.depth):
            message = f"the body is nested deeper than {self._limits.depth} levels. Make it flatter."
            raise RequestRefused(message, code="body_too_deep")
        return body

    async def _read_in_time(self, receive: Receive, share: Share) -> bytes:
        parts = []
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _cut_off()
                    parts.append(message.get("body", b""))
                    share.take(len(parts[-1]))
                    if share.size > self._limits.body_bytes:
                        raise _too_large(self._limits.body_bytes)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError as cause:
            raise _too_slow(self._limits.body_seconds) from cause

    def _mark(self, send: Send, request_id: str) -> Send:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message["headers"])
                present = {name for name, _ in headers}
                headers += [pair for pair in self._security if pair[0] not in present]
                headers.append((_REQUEST_ID, request_id.encode()))
                message["headers"] = headers
            await send(message)

        return marked


class Metered:
    """A body on its way: refused as soon as it is over its limits, however much of it is still to come."""

    def __init__(self, receive: Receive, limits: IntakeLimits, share: Share) -> None:
        self._receive = receive
        self._limits = limits
        self._share = share
        self._is_whole = False
        self._ends_at = asyncio.get_running_loop().time() + limits.body_seconds

    async def receive(self) -> Message:
        """Give the next part."""
        if self._is_whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError as cause:
            raise _too_slow(self._limits.body_seconds) from cause
        if message["type"] == "http.disconnect":
            raise _cut_off()
        self._share.take(len(message.get("body", b"")))
        self._is_whole = not message.get("more_body", False)
        if self._share.size > self._limits.body_bytes:
            raise _too_large(self._limits.body_bytes)
        return message

    def close_unread(self, send: Send) -> Send:
        """Say in an answer that the connection ends, where some of the body was never read."""

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start" and not self._is_whole:
                message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        return closing


def _cut_off() -> RequestRefused:
    # Nobody hears it. But a form reads well without its end, and would be taken for something else.
    return RequestRefused("the body ended before its end. Send it again; nothing was done.", code="body_cut_off")


def _too_many() -> RequestRefused:
    message = "too many large bodies are on their way or being worked on. Try again in a moment, or send smaller ones."
    return RequestRefused(message, code="too_many_bodies", retry_after=2)


def _too_slow(seconds: float) -> RequestRefused:
    message = f"the body did not come within {seconds:g} s. Send it faster, or in smaller parts."
    return RequestRefused(message, code="slow_request")


def _too_large(limit: int) -> RequestRefused:
    return RequestRefused(f"the body is over the limit of {limit} bytes. Send it in parts.", code="body_too_large")


def _find_id(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), None)
    return given.decode() if given is not None and _GIVEN_ID.fullmatch(given) else new_id()


def _replay(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def give() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give
