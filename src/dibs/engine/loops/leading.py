"""Which of many workers does something. Only so that not all of them do it: nothing depends on there being one."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import NamedLease
from dibs.errors import StoreError

PARTING = 1.0


class Leadership:
    """A named lease that its owner keeps for as long as it asks often enough."""

    def __init__(self, backend: Backend, name: str, owner: str, ttl: timedelta) -> None:
        self._leases = backend.house_leases
        self._name = name
        self._owner = owner
        self._ttl = ttl
        self._lease: NamedLease | None = None

    async def hold(self) -> bool:
        """Keep the lease, or take it if it is free; tell whether it is ours."""
        held = None if self._lease is None else await self._leases.renew(self._lease, self._ttl)
        self._lease = held or await self._leases.acquire(self._name, self._owner, self._ttl)
        return self._lease is not None

    async def give_up(self) -> None:
        """Let somebody else do it at once. A store that is away is not waited for: the lease ends by itself."""
        if self._lease is not None:
            with suppress(StoreError, TimeoutError):
                async with asyncio.timeout(PARTING):
                    await self._leases.release(self._lease)
            self._lease = None
