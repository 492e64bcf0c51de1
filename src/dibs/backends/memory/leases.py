"""Named leases in a dictionary."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from dibs.backends.memory.world import World
from dibs.engine.store.protocols import NamedLease


class MemoryLeases:
    """A released lease leaves its number behind, so that it goes on growing."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._held: dict[str, NamedLease] = {}
        self._tokens: dict[str, int] = {}

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        with self._world:
            if self._find_live(name, self._world.now) is not None:
                return None
            token = self._tokens[name] = self._tokens.get(name, 0) + 1
            lease = NamedLease(name=name, owner=owner, token=token, expires_at=self._world.now + ttl)
            self._held[name] = lease
            return lease

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        with self._world:
            if not self._is_current(lease):
                return None
            renewed = self._held[lease.name] = replace(lease, expires_at=self._world.now + ttl)
            return renewed

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        with self._world:
            if not self._is_current(lease):
                return False
            del self._held[lease.name]
            return True

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        with self._world:
            return self._find_live(name, self._world.now)

    def _find_live(self, name: str, now: datetime) -> NamedLease | None:
        lease = self._held.get(name)
        return None if lease is None or lease.expires_at <= now else lease

    def _is_current(self, lease: NamedLease) -> bool:
        held = self._held.get(lease.name)
        return held is not None and (held.token, held.owner) == (lease.token, lease.owner)
