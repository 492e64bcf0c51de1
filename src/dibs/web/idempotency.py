"""Asking twice does it once: the answer to a POST is kept under the key that came with it."""

import hashlib
import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

import msgspec

from dibs.errors import RequestRefused
from dibs.kit.ids import id_from, new_id

HEADER = "Idempotency-Key"
KEPT_FOR = timedelta(hours=24)
MOST_KEPT = 10_000
MOST_BYTES = 64 * 1024 * 1024
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it was given."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


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
