"""Taking jobs back from workers that vanished. Every worker does it; they do not get in each other's way."""

import asyncio
from datetime import timedelta

from dibs.engine import events
from dibs.engine.events import Events
from dibs.engine.store.backend import Backend
from dibs.errors import StoreError
from dibs.kit.pauses import jittered

BATCH = 500


class Reaping:
    """Sweeps from time to time, and until a sweep finds nothing more."""

    def __init__(self, backend: Backend, tell: Events, *, interval: timedelta) -> None:
        self._backend = backend
        self._tell = tell
        self._interval = interval

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(jittered(self._interval).total_seconds())
            await self.tick()

    async def tick(self) -> int:
        """Sweep once; tell how many jobs were taken back."""
        taken = 0
        try:
            while reclaimed := await self._backend.reap_jobs(BATCH):
                taken += len(reclaimed)
                for one in reclaimed:
                    self._tell.emit(
                        events.JOB_RECLAIMED, job_id=one.lease.job_id, worker=one.worker, state=one.state.value
                    )
                if len(reclaimed) < BATCH:
                    break
        except StoreError as error:
            self._tell.emit(events.STORE_LOST, error=type(error).__name__, while_doing="reaping")
        return taken
