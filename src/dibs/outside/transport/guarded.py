"""The guard as a transport of httpx: whatever client stands on it, each of its requests passes here."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import httpcore
import httpx

from dibs.errors import BodyTooLarge, HostFault
from dibs.outside.transport.faults import TRANSLATED, explain, walk_causes
from dibs.outside.transport.network import PinnedNetwork
from dibs.outside.transport.resolver import Resolver, SystemResolver
from dibs.outside.transport.rules import Limits, Rules
from dibs.outside.transport.stream import GuardedStream, too_slow
from dibs.outside.transport.target import Target, read_target
from dibs.outside.transport.unpacking import ACCEPTED, choose_unpacker

MakeTls = Callable[[], ssl.SSLContext]
MOST_CONNECTIONS = 100
KEEP_IDLE_SECONDS = 5.0
_OURS_TO_SET = (b"host", b"accept-encoding")
_UNPACKED = (b"content-encoding", b"content-length", b"transfer-encoding")
RawHeaders = list[tuple[bytes, bytes]]


class GuardedTransport(httpx.AsyncBaseTransport):
    """One set of rules, and the connections that were opened under it.

    For clients that bring their own httpx: `httpx.AsyncClient(transport=GuardedTransport(rules), trust_env=False)`.
    Every redirect that such a client follows is checked like any other request. Bodies come out unpacked.
    """

    def __init__(
        self, rules: Rules, *, resolver: Resolver | None = None, make_tls: MakeTls = httpx.create_ssl_context
    ) -> None:
        self._rules = rules
        # Reading all certificates takes a while: not before the first https, and once.
        self._make_tls = cache(make_tls)
        self._network = PinnedNetwork(rules, resolver or SystemResolver())
        self._pools: dict[str, httpcore.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request, if the rules let it."""
        target = read_target(str(request.url))
        self._rules.check(target)
        deadline = asyncio.get_running_loop().time() + self._rules.limits.total.total_seconds()
        answer = await self._ask(_translate(request, target, self._rules.limits), target, deadline)
        try:
            return self._receive(answer, target, deadline)
        except BaseException:
            await answer.aclose()
            raise

    async def aclose(self) -> None:
        """Close all connections."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.aclose()

    async def _ask(self, request: httpcore.Request, target: Target, deadline: float) -> httpcore.Response:
        try:
            async with asyncio.timeout_at(deadline):
                return await self._open_pool(target.scheme).handle_async_request(request)
        except TimeoutError as cause:
            raise too_slow(target, self._rules.limits) from cause
        except TRANSLATED as error:
            raise self._explain(error, target) from error

    def _receive(self, answer: httpcore.Response, target: Target, deadline: float) -> httpx.Response:
        limits = self._rules.limits
        _check_headers(answer.headers, target, limits)
        encodings = [value.decode("latin-1") for name, value in answer.headers if name.lower() == b"content-encoding"]
        stream = GuardedStream(answer.stream, choose_unpacker(", ".join(encodings)), target, limits, deadline)
        kept = _without(answer.headers, _UNPACKED) if encodings else answer.headers
        return httpx.Response(answer.status, headers=kept, stream=stream, extensions=answer.extensions)

    def _open_pool(self, scheme: str) -> httpcore.AsyncConnectionPool:
        if scheme not in self._pools:
            self._pools[scheme] = httpcore.AsyncConnectionPool(
                ssl_context=self._read_certificates() if scheme == "https" else None,
                max_connections=MOST_CONNECTIONS,
                keepalive_expiry=KEEP_IDLE_SECONDS,
                network_backend=self._network,
            )
        return self._pools[scheme]

    def _read_certificates(self) -> ssl.SSLContext:
        try:
            return self._make_tls()
        except (OSError, ValueError) as cause:
            message = f"the certificates of this machine cannot be read ({cause}). Check SSL_CERT_FILE."
            raise HostFault(message) from cause

    def _explain(self, error: Exception, target: Target) -> Exception:
        explained = explain(error, target)
        is_tls = any(isinstance(one, ssl.SSLCertVerificationError) for one in walk_causes(error))
        if is_tls and not self._read_certificates().cert_store_stats()["x509_ca"]:
            return HostFault(f"this machine has no certificates to check {target.origin} by. Install ca-certificates.")
        return explained


def _translate(request: httpx.Request, target: Target, limits: Limits) -> httpcore.Request:
    """Make the driver's request of what was checked, not of what was given: no second reader of the URL."""
    headers = _without(request.headers.raw, _OURS_TO_SET)
    silence = limits.silence.total_seconds()
    times = {"connect": limits.connect.total_seconds(), "read": silence, "write": silence, "pool": silence}
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.way),
        headers=[(b"Host", target.authority.encode()), (b"Accept-Encoding", ACCEPTED.encode()), *headers],
        content=request.stream,
        extensions={"timeout": times},
    )


def _without(headers: Sequence[tuple[bytes, bytes]], names: Sequence[bytes]) -> RawHeaders:
    return [(name, value) for name, value in headers if name.lower() not in names]


def _check_headers(headers: Sequence[Any], target: Target, limits: Limits) -> None:
    size = sum(len(name) + len(value) for name, value in headers)
    if len(headers) > limits.headers or size > limits.header_bytes:
        message = f"{target.origin} sends {len(headers):,} headers of {size:,} bytes, over the limit."
        raise BodyTooLarge(f"{message} Raise the limits if they are meant.")
