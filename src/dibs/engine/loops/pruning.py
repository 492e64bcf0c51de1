"""Forgetting finished jobs when they are old enough."""

import asyncio
from datetime import timedelta

from dibs.engine.retention import Retention, prune
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.pauses import jittered

LEASE_NAME = "dibs:pruner"


class Pruning:
    """Prunes from time to time; one worker at a time does."""

    def __init__(
        self,
        backend: Backend,
        reach: Reach,
        retention: Retention,
        *,
        owner: str,
        job_types: tuple[str, ...],
        interval: timedelta,
    ) -> None:
        self._backend = backend
        self._reach = reach
        self._retention = retention
        self._owner = owner
        self._job_types = job_types
        self._interval = interval

    async def run(self) -> None:
        """Prune until cancelled."""
        while True:
            await asyncio.sleep(jittered(self._interval).total_seconds())
            await self.tick()

    async def tick(self) -> int:
        """Prune once, unless somebody else is at it; tell how many jobs were forgotten."""
        try:
            lease = await self._backend.leases.acquire(LEASE_NAME, self._owner, self._interval)
            if lease is None:
                return 0
            try:
                forgotten = sum([await prune(self._backend, one) for one in self._retention.requests(self._job_types)])
            finally:
                await self._backend.leases.release(lease)
        except StoreError as error:
            self._reach.failed(error, Doing.PRUNING)
            return 0
        self._reach.answered(Doing.PRUNING)
        return forgotten
