"""The way to etcd: one question at a time, to the member that answered last, or to the next one."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx
import msgspec

from dibs.backends.etcd import faults
from dibs.backends.etcd.address import Address, make_tls
from dibs.backends.etcd.faults import Care, Gone, Refused
from dibs.backends.etcd.wire import Question
from dibs.errors import StoreError

Record = TypeVar("Record")


class Answer(msgspec.Struct, frozen=True):
    """What a member said, who it was, and the time there: whole seconds, never ahead."""

    body: bytes
    host: str
    at: datetime

    def read(self, kind: type[Record]) -> Record:
        """Take the answer for what was asked. The gateway writes large numbers as strings."""
        return msgspec.json.decode(self.body, type=kind, strict=False)


class Gateway:
    """All connections of one handle, and its token if etcd has users."""

    def __init__(self, address: Address) -> None:
        self.address = address
        options = address.options
        # No proxy from the environment: a lock must not depend on a variable that is meant for web pages.
        self._client = httpx.AsyncClient(
            verify=make_tls(address),
            trust_env=False,
            timeout=httpx.Timeout(options.timeout, connect=options.connect_timeout),
        )
        self._current = 0
        self._token = ""
        self._process = os.getpid()
        self._loop = asyncio.get_running_loop()

    async def ask(self, path: str, question: Question, care: Care = Care.READ) -> Answer:
        """Ask the members in turn until one answers; what may have been done is asked again only if that is safe."""
        self.refuse_strangers()
        tried: list[Gone] = []
        for _ in self.address.hosts:
            try:
                return await self.ask_member(self._current, path, question)
            except Gone as gone:
                tried.append(gone)
                self._current = (self._current + 1) % len(self.address.hosts)
                if gone.was_sent and care is Care.ONCE:
                    break
        raise faults.explain_silence(tried, care) from tried[-1]

    async def ask_member(self, number: int, path: str, question: Question) -> Answer:
        """Ask this member. Raises `Gone` if it does not answer, and what the caller must know if it refuses."""
        try:
            return await self._signed_in(number, lambda: self._post(number, path, question))
        except Refused as refused:
            raise faults.explain_refusal(refused) from refused

    async def close(self) -> None:
        """Hang up."""
        self.refuse_strangers()
        await self._client.aclose()

    def refuse_strangers(self) -> None:
        """Connections belong to the process and the event loop that opened them."""
        if os.getpid() != self._process:
            message = (
                f"this handle on etcd at {self.address.shown} was opened by process {self._process}, before a fork."
            )
            raise StoreError(f"{message} Open one of its own in the child.")
        if self._loop is not asyncio.get_running_loop():
            message = f"this handle on etcd at {self.address.shown} was opened in another event loop."
            raise StoreError(f"{message} Open one for each loop.")

    async def _signed_in(self, number: int, post: Callable[[], Awaitable[Answer]]) -> Answer:
        """Sign in if needed, and once more if the token has become old: a refused question was not done."""
        if not self.address.user:
            return await post()
        if self._token:
            try:
                return await post()
            except Refused as refused:
                if not faults.is_stale_token(refused):
                    raise
        self._token = await self._fetch_token(number)
        return await post()

    async def _fetch_token(self, number: int) -> str:
        self._token = ""
        login = {"name": self.address.user, "password": self.address.password}
        try:
            answer = await self._post(number, "auth/authenticate", login)
        except Gone as gone:
            # The question itself has not been sent yet.
            gone.was_sent = False
            raise
        return answer.read(_Token).token

    async def _post(self, number: int, path: str, question: Question) -> Answer:
        host = self.address.hosts[number]
        headers = {"Authorization": self._token} if self._token else {}
        url = f"{self.address.endpoints[number]}/v3/{path}"
        try:
            response = await self._client.post(url, content=msgspec.json.encode(question), headers=headers)
        except httpx.TransportError as error:
            raise faults.not_answered(host, error) from error
        if response.status_code != httpx.codes.OK:
            raise faults.read_trouble(host, response)
        return Answer(response.content, host, _read_date(host, response))


class _Token(msgspec.Struct, frozen=True):
    """The answer to a sign-in."""

    token: str = ""


def _read_date(host: str, response: httpx.Response) -> datetime:
    try:
        return parsedate_to_datetime(response.headers.get("Date", ""))
    except ValueError as cause:
        message = f"what answers at {host} does not tell the time (no Date header). Name etcd itself, not a proxy."
        raise StoreError(message) from cause
