"""Forgetting finished jobs when they are old enough."""

import asyncio
import hashlib
from collections.abc import Iterable
from datetime import timedelta

import msgspec

from dibs.engine.loops.leading import AFTER_A_FAULT, SOON, Leadership, look_once
from dibs.engine.retention import Retention, prune
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.pauses import jittered


class Pruning:
    """Prunes from time to time; of the workers that would forget the same jobs, one at a time does."""

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
        self._requests = tuple(retention.requests(job_types))
        self._leading = Leadership(backend, name_lease(self._requests), owner, 2 * interval)
        self._interval = interval
        self._has_failed = False
        self._has_looked = False

    async def run(self) -> None:
        """Prune until cancelled."""
        try:
            await asyncio.sleep(jittered(SOON).total_seconds())
            while True:
                await self.tick()
                pause = min(AFTER_A_FAULT, self._interval) if self._has_failed else self._interval
                await asyncio.sleep(jittered(pause).total_seconds())
        finally:
            if not self._has_looked and not self._reach.is_lost:
                await look_once(self.tick)
            await self._leading.give_up()

    async def tick(self) -> int:
        """Prune once, unless somebody else does; tell how many jobs were forgotten."""
        forgotten = 0
        self._has_looked = True
        try:
            if await self._leading.hold():
                for request in self._requests:
                    forgotten += await prune(self._backend, request)
        except StoreError as error:
            self._has_failed = True
            self._reach.failed(error, Doing.PRUNING)
            return forgotten
        self._has_failed = False
        self._reach.answered(Doing.PRUNING)
        return forgotten


def name_lease(requests: Iterable[PruneRequest]) -> str:
    """Name a lease after what is forgotten: whoever knows other types would else wait for a turn that never comes."""
    facts = [(sorted(one.job_types or ()), sorted(one.states), one.older_than.total_seconds()) for one in requests]
    return f"dibs:pruner:{hashlib.sha256(msgspec.json.encode(sorted(facts))).hexdigest()[:16]}"
