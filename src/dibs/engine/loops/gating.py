"""Asking running jobs to hand back when a gate before them is closed."""

import asyncio
from datetime import timedelta

from dibs.engine.admission.gate import GateMode, find_shut_gate
from dibs.engine.store.backend import Backend
from dibs.engine.worker.holdings import Holdings
from dibs.errors import StoreError
from dibs.kit.log import get_logger
from dibs.kit.waiting import wait_set

log = get_logger("dibs.gating")


class Gating:
    """Looks at the gates when told to, and from time to time, as long as anything runs."""

    def __init__(self, backend: Backend, holdings: Holdings, *, interval: timedelta) -> None:
        self._backend = backend
        self._holdings = holdings
        self._interval = interval
        self._news = asyncio.Event()

    def look(self) -> None:
        """Look now."""
        self._news.set()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await wait_set(self._news, self._interval.total_seconds())
            self._news.clear()
            if len(self._holdings):
                await self.tick()

    async def tick(self) -> int:
        """Look once; tell how many handlers were asked to hand back. Nothing is lost by missing a look."""
        try:
            gates, now = await self._backend.admission.list_gates(), await self._backend.reader.now()
        except StoreError as error:
            log.warning("engine.gates.unknown", error=type(error).__name__)
            return 0
        closed = [gate for gate in gates if gate.mode is GateMode.CLOSED]
        behind = [held for held in self._holdings.all() if find_shut_gate(closed, held.job, now) is not None]
        for held in behind:
            held.ask()
        return len(behind)
