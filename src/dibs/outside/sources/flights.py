"""Of all who want the same page at the same time, one fetches it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import copy
from datetime import timedelta

from dibs.errors import OutsideError
from dibs.kit.ids import new_id
from dibs.kit.pauses import jittered
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.records import Slot
from dibs.outside.sources.response import Shown

LEASE = timedelta(seconds=5)
RENEWED_EACH = LEASE / 3
FIRST_PAUSE, LONGEST_PAUSE = timedelta(milliseconds=20), timedelta(milliseconds=500)
Work = Callable[[], Awaitable[Shown]]
# A page, a fault that is everybody's, or nothing that another could use.
Landing = Shown | OutsideError | None


class Flights:
    """Within a process by a future; between processes by a claim in the cache, which lapses if its holder vanishes."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._flying: dict[Slot, asyncio.Future[Landing]] = {}

    async def join(self, slot: Slot, work: Work) -> Shown:
        """Share the page that somebody in this process fetches just now, or be the one who does."""
        while (flight := self._flying.get(slot)) is not None:
            landed = await asyncio.shield(flight)
            if isinstance(landed, OutsideError):
                raise copy(landed) from landed
            if landed is not None:
                return landed
        return await self._lead(slot, work)

    async def _lead(self, slot: Slot, work: Work) -> Shown:
        flight = self._flying[slot] = asyncio.get_running_loop().create_future()
        # A refused permit, a lost lease or a cancellation is the leader's own; the others try for themselves.
        landing: Landing = None
        try:
            landing = await work()
        except OutsideError as error:
            landing = error
            raise
        else:
            return landing
        finally:
            del self._flying[slot]
            flight.set_result(landing)

    @asynccontextmanager
    async def turn(self, slot: Slot, patience: timedelta) -> AsyncIterator[None]:
        """Wait for a turn among processes, and keep it for the length of the block.

        After `patience` it is everybody's turn: whoever holds it must be stuck.
        """
        owner = new_id()
        await self._wait(slot, owner, patience)
        renewing = asyncio.create_task(self._renew(slot, owner))
        try:
            yield
        finally:
            renewing.cancel()
            # A renewal that is still under way must not come after the release.
            await asyncio.gather(renewing, return_exceptions=True)
            await self._cache.release(slot, owner)

    async def _wait(self, slot: Slot, owner: str, patience: timedelta) -> None:
        deadline = asyncio.get_running_loop().time() + patience.total_seconds()
        pause = FIRST_PAUSE
        while not await self._cache.claim(slot, owner, LEASE):
            if asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(jittered(pause).total_seconds())
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _renew(self, slot: Slot, owner: str) -> None:
        while True:
            await asyncio.sleep(RENEWED_EACH.total_seconds())
            await self._cache.claim(slot, owner, LEASE)
