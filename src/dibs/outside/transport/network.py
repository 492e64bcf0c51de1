"""Connecting to the very address that was checked.

The driver hands over a name and gets a connected socket back: the name is resolved here, once, and whatever a name
service would say a moment later is never asked. TLS still checks the certificate by the name.
"""

import asyncio
from collections.abc import Iterable, Sequence

import httpcore

from dibs.errors import AddressRefused, HostFault
from dibs.outside.transport.addresses import Address
from dibs.outside.transport.resolver import Resolver, find_addresses
from dibs.outside.transport.rules import Rules

SocketOptions = Iterable[httpcore.SOCKET_OPTION]


class PinnedNetwork(httpcore.AsyncNetworkBackend):
    """Resolves, checks and connects, in one step that nothing can come between."""

    def __init__(self, rules: Rules, resolver: Resolver) -> None:
        self._rules = rules
        self._resolver = resolver
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first of the host's addresses that answers; the time is for all of them together."""
        del local_address, socket_options
        seconds = self._rules.limits.connect.total_seconds() if timeout is None else timeout
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(deadline):
                addresses = await find_addresses(self._resolver, host, port, self._rules)
        except TimeoutError as cause:
            message = (
                f"the name service does not answer for {host!r} within {seconds:g} s. Check this machine's network."
            )
            raise HostFault(message) from cause
        return await self._connect_to_one(addresses, port, deadline)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: SocketOptions | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: a socket of this machine is no way out."""
        del timeout, socket_options
        message = f"the local socket {path!r} is refused: only http and https lead out."
        raise AddressRefused(message)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def _connect_to_one(
        self, addresses: Sequence[Address], port: int, deadline: float
    ) -> httpcore.AsyncNetworkStream:
        failures: list[Exception] = []
        for place, address in enumerate(addresses):
            # A fair share each: an address that swallows everything must not use up the time of the next one.
            left = (deadline - asyncio.get_running_loop().time()) / (len(addresses) - place)
            try:
                return await self._sockets.connect_tcp(str(address), port, timeout=max(left, 0.0))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failures.append(error)
        if len(failures) == 1:
            raise failures[0]
        message = f"none of {len(failures)} addresses answered"
        raise httpcore.ConnectError(message) from ExceptionGroup(message, failures)
