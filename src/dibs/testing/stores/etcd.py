"""Named leases on etcd under test, with the jobs in memory."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any
from urllib.parse import urlunsplit
from uuid import uuid4

from msgspec.structs import replace

from dibs.backends.etcd import build_parts
from dibs.backends.etcd.address import Address, parse_address
from dibs.backends.etcd.faults import Care
from dibs.backends.etcd.gateway import Answer, Gateway
from dibs.backends.etcd.wire import Found, Granted, KeyValue, Question, Remaining
from dibs.backends.memory import build_parts as build_memory
from dibs.engine.store.backend import Backend
from dibs.errors import NotSupported
from dibs.kit.links import split_hosts
from dibs.settings import Settings
from dibs.testing.stores.memory import MemoryStore

# etcd counts whole seconds, and a lease may end that much after the instant that it tells.
LATE = timedelta(seconds=3)
_AFTER_SLASH = b"0"


class EtcdLeaseStore:
    """A prefix of its own; every handle sees it.

    etcd's clock cannot be moved. So a move is told to the clients through the time that members give in their answers,
    and done to the etcd leases: those that would have ended are revoked, which is what etcd does when they end, and the
    others are replaced by shorter or longer ones.
    """

    def __init__(self, url: str) -> None:
        parts = split_hosts(url)
        self.url = urlunsplit(parts._replace(path=f"/test-{uuid4().hex}"))
        self._address = parse_address(self.url)
        self._memory = MemoryStore()
        self._ahead = timedelta(0)
        self._gateway: Gateway | None = None

    @property
    def gateway(self) -> Gateway:
        """The harness's own way to etcd."""
        self._gateway = self._gateway or Gateway(self._address)
        return self._gateway

    async def open(self, **settings: Any) -> Backend:
        """Open another handle, with connections of its own."""
        leases = build_parts(_MovedGateway(self._address, self))
        parts = replace(build_memory(self._memory.now), leases=leases.leases, close=leases.close)
        return Backend(parts, Settings(**settings))

    async def advance(self, span: timedelta) -> None:
        """Move the clock."""
        await self._memory.advance(span)
        self._ahead += span
        for held in await self._list("held"):
            await self._shift(held, span)

    async def reset(self) -> None:
        """Forget every lease; numbers go on growing."""
        await self.gateway.ask("kv/deleterange", self._range(""))
        await self._memory.reset()
        self._ahead = timedelta(0)

    async def close(self) -> None:
        """Leave nothing behind."""
        await self.gateway.ask("kv/deleterange", self._range(""))
        await self.gateway.close()

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """The memory backend, which has the jobs, has none."""
        message = "the memory backend has no transactions"
        raise NotSupported(message)

    @property
    def ahead(self) -> timedelta:
        """How far the clock was moved."""
        return self._ahead

    async def _shift(self, held: KeyValue, span: timedelta) -> None:
        answer = await self.gateway.ask("lease/timetolive", {"ID": str(held.lease)})
        left = timedelta(seconds=answer.read(Remaining).ttl) - span
        if left > LATE:
            granted = await self.gateway.ask("lease/grant", {"TTL": str(left // timedelta(seconds=1))})
            lease = str(granted.read(Granted).id)
            await self.gateway.ask("kv/put", {"key": held.key, "value": held.value, "lease": lease})
        await self.gateway.ask("lease/revoke", {"ID": str(held.lease)})

    async def _list(self, kind: str) -> list[KeyValue]:
        return (await self.gateway.ask("kv/range", self._range(f"{kind}/"))).read(Found).kvs

    def _range(self, below: str) -> Question:
        start = f"{self._address.prefix}/{below}".encode()
        return {"key": start, "range_end": start[:-1] + _AFTER_SLASH}


class _MovedGateway(Gateway):
    """Members that tell another time."""

    def __init__(self, address: Address, store: EtcdLeaseStore) -> None:
        super().__init__(address)
        self._store = store

    async def ask(self, path: str, question: Question, care: Care = Care.READ) -> Answer:
        answer = await super().ask(path, question, care)
        return replace(answer, at=answer.at + self._store.ahead)
