"""Sealing the audit log behind the writers. Every worker may do it; of two that do, one is too late and looks again."""

import asyncio
from datetime import timedelta

from dibs.engine.loops.leading import AFTER_A_FAULT, SOON, Leadership
from dibs.engine.sealing import chain
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.pauses import jittered

BATCH = 1_000
LEASE_NAME = "dibs:sealer"


class Sealing:
    """Seals from time to time, and until nothing is left of the tail."""

    def __init__(self, backend: Backend, reach: Reach, *, owner: str, interval: timedelta, key: bytes = b"") -> None:
        self._backend = backend
        self._reach = reach
        self._interval = interval
        self._has_failed = False
        self.leading = Leadership(backend, LEASE_NAME, owner, 3 * interval)
        self._key = key

    async def run(self) -> None:
        """Seal until cancelled."""
        try:
            await asyncio.sleep(jittered(SOON).total_seconds())
            while True:
                await self.tick()
                pause = min(AFTER_A_FAULT, self._interval) if self._has_failed else self._interval
                await asyncio.sleep(jittered(pause).total_seconds())
        finally:
            await self.leading.give_up()

    async def tick(self) -> int:
        """Seal the tail, if nobody else does; tell how many entries."""
        try:
            # Only so that many workers do not compute the same hashes: the store refuses a second seal anyway.
            sealed = await self._seal_tail() if await self.leading.hold() else 0
        except StoreError as error:
            self._has_failed = True
            self._reach.failed(error, Doing.SEALING)
            return 0
        self._has_failed = False
        self._reach.answered(Doing.SEALING)
        return sealed

    async def _seal_tail(self) -> int:
        sealed = 0
        while entries := await self._backend.audit.list_unsealed(BATCH):
            batches = chain(entries, await self._backend.audit.list_heads(), self._key)
            accepted = [seals for seals in batches if await self._backend.audit.seal(seals)]
            sealed += sum(len(seals) for seals in accepted)
            if len(accepted) < len(batches) or len(entries) < BATCH:
                break
        return sealed
