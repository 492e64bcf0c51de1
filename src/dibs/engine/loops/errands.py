"""Running the errands of services: one worker at a time does each."""

import asyncio
from datetime import timedelta

from dibs.engine.errands import Errand
from dibs.engine.loops.chores import AFTER_A_FAULT, SOON
from dibs.engine.loops.leading import Leadership
from dibs.engine.store.backend import Backend
from dibs.errors import StoreError
from dibs.kit.log import get_logger, trace_of
from dibs.kit.pauses import jittered

log = get_logger("dibs.errands")
# How often everybody asks who does it, and how long one that died is waited for.
CANDIDACY = timedelta(seconds=5)
LEAD = timedelta(seconds=15)


class RunningErrand:
    """Does one errand again and again. One that fails is told in the log, and done again: no job depends on it."""

    def __init__(self, backend: Backend, errand: Errand, *, owner: str) -> None:
        self._errand = errand
        self._leading = Leadership(backend, f"dibs:errand:{errand.name}", owner, max(LEAD, 3 * errand.every))

    async def run(self) -> None:
        """Go on until cancelled."""
        try:
            await asyncio.sleep(jittered(min(SOON, self._errand.every)).total_seconds())
            while True:
                pause = await self.tick()
                await asyncio.sleep(jittered(pause).total_seconds())
        finally:
            await self._leading.give_up()

    async def tick(self) -> timedelta:
        """Do it once, unless somebody else does; tell when to look again."""
        try:
            if not await self._leading.hold():
                return max(CANDIDACY, self._errand.every)
            await self._errand.do()
        except StoreError as error:
            log.warning("engine.errand.failed", errand=self._errand.name, error=type(error).__name__)
            return max(AFTER_A_FAULT, self._errand.every)
        except Exception as error:  # noqa: BLE001 - a fault in an errand must not end a worker that has jobs to do
            log.warning("engine.errand.broken", errand=self._errand.name, **trace_of(error))
            return max(AFTER_A_FAULT, self._errand.every)
        return self._errand.every
