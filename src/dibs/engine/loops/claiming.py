"""Claiming as many jobs as there are free slots."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

import msgspec

from dibs.engine import events
from dibs.engine.job import Job
from dibs.engine.loops.finishing import Finishing
from dibs.engine.loops.listening import Listening
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import ClaimRequest
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import StoreError
from dibs.kit.backoff import exponential
from dibs.kit.pauses import FIRST_PAUSE, LONGEST_PAUSE, jittered
from dibs.kit.waiting import wait_set

# An idle worker asks rarely whether something is about to become due, so that many of them cost the store little.
ROUNDS_WITHOUT_PROSPECTS = 8
# Workers that wait for the same instant do not all come at once.
SCATTER = timedelta(milliseconds=5)
LEAST_SHY, MOST_SHY = timedelta(milliseconds=2), timedelta(milliseconds=100)
HALTED_LOOK = 1.0
# A claim costs a store hardly more for many jobs than for a few. So while there is plenty to do, one waits for more
# room, though never for long beside what a claim takes.
PATIENCE_PART, LONGEST_PATIENCE = 0.5, 0.02
Start = Callable[[Sequence[Job], Callable[[], None]], None]


class Claiming:
    """The slots of one mode: what may run at once, and the loop that fills them.

    Never claims more than it has slots for. When fewer jobs came than asked for, the store is drained: wait for a
    notice, or for a pause that grows while nothing comes.
    """

    def __init__(
        self,
        backend: Backend,
        start: Start,
        finishing: Finishing,
        listening: Listening,
        reach: Reach,
        plan: "ClaimPlan",
    ) -> None:
        self._backend = backend
        self._start = start
        self._finishing = finishing
        self._listening = listening
        self._reach = reach
        self._tell = reach.tell
        self._plan = plan
        self._busy = 0
        self._room = asyncio.Event()
        self._leaving = asyncio.Event()
        self._is_asking = False
        self._shyness = timedelta(0)
        self._was_woken = False
        self._has_prospects = False
        self._chance = random.random
        self._is_halted = False
        self._patience = 0.0
        self.claimed = 0
        self.drained = asyncio.Event()

    @property
    def is_asking(self) -> bool:
        """Whether a claim is under way."""
        return self._is_asking

    def leave(self) -> None:
        """Claim nothing more. A claim that is under way is let through, and what it brings is handed back."""
        self._leaving.set()

    async def run(self) -> None:
        """Claim until told to leave."""
        idle_rounds = 0
        while not self._leaving.is_set():
            free = await self._wait_for_room()
            heard = self._listening.heard
            jobs = await self._claim(free)
            if self._leaving.is_set():
                await self._backend.release_jobs([job.lease for job in jobs])
                return
            self._begin(jobs)
            self._learn(jobs)
            idle_rounds = 0 if jobs else idle_rounds + 1
            if not jobs:
                self.drained.set()
            if len(jobs) < min(free, self._plan.most_at_once):
                pause = await self._shorten(self._plan.pause(idle_rounds), idle_rounds)
                await self._wait_for_work(pause, heard)

    async def _shorten(self, pause: timedelta, idle_rounds: int) -> timedelta:
        """Come again when the next job becomes due or a source gives its next permit, if that is sooner."""
        if not self._has_prospects and idle_rounds % ROUNDS_WITHOUT_PROSPECTS > 1:
            return pause
        try:
            wake = await self._backend.admission.find_wake(self._plan.request())
        except StoreError:
            return pause
        self._has_prospects = wake is not None
        return pause if wake is None else min(pause, wake + SCATTER * self._chance())

    async def _wait_for_work(self, pause: timedelta, heard: int) -> None:
        """Wait for a notice or for the pause to end; one that is always too late lets others go first."""
        self._was_woken = await self._listening.wait(pause, since=heard)
        if self._was_woken and self._shyness:
            await asyncio.sleep(jittered(self._shyness, spread=0.5).total_seconds())

    def _learn(self, jobs: list[Job]) -> None:
        # Many idle workers hear the same notice. Those who came in vain hold back a little the next time, so that the
        # one who did not is served at once.
        if jobs:
            self._shyness = timedelta(0)
        elif self._was_woken:
            self._shyness = min(max(2 * self._shyness, LEAST_SHY), MOST_SHY)

    @property
    def _free(self) -> int:
        return self._plan.slots - self._busy

    async def _wait_for_room(self) -> int:
        while self._free <= 0:
            self._room.clear()
            await self._room.wait()
        await self._wait_for_more_room()
        await self._wait_while_halted()
        if len(self._finishing) > self._plan.most_unwritten:
            await self._finishing.relief()
        return self._free

    async def _wait_for_more_room(self) -> None:
        """Wait a moment, after a claim that left more behind, until half of what can be claimed at once has room."""
        ends_at = time.monotonic() + self._patience
        while self._free < self._plan.many and (left := ends_at - time.monotonic()) > 0:
            self._room.clear()
            await wait_set(self._room, left)

    async def _wait_while_halted(self) -> None:
        while reason := self._plan.find_obstacle():
            if not self._is_halted:
                self._is_halted = True
                self._tell.emit(events.CLAIMING_HALTED, job_types=list(self._plan.job_types), reason=reason)
            # Whoever waits for the store to be drained would wait for ever: nothing more is claimed here.
            self.drained.set()
            await wait_set(self._leaving, HALTED_LOOK)
            if self._leaving.is_set():
                return
        if self._is_halted:
            self._is_halted = False
            self._tell.emit(events.CLAIMING_RESUMED, job_types=list(self._plan.job_types))

    async def _claim(self, limit: int) -> list[Job]:
        failures = 0
        while not self._leaving.is_set():
            try:
                jobs = await self._ask(limit)
            except StoreError as error:
                self._reach.failed(error, Doing.CLAIMING)
                pause = exponential(FIRST_PAUSE, factor=2, cap=LONGEST_PAUSE, step=failures)
                await asyncio.sleep(jittered(pause).total_seconds())
                failures += 1
            else:
                self._reach.answered(Doing.CLAIMING)
                return jobs
        return []

    async def _ask(self, limit: int) -> list[Job]:
        plan = self._plan
        wanted = min(limit, plan.most_at_once)
        asked_at = time.monotonic()
        self._is_asking = True
        try:
            jobs = await self._backend.claim_pending_jobs(
                wanted, job_types=plan.job_types, queues=plan.queues, tenant=plan.tenant, worker=plan.worker
            )
        finally:
            self._is_asking = False
        took = time.monotonic() - asked_at
        self._patience = min(PATIENCE_PART * took, LONGEST_PATIENCE) if len(jobs) == wanted else 0.0
        return jobs

    def _begin(self, jobs: list[Job]) -> None:
        self._busy += len(jobs)
        self.claimed += len(jobs)
        if self._tell.is_watched:
            for job in jobs:
                facts = {"job_id": job.id, "job_type": job.job_type, "queue": job.queue, "tenant": job.tenant}
                self._tell.emit(events.JOB_CLAIMED, **facts)
        self._start(jobs, self._free_slot)

    def _free_slot(self) -> None:
        self._busy -= 1
        self._room.set()


class ClaimPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What one loop claims, and how often it asks when there is nothing."""

    worker: str
    slots: int
    job_types: tuple[str, ...]
    queues: tuple[str, ...] | None = None
    tenant: str | None = None
    poll: timedelta = timedelta(seconds=1)
    # Says why nothing may be claimed right now; nothing if it may.
    find_obstacle: Callable[[], str] = str
    most_at_once: int = 1_000

    @property
    def many(self) -> int:
        """How many free slots are worth a claim, however many jobs wait."""
        return (min(self.slots, self.most_at_once) + 1) // 2

    @property
    def most_unwritten(self) -> int:
        """How many endings may wait to be written before claiming waits for them."""
        return max(1_000, 2 * self.slots)

    def request(self) -> ClaimRequest:
        """What this loop asks the store for."""
        return ClaimRequest(worker=self.worker, queues=self.queues, job_types=self.job_types, tenant=self.tenant)

    def pause(self, idle_rounds: int) -> timedelta:
        """The longer nothing comes, the longer the pause, up to four times the poll interval."""
        longest = 4 * self.poll
        return jittered(exponential(self.poll, factor=1.5, cap=longest, step=max(0, idle_rounds - 1)))
