"""Finding the one server that takes our writes."""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from redis.crc import key_slot

from dibs.backends.redis.wire.address import Address, Host
from dibs.errors import StoreUnavailable

Ask = Callable[[Host, Sequence[str]], Awaitable[Any]]


class Locator(Protocol):
    """Knows, or finds out, where to write."""

    async def locate(self) -> Host:
        """Find the server."""

    def moved(self, host: Host | None) -> None:
        """Learn that it is elsewhere now; None: nobody said where."""


class FixedLocator:
    """One server that never moves."""

    def __init__(self, address: Address) -> None:
        self._host = address.hosts[0]

    async def locate(self) -> Host:
        """Tell what the URL says."""
        return self._host

    def moved(self, host: Host | None) -> None:
        """A single server has nowhere to go."""


class SentinelLocator:
    """Asks sentinels which server is the primary, again whenever it may have changed."""

    def __init__(self, address: Address, ask: Ask) -> None:
        self._address = address
        self._ask = ask
        self._known: Host | None = None

    async def locate(self) -> Host:
        """Ask the sentinels in turn; those that answer not are passed over."""
        if self._known is None:
            self._known = await self._ask_sentinels()
        return self._known

    def moved(self, host: Host | None) -> None:
        """Forget what was known."""
        self._known = host

    async def _ask_sentinels(self) -> Host:
        service = self._address.service
        for sentinel in self._address.hosts:
            with contextlib.suppress(StoreUnavailable):
                answer = await self._ask(sentinel, ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", service))
                if answer:
                    return answer[0].decode(), int(answer[1])
        message = f"no sentinel at {self._address.shown} knows a primary called {service!r}. Check names and ports."
        raise StoreUnavailable(message)


class ClusterLocator:
    """Finds the node that has our hash slot. All our keys are in one, so one node is all we talk to."""

    def __init__(self, address: Address, ask: Ask) -> None:
        self._address = address
        self._ask = ask
        self._slot = key_slot(address.tag.encode())
        self._nodes = list(address.hosts)
        self._known: Host | None = None

    async def locate(self) -> Host:
        """Ask the nodes in turn for the owner of our slot."""
        if self._known is None:
            self._known = await self._ask_nodes()
        return self._known

    def moved(self, host: Host | None) -> None:
        """A node said where our slot is now, or went away."""
        self._known = host

    async def _ask_nodes(self) -> Host:
        for node in self._nodes:
            with contextlib.suppress(StoreUnavailable):
                ranges = await self._ask(node, ("CLUSTER", "SLOTS"))
                self._remember_nodes(ranges, node)
                owner = self._find_owner(ranges, node)
                if owner is not None:
                    return owner
        message = f"no node of the cluster at {self._address.shown} knows who serves slot {self._slot}."
        raise StoreUnavailable(f"{message} Check that it runs and covers all slots.")

    def _find_owner(self, ranges: Sequence[Any], asked: Host) -> Host | None:
        owners = (primary for first, last, primary, *_ in ranges if first <= self._slot <= last)
        return next((_as_host(owner, asked) for owner in owners), None)

    def _remember_nodes(self, ranges: Sequence[Any], asked: Host) -> None:
        found = [_as_host(node, asked) for _, _, *nodes in ranges for node in nodes]
        self._nodes = list(dict.fromkeys([*found, *self._address.hosts]))


def make_locator(address: Address, ask: Ask) -> Locator:
    """Choose by the kind of the URL."""
    if address.kind == "sentinel":
        return SentinelLocator(address, ask)
    return ClusterLocator(address, ask) if address.kind == "cluster" else FixedLocator(address)


def _as_host(node: Sequence[Any], asked: Host) -> Host:
    # A node that does not know its own address leaves it out: it means the one we asked.
    return (node[0].decode() if node[0] else asked[0]), int(node[1])
