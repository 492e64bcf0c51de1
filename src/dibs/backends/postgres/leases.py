"""Named leases, one row a name."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.store.protocols import NamedLease
from dibs.kit.clock import span_micros


class PostgresLeases:
    """Locks by name, for everything that is not a job."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        return _only(await self._connections.write(self._sql["leases/acquire_lease"], name, owner, span_micros(ttl)))

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        values = (lease.name, lease.owner, lease.token, span_micros(ttl))
        return _only(await self._connections.write(self._sql["leases/renew_lease"], *values))

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        values = (lease.name, lease.owner, lease.token)
        return bool(await self._connections.write(self._sql["leases/release_lease"], *values))

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        return _only(await self._connections.read(self._sql["leases/find_lease"], name))


def _only(rows: Sequence[Any]) -> NamedLease | None:
    return NamedLease(**dict(rows[0])) if rows else None
