"""Named leases, one row a name for ever, so that its token goes on growing."""

from datetime import timedelta

from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row
from dibs.engine.store.protocols import NamedLease
from dibs.kit.clock import from_micros, span_micros


class SqliteLeases:
    """Locks by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        row: Row | None = await self._database.write(
            lambda transaction: transaction.find("leases/acquire_lease", name, owner, span_micros(ttl))
        )
        return _to_lease(row)

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        held = (*_key(lease), span_micros(ttl))
        row: Row | None = await self._database.write(lambda transaction: transaction.find("leases/renew_lease", *held))
        return _to_lease(row)

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        released: int = await self._database.write(
            lambda transaction: transaction.write("leases/release_lease", *_key(lease))
        )
        return bool(released)

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        return _to_lease(await self._database.read(lambda snapshot: snapshot.find("leases/find_lease", name)))


def _key(lease: NamedLease) -> Row:
    return lease.name, lease.owner, lease.token


def _to_lease(row: Row | None) -> NamedLease | None:
    if row is None:
        return None
    name, owner, token, expires_at = row
    return NamedLease(name=name, owner=owner, token=token, expires_at=from_micros(expires_at))
