"""Taking jobs back from workers that vanished. Every worker does it; they do not get in each other's way."""

import asyncio
from datetime import timedelta

from dibs.engine import events
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.pauses import jittered

BATCH = 500
AFTER_A_FAULT = timedelta(seconds=5)


class Reaping:
    """Sweeps from time to time, and until a sweep finds nothing more."""

    def __init__(self, backend: Backend, reach: Reach, *, interval: timedelta) -> None:
        self._backend = backend
        self._reach = reach
        self._interval = interval
        self._has_failed = False

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            pause = min(AFTER_A_FAULT, self._interval) if self._has_failed else self._interval
            await asyncio.sleep(jittered(pause).total_seconds())
            await self.tick()

    async def tick(self) -> int:
        """Sweep once; tell how many jobs were taken back."""
        taken = 0
        try:
            while reclaimed := await self._backend.reap_jobs(BATCH):
                taken += len(reclaimed)
                for one in reclaimed:
                    self._reach.tell.emit(
                        events.JOB_RECLAIMED, job_id=one.lease.job_id, worker=one.worker, state=one.state.value
                    )
                if len(reclaimed) < BATCH:
                    break
        except StoreError as error:
            self._has_failed = True
            self._reach.failed(error, Doing.REAPING)
        else:
            self._has_failed = False
            self._reach.answered(Doing.REAPING)
        return taken
