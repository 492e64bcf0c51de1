"""Named leases: a hash each, which stays after release so that its token goes on growing."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.store.protocols import NamedLease
from dibs.kit.clock import span_micros


class RedisLeases:
    """Each move is one script."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take the lease if nobody holds it, or if it has expired."""
        return _build(name, await self._lines.run("leases/acquire", [name, owner, span_micros(ttl)]))

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Let it end `ttl` from now, if nobody else has taken it since."""
        args: list[Word] = [lease.name, lease.owner, lease.token, span_micros(ttl)]
        return _build(lease.name, await self._lines.run("leases/renew", args))

    async def release(self, lease: NamedLease) -> bool:
        """Give it up, if it is still this one."""
        answer = await self._lines.run("leases/release", [lease.name, lease.owner, lease.token])
        return bool(answer == 1)

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        return _build(name, await self._lines.run("leases/find", [name], is_write=False))


def _build(name: str, answer: Sequence[Any] | None) -> NamedLease | None:
    if answer is None:
        return None
    owner, token, expires_at = answer
    return NamedLease(name=name, owner=owner.decode(), token=token, expires_at=instant(expires_at))
