"""Jobs that keep coming, at an even pace, whatever happens to the store."""

import asyncio
import time
from itertools import count

from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.errors import DuplicateJob, OutcomeUnknown, StoreError
from dibs.torture.history.records import CHAFF
from dibs.torture.stage.operators import Operators

TICK = 0.1
MOST_UNDER_WAY = 8
TRIES = 40
PAUSE = 0.25
JOBS_A_LOCK = 1_000
WEIGHTS = {"COUNT": 8, "BOOK": 3, "FLAKY": 1, "NAP": 1, "LOCK": 1, "SUM": 2, CHAFF: 1}


class Load:
    """Stores so many jobs a second. One whose fate is unknown is stored again under its id, which resolves it."""

    def __init__(self, backend: Backend, pace: float, types: tuple[str, ...], operators: Operators) -> None:
        self._backend = backend
        self._pace = pace
        self._types = [name for name in types if name in WEIGHTS]
        self._chance = operators.chance
        self._numbers = count(1)
        self._under_way: set[asyncio.Task[None]] = set()
        self._operators = operators
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        self._loops = [asyncio.create_task(self._tick()), asyncio.create_task(self._operators.run())]

    async def stop(self) -> None:
        """Let no more come, and wait for those under way."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await asyncio.gather(*self._under_way)

    async def _tick(self) -> None:
        last = time.monotonic()
        debt = 0.0
        while True:
            await asyncio.sleep(TICK)
            now = time.monotonic()
            # What could not be sent in time is not sent later: the pace stays even.
            debt, last = min(debt + (now - last) * self._pace, self._pace), now
            if debt >= 1 and len(self._under_way) < MOST_UNDER_WAY:
                jobs = [self._make_job() for _ in range(int(debt))]
                debt -= len(jobs)
                task = asyncio.create_task(self._store(jobs))
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)

    def _make_job(self) -> Job:
        job_type = self._chance.choices(self._types, [WEIGHTS[name] for name in self._types])[0]
        number = next(self._numbers)
        # New names now and then: the search through the history of one lease grows with whatever stayed open in it.
        lock = f"lock-{number // JOBS_A_LOCK}-{self._chance.randint(1, 3)}"
        given = {"LOCK": {"name": lock}, "SUM": {"most": 1000}}.get(job_type, {})
        mark = CHAFF if job_type == CHAFF else "j"
        return Job(id=f"{mark}{number:06d}", job_type=job_type, input=given)

    async def _store(self, jobs: list[Job]) -> None:
        try:
            await self._backend.store_jobs(jobs)
            self._tell(jobs[-1])
        except OutcomeUnknown:
            # Chaff may have been stored, finished and purged by now: stored again, it would be another job.
            for job in jobs:
                if job.job_type != CHAFF:
                    await self.store_surely(job)
        except StoreError:
            await asyncio.sleep(PAUSE)

    def _tell(self, job: Job) -> None:
        # What was purged can be neither cancelled nor retried, so chaff is left alone.
        if job.job_type != CHAFF:
            self._operators.tell(job.id)

    async def store_surely(self, job: Job) -> bool:
        """Store a job until the store has said yes, or that it is there."""
        for _ in range(TRIES):
            try:
                await self._backend.store_job(job)
            except DuplicateJob:
                return True
            except StoreError:
                await asyncio.sleep(PAUSE)
            else:
                return True
        return False
