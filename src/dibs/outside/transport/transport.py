"""A request out and its whole answer back, over as many redirects as are allowed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from types import TracebackType
from typing import Self

import httpx
import msgspec
from msgspec.structs import replace

from dibs.errors import AddressRefused, BadInput, FetchTimeout, TooManyRedirects
from dibs.outside.transport.guarded import GuardedTransport, MakeTls
from dibs.outside.transport.resolver import Resolver
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.stream import too_slow
from dibs.outside.transport.target import Target, join_target, read_target

USER_AGENT = "dibs"
_REDIRECTS = {301, 302, 303, 307, 308}
_SAFE_METHODS = {"GET", "HEAD"}
# All that may follow a redirect to another origin: whatever else a caller sends may be a secret.
_HARMLESS = {"accept", "accept-language", "user-agent"}
_OF_A_BODY = {"content-type", "content-length", "content-encoding", "transfer-encoding"}
OnRedirect = Callable[[Target], Awaitable[object]]


class HttpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent. `conditions` are headers on what was once found at a URL: they go to that one and to no other."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""
    conditions: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)


class HttpResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What came. `url` is where the last redirect led; names of headers are in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends requests under rules. Connections are shared only among callers with the same rules."""

    def __init__(
        self,
        *,
        rules: Rules = Rules(),  # noqa: B008 - it is frozen
        user_agent: str = USER_AGENT,
        resolver: Resolver | None = None,
        make_tls: MakeTls = httpx.create_ssl_context,
    ) -> None:
        self._rules = rules
        self.user_agent = user_agent
        self._resolver = resolver
        self._make_tls = cache(make_tls)
        self._guarded: dict[Rules, GuardedTransport] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def send(
        self, request: HttpRequest, rules: Rules | None = None, *, on_redirect: OnRedirect | None = None
    ) -> HttpResponse:
        """Send a request and read its answer, whatever its status. The time is for all hops together.

        `on_redirect` is asked before each redirect is followed, and may refuse by raising.
        """
        rules = rules or self._rules
        target = read_target(request.url)
        try:
            async with asyncio.timeout(rules.limits.total.total_seconds()):
                return await self._follow(request, target, rules, on_redirect)
        except FetchTimeout:
            raise
        except TimeoutError as cause:
            raise too_slow(target, rules.limits) from cause

    def guard(self, rules: Rules | None = None) -> GuardedTransport:
        """Give the transport of httpx that stands for some rules."""
        wanted = rules or self._rules
        if wanted not in self._guarded:
            self._guarded[wanted] = GuardedTransport(wanted, resolver=self._resolver, make_tls=self._make_tls)
        return self._guarded[wanted]

    async def close(self) -> None:
        """Close all connections."""
        guarded, self._guarded = self._guarded, {}
        for one in guarded.values():
            await one.aclose()

    async def _follow(
        self, request: HttpRequest, target: Target, rules: Rules, on_redirect: OnRedirect | None
    ) -> HttpResponse:
        response = await self._send_once(request, target, rules)
        try:
            for _ in range(rules.limits.redirects):
                if not _is_redirect(response):
                    return response
                there = join_target(target, response.headers["location"])
                rules.check_redirect(target, there)
                rules.check(there)
                if on_redirect is not None:
                    await on_redirect(there)
                request, target = _redirect(request, response.status, target, there), there
                response = await self._send_once(request, target, rules)
        except AddressRefused as refused:
            refused.is_redirected = True
            raise
        if not _is_redirect(response):
            return response
        message = f"{request.url} redirects more than {rules.limits.redirects} times. Look at where it leads."
        raise TooManyRedirects(message)

    async def _send_once(self, request: HttpRequest, target: Target, rules: Rules) -> HttpResponse:
        outgoing = self._write(request, target)
        response = await self.guard(rules).handle_async_request(outgoing)
        try:
            body = b"".join([piece async for piece in response.stream])  # type: ignore[union-attr]
        finally:
            await response.aclose()
        return HttpResponse(url=target.url, status=response.status_code, headers=dict(response.headers), body=body)

    def _write(self, request: HttpRequest, target: Target) -> httpx.Request:
        named = {name.lower() for name in request.headers}
        own = {} if "user-agent" in named else {"User-Agent": self.user_agent}
        headers = {**own, **request.headers, **request.conditions.get(target.url, {})}
        try:
            return httpx.Request(request.method, target.url, headers=headers, content=request.body)
        except (ValueError, TypeError, httpx.InvalidURL) as cause:
            message = f"this request to {target.origin} cannot be sent ({cause}). Check its method and headers."
            raise BadInput(message) from cause


def _is_redirect(response: HttpResponse) -> bool:
    return response.status in _REDIRECTS and "location" in response.headers


def _redirect(request: HttpRequest, status: int, here: Target, there: Target) -> HttpRequest:
    """Make the request that a redirect asks for."""
    request = replace(request, url=there.url)
    if status not in (307, 308) and request.method not in _SAFE_METHODS:
        request = replace(request, method="GET", body=b"", headers=_only(request, lambda name: name not in _OF_A_BODY))
    if here.origin == there.origin:
        return request
    if request.body:
        message = f"{here.origin} redirects a request with a body to {there.origin}: refused. Send it there yourself."
        raise AddressRefused(message)
    return replace(request, headers=_only(request, lambda name: name in _HARMLESS))


def _only(request: HttpRequest, keeps: Callable[[str], bool]) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if keeps(name.lower())}
