"""From a name to addresses, once for each connection."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Protocol

from dibs.errors import HostFault, ProviderFault
from dibs.outside.transport.addresses import Address
from dibs.outside.transport.rules import Rules

_UNKNOWN = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class Resolver(Protocol):
    """Asks a name service."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Give the addresses of a name, the best one first."""


class SystemResolver:
    """Asks as the operating system is set up to."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Give the addresses of a name, the best one first."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as cause:
            if cause.errno in _UNKNOWN:
                message = f"the name {host!r} does not exist. Check its spelling, and whether the site has moved."
                raise ProviderFault(message) from cause
            message = f"the name service does not answer for {host!r} ({cause.strerror}). Check this machine's network."
            raise HostFault(message) from cause
        return list(dict.fromkeys(str(answer[4][0]) for answer in found))


async def find_addresses(resolver: Resolver, host: str, port: int, rules: Rules) -> list[Address]:
    """Give the addresses that may be connected to; a host with one forbidden address is refused as a whole."""
    literal = _as_address(host)
    found = [literal] if literal else [ip_address(text) for text in await resolver.resolve(host, port)]
    if not found:
        message = f"the name {host!r} has no address. Check whether the site has moved."
        raise ProviderFault(message)
    for address in found:
        rules.check_address(host, port, address)
    return found


def _as_address(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
