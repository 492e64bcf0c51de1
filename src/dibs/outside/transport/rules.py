"""What a caller of the transport may do: where to, how far, how much, how long."""

from datetime import timedelta

import msgspec

from dibs.errors import AddressRefused
from dibs.outside.transport.addresses import Address, find_fault
from dibs.outside.transport.target import DEFAULT_PORTS, Target

MEBIBYTE = 1024 * 1024


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is taken from the other side, and for how long it is listened to.

    `wire_bytes` counts a body as it travels, `body_bytes` as it is unpacked. After `patience` a body must have come at
    `slowest_bytes_per_second` or more on the whole.
    """

    body_bytes: int = 10 * MEBIBYTE
    wire_bytes: int = 10 * MEBIBYTE
    headers: int = 256
    header_bytes: int = 64 * 1024
    redirects: int = 5
    connect: timedelta = timedelta(seconds=10)
    silence: timedelta = timedelta(seconds=15)
    total: timedelta = timedelta(seconds=60)
    patience: timedelta = timedelta(seconds=10)
    slowest_bytes_per_second: int = 128


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Where a caller may go.

    `allow_hosts` names hosts that may lie at any address, loopback and private ones too: `name` on the usual ports, or
    `name:port` on that one. `only_hosts`, if there are any, are the only ones that may be asked; `*.name` stands for
    every name below. `allow_downgrade` lets a redirect lead from https to http.
    """

    allow_hosts: frozenset[str] = frozenset()
    only_hosts: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset(DEFAULT_PORTS.values())
    allow_downgrade: bool = False
    limits: Limits = Limits()

    def allows_any_address(self, host: str, port: int) -> bool:
        """Tell whether a host was allowed by its name, wherever it lies."""
        return f"{host}:{port}" in self.allow_hosts or (host in self.allow_hosts and port in self.ports)

    def check(self, target: Target) -> None:
        """Refuse a way that leads where nothing was allowed."""
        if self.only_hosts and not self._is_listed(target.host):
            listed = ", ".join(sorted(self.only_hosts))
            message = f"{target.origin} is refused: this caller may ask {listed} only. Add the host to its only_hosts."
            raise AddressRefused(message)
        if target.port not in self.ports and f"{target.host}:{target.port}" not in self.allow_hosts:
            ports = ", ".join(str(port) for port in sorted(self.ports))
            message = f"{target.origin} is refused: of all ports only {ports} lead out. Allow it by host:port."
            raise AddressRefused(message)

        self.check_address(target.host, target.port, target.address)

    def check_address(self, host: str, port: int, address: Address | None) -> None:
        """Refuse an address that is not public, unless its host was allowed by name."""
        fault = None if address is None else find_fault(address)
        if fault is not None and not self.allows_any_address(host, port):
            message = f"{host} is refused: its address {address} is not public ({fault})."
            raise AddressRefused(f"{message} If it is meant, allow the host by its name.")

    def check_redirect(self, here: Target, there: Target) -> None:
        """Refuse a redirect that would give up encryption."""
        if here.scheme == "https" and there.scheme == "http" and not self.allow_downgrade:
            message = f"{here.origin} redirects to {there.origin}: from https to http is refused. See allow_downgrade."
            raise AddressRefused(message)

    def _is_listed(self, host: str) -> bool:
        parents = (host.split(".", count)[-1] for count in range(1, host.count(".") + 1))
        return host in self.only_hosts or any(f"*.{parent}" in self.only_hosts for parent in parents)
