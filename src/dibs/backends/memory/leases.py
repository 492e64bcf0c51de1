"""Named leases in a dictionary."""

from datetime import timedelta

from dibs.engine.store.protocols import NamedLease
from dibs.kit.clock import Clock


class MemoryLeases:
    """A released lease stays, without an end, so that its token goes on growing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, NamedLease] = {}
        self._tokens: dict[str, int] = {}

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        if await self.find(name) is not None:
            return None
        token = self._tokens[name] = self._tokens.get(name, 0) + 1
        lease = NamedLease(name=name, owner=owner, token=token, expires_at=self._clock() + ttl)
        self._held[name] = lease
        return lease

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        if not self._is_current(lease):
            return None
        renewed = NamedLease(name=lease.name, owner=lease.owner, token=lease.token, expires_at=self._clock() + ttl)
        self._held[lease.name] = renewed
        return renewed

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        if not self._is_current(lease):
            return False
        del self._held[lease.name]
        return True

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        lease = self._held.get(name)
        return None if lease is None or lease.expires_at <= self._clock() else lease

    def _is_current(self, lease: NamedLease) -> bool:
        held = self._held.get(lease.name)
        return held is not None and (held.token, held.owner) == (lease.token, lease.owner)
