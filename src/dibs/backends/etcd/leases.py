"""Named leases on etcd: its lease decides when one ends, its revision is the number that only grows."""

from contextlib import suppress
from datetime import datetime, timedelta

import msgspec

from dibs.backends.etcd import wire
from dibs.backends.etcd.faults import Care
from dibs.backends.etcd.gateway import Gateway
from dibs.backends.etcd.wire import Committed, Granted, KeyValue, Question
from dibs.engine.store.protocols import NamedLease
from dibs.errors import StoreError
from dibs.kit.clock import from_micros, to_micros

SECOND = timedelta(seconds=1)


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a name: who took it last, and under which etcd lease it is held, if it is."""

    owner: KeyValue
    held: KeyValue
    seen_at: datetime

    @property
    def is_held(self) -> bool:
        """Whether somebody holds it: etcd takes the key away when its lease ends."""
        return self.held.mod_revision > 0

    def is_of(self, lease: NamedLease) -> bool:
        """Whether this one took it last and has not released it."""
        return (self.owner.mod_revision, self.owner.value) == (lease.token, lease.owner.encode())


class EtcdLeases:
    """Look, get an etcd lease, then one transaction that compares and writes.

    Who does not get it costs etcd a read and no write. `owner` outlives the etcd lease, so that one who merely expired
    can renew; it is deleted at release, since the revision goes on growing without it.
    """

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        seat = await self._look(name)
        if seat.is_held:
            return None
        term = await self._grant(ttl)
        expires_at = _end(seat, ttl)
        answer = await self._commit(
            name,
            [wire.is_at(self._held(name), 0)],
            [wire.put(self._owner(name), owner.encode()), wire.put(self._held(name), _pack(expires_at), term)],
        )
        if answer.succeeded:
            return NamedLease(name=name, owner=owner, token=answer.header.revision, expires_at=expires_at)
        taken, held = answer.read_keys()
        if held.lease == term:
            # Sent twice because the first answer was lost: it had happened.
            return NamedLease(name=name, owner=owner, token=taken.mod_revision, expires_at=expires_at)
        await self._forget(term)
        return None

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        seat = await self._look(lease.name)
        if not seat.is_of(lease):
            return None
        term = await self._grant(ttl)
        renewed = msgspec.structs.replace(lease, expires_at=_end(seat, ttl))
        while seat.is_of(lease) and seat.held.lease != term:
            answer = await self._rebind(seat, renewed, term)
            if answer.succeeded:
                await self._forget(seat.held.lease)
                return renewed
            # Our own answer was lost and it was sent twice, or its owner renews it somewhere else at this moment.
            owner, held = answer.read_keys()
            seat = Seat(owner=owner, held=held, seen_at=seat.seen_at)
        if seat.held.lease == term:
            return renewed
        await self._forget(term)
        return None

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        seat = await self._look(lease.name)
        if not seat.is_of(lease):
            return False
        owner, held = self._owner(lease.name), self._held(lease.name)
        compare = [wire.is_at(owner, lease.token)]
        answer = await self._commit(lease.name, compare, [wire.delete(owner), wire.delete(held)], Care.ONCE)
        if answer.succeeded:
            await self._forget(seat.held.lease)
        return answer.succeeded

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        seat = await self._look(name)
        if not seat.is_held:
            return None
        owner, token = seat.owner.value.decode(), seat.owner.mod_revision
        return NamedLease(name=name, owner=owner, token=token, expires_at=_unpack(seat.held.value))

    async def _rebind(self, seat: Seat, renewed: NamedLease, term: int) -> Committed:
        # Comparing `held` too keeps a renewal that was long under way from undoing a later one.
        owner, held = self._owner(renewed.name), self._held(renewed.name)
        compare = [wire.is_at(owner, renewed.token), wire.is_at(held, seat.held.mod_revision)]
        return await self._commit(renewed.name, compare, [wire.put(held, _pack(renewed.expires_at), term)])

    async def _look(self, name: str) -> Seat:
        question = wire.transaction([], self._both(name))
        answer = await self._gateway.ask("kv/txn", question)
        owner, held = answer.read(Committed).read_keys()
        return Seat(owner=owner, held=held, seen_at=answer.at)

    async def _grant(self, ttl: timedelta) -> int:
        """Get an etcd lease for whole seconds, and one more: see `_end`."""
        seconds = -(-ttl // SECOND) + 1
        # Asked twice, it leaves an etcd lease that nothing is bound to, which ends by itself.
        answer = await self._gateway.ask("lease/grant", {"TTL": str(seconds)})
        return answer.read(Granted).id

    async def _forget(self, term: int) -> None:
        """Give an etcd lease back early; if that fails, it ends by itself."""
        if term:
            with suppress(StoreError):
                await self._gateway.ask("lease/revoke", {"ID": str(term)})

    async def _commit(
        self, name: str, compare: list[Question], then: list[Question], care: Care = Care.SAFE
    ) -> Committed:
        question = wire.transaction(compare, then, self._both(name))
        return (await self._gateway.ask("kv/txn", question, care)).read(Committed)

    def _both(self, name: str) -> list[Question]:
        return [wire.get(self._owner(name)), wire.get(self._held(name))]

    def _owner(self, name: str) -> bytes:
        return f"{self._gateway.address.prefix}/owner/{name}".encode()

    def _held(self, name: str) -> bytes:
        return f"{self._gateway.address.prefix}/held/{name}".encode()


def _end(seat: Seat, ttl: timedelta) -> datetime:
    """Tell the end: not before `ttl` from now, and not after etcd takes the key away.

    The member told its time before the etcd lease was granted, cut to whole seconds: with one second more it was not
    yet that late, and the etcd lease has that second too.
    """
    return seat.seen_at + SECOND + ttl


def _pack(instant: datetime) -> bytes:
    return str(to_micros(instant)).encode()


def _unpack(value: bytes) -> datetime:
    return from_micros(int(value))
