"""People beside the load: they cancel and retry jobs, shut gates for a moment, and purge what is finished."""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct, PruneRequest
from dibs.errors import StoreError
from dibs.torture.history.records import CHAFF

PAUSE = 0.7
RECENT = 50
SHUT_SECONDS = 0.4
# If whoever shut a gate cannot open it again, the store does.
SHUT_AT_MOST = timedelta(seconds=3)
PAUSED = ("COUNT", "LOCK", "BOOK")
ACTOR, REASON = "torture", "at random"
PURGE = PruneRequest(
    older_than=timedelta(seconds=1),
    job_types=(CHAFF,),
    limit=100,
    act=OperatorAct(actor=ACTOR, reason=REASON),
)


class Operators:
    """Do something every moment, whatever happens to the store."""

    def __init__(self, backend: Backend, chance: random.Random) -> None:
        self._backend = backend
        self.chance = chance
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._cancelled: list[str] = []
        self._acts: dict[Callable[[], Awaitable[None]], int] = {
            self._cancel: 5,
            self._retry: 3,
            self._pause: 1,
            self._purge: 1,
        }

    def tell(self, job_id: str) -> None:
        """Let them know of a job that was stored."""
        self._recent.append(job_id)

    async def run(self) -> None:
        """Act until cancelled."""
        while True:
            await asyncio.sleep(PAUSE)
            [act] = self.chance.choices(list(self._acts), list(self._acts.values()))
            with suppress(StoreError):
                await act()

    async def _cancel(self) -> None:
        """Cancel a job, which may be running."""
        if self._recent:
            job_id = self._recent[-1]
            self._cancelled.append(job_id)
            await self._backend.cancel_jobs([job_id], actor=ACTOR, reason=REASON)

    async def _retry(self) -> None:
        """Put a cancelled job back."""
        if self._cancelled:
            await self._backend.retry_jobs([self._cancelled.pop()], actor=ACTOR, reason=REASON)

    async def _pause(self) -> None:
        """Shut the gate of a type, and open it again."""
        name = self.chance.choice(PAUSED)
        expires_at = datetime.now(UTC) + SHUT_AT_MOST
        await self._set_gate(Gate(scope=GateScope.JOB_TYPE, name=name, mode=GateMode.DRAIN, expires_at=expires_at))
        await asyncio.sleep(SHUT_SECONDS)
        await self._set_gate(Gate(scope=GateScope.JOB_TYPE, name=name, mode=GateMode.OPEN))

    async def _set_gate(self, gate: Gate) -> None:
        await self._backend.admission.set_rule(gate, actor=ACTOR, reason=REASON)

    async def _purge(self) -> None:
        """Forget finished jobs of the one type that is there for it."""
        await self._backend.prune_jobs(PURGE)
