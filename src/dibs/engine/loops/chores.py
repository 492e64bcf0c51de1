"""What one worker at a time sees to every so often, beside jobs."""

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import timedelta

from dibs.engine.loops.leading import Leadership
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.pauses import jittered

# How long after a worker's start it looks after the house for the first time: not all of a fleet at once.
SOON = timedelta(seconds=2)
AFTER_A_FAULT = timedelta(seconds=5)
# A worker that leaves before that looks once when it leaves, for so long: those that cron starts must not leave it all.
LAST_LOOK = 1.0


class Chore(ABC):
    """Done again and again by whoever has its lease; a store that is away is asked again soon."""

    doing: Doing

    def __init__(self, reach: Reach, leading: Leadership, interval: timedelta) -> None:
        self._reach = reach
        self.leading = leading
        self._interval = interval
        self._has_failed = False
        self._has_looked = False

    async def run(self) -> None:
        """Go on until cancelled."""
        try:
            await asyncio.sleep(jittered(SOON).total_seconds())
            while True:
                await self.tick()
                pause = min(AFTER_A_FAULT, self._interval) if self._has_failed else self._interval
                await asyncio.sleep(jittered(pause).total_seconds())
        finally:
            if not self._has_looked and not self._reach.is_lost:
                await self._look_once()
            await self.leading.give_up()

    async def tick(self) -> int:
        """Do it once, unless somebody else does; tell how much was done."""
        self._has_looked = True
        try:
            done = await self._do() if await self.leading.hold() else 0
        except StoreError as error:
            self._has_failed = True
            self._reach.failed(error, self.doing)
            return 0
        self._has_failed = False
        self._reach.answered(self.doing)
        return done

    async def _look_once(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_LOOK):
                await self.tick()

    @abstractmethod
    async def _do(self) -> int:
        """Do what there is to do now; tell how much it was."""
