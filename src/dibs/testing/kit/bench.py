"""What the kit stands on: the app on a borrowed store, the store's clock, and workers that do one step at a time."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, ExitStack
from datetime import datetime, timedelta
from typing import Any

from dibs.engine.app import App
from dibs.engine.job import Job
from dibs.engine.loops.reaping import Reaping
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Reach
from dibs.errors import BadInput, JobConflict, NotSupported
from dibs.testing.harness import StoreHarness
from dibs.testing.kit.faults import Fault, with_fault
from dibs.testing.kit.ledger import Ledger
from dibs.testing.kit.worker import InlineWorker

NO_TIME = timedelta(0)
SWEEP = timedelta(seconds=60)
MOST_SCHEDULES = 1_000


class Bench:
    """One app on one store, for one test."""

    def __init__(self, app: App, store: StoreHarness) -> None:
        self.app = app
        self.ledger = Ledger(self._find_from_outside)
        self._store = store
        self._borrowed = ExitStack()
        self._worker_number = 1
        self._seen_now: datetime | None = None

    def start(self) -> None:
        """Move the app over to the store, and take chance out of its retries."""
        self._borrowed.enter_context(self.app.on_store(self._open))
        self._borrowed.callback(setattr, self.app, "chance", self.app.chance)
        self.app.chance = _no_spread

    def stop(self) -> None:
        """Give the app back."""
        self.app.sync.close()
        self._borrowed.close()

    async def close(self) -> None:
        """Close the store where it was used, and give the app back."""
        try:
            await asyncio.to_thread(self.app.sync.close)
            await self.app.close()
        finally:
            self.stop()

    async def _open(self) -> Backend:
        names = set(self.app.settings.__struct_fields__) - {"url"}
        backend = await self._store.open(**{name: getattr(self.app.settings, name) for name in names})
        backend.transactions = backend.transactions or AbsentTransactions()
        return self.ledger.watch(backend)

    def _find_from_outside(self, job_ids: Sequence[str]) -> list[Job | None]:
        async def find() -> list[Job | None]:
            return await (await self.app.backend()).reader.find_jobs(job_ids)

        # In a thread, because an async test may be asking, and its event loop has to wait.
        with ThreadPoolExecutor(1) as aside:
            return aside.submit(self.app.sync.run, find()).result()

    @property
    def now(self) -> datetime:
        """The store's time; of a store whose clock runs, when it was last looked at."""
        tell = getattr(self._store, "now", None)
        now = self._seen_now if tell is None else tell()
        if not isinstance(now, datetime):
            message = "the kit has not looked at this store's clock yet. Enter it first: async with Kit(…) as kit."
            raise BadInput(message)
        return now

    async def look(self) -> datetime:
        """Ask the store for the time."""
        self._seen_now = await (await self.app.backend()).reader.now()
        return self._seen_now

    async def advance(self, span: timedelta) -> None:
        """Move the store's clock."""
        if span < NO_TIME:
            message = f"the clock cannot go back by {-span}. Give a positive span."
            raise BadInput(message)
        await self._store.advance(span)
        await self.look()

    async def advance_to(self, instant: datetime) -> None:
        """Move the store's clock to an instant, unless it is later already."""
        await self.advance(max(NO_TIME, instant - await self.look()))

    async def find(self, job: Job | str) -> Job:
        """Read a job as it stands now."""
        return await (await self.app.backend()).get_job(job if isinstance(job, str) else job.id)

    async def claim(self, job: Job) -> Job:
        """Claim this very job."""
        return await (await self._hire()).claim(job)

    async def claim_next(self) -> Job | None:
        """Claim the most urgent due job."""
        return await (await self._hire()).claim_next()

    async def execute(self, claimed: Job, fault: Fault | None = None) -> Job:
        """Run a claimed job until it is recorded or its worker is dead, and give it as it stands then."""
        await (await self._hire(fault)).execute(claimed)
        await self.look()
        return await self.find(claimed)

    async def hand_back(self, claimed: Job) -> None:
        """Give a claimed job back, to be claimed again."""
        await (await self.app.backend()).release_jobs([claimed.lease])

    async def _hire(self, fault: Fault | None = None) -> InlineWorker:
        backend = await self.app.backend()
        chosen = backend if fault is None else with_fault(backend, fault)
        return InlineWorker(self.app, chosen, f"worker-{self._worker_number}")

    async def sweep(self) -> None:
        """Reclaim what has lapsed, as every worker does from time to time."""
        await Reaping(await self.app.backend(), Reach(self.app.events), interval=SWEEP).tick()

    async def declare_schedules(self) -> None:
        """Store the schedules that the app declares, as workers do when they start."""
        backend = await self.app.backend()
        for schedule in self.app.schedules.values():
            await backend.schedules.declare(schedule)

    async def fire_schedules(self) -> list[Job]:
        """Fire what is due, as every worker does from time to time; give the jobs."""
        await self.declare_schedules()
        backend = await self.app.backend()
        handled = await backend.schedules.fire_due(MOST_SCHEDULES)
        fires = [fire for one in handled for fire in one.verdict.fires if fire.job_id is not None]
        return [await self.find(fire.job_id or "") for fire in sorted(fires, key=lambda fire: fire.instant)]

    async def reclaim(self, job: Job) -> Job:
        """Let the lease of a running job lapse, and have it taken back; the next worker is another one."""
        running = await self.find(job)
        if running.state is not State.RUNNING or running.lease_expires_at is None:
            message = f"job {job.id!r} ({job.job_type}) is {running.state}; only a running one can be reclaimed."
            raise JobConflict(message)
        await self.advance_to(running.lease_expires_at)
        await self.sweep()
        self._worker_number += 1
        return await self.find(job)

    async def overtake(self, job: Job) -> Job:
        """Let another worker reclaim a running job and do it."""
        return await self.execute(await self.claim(await self.reclaim(job)))


class AbsentTransactions:
    """Says to a handler that wants a transaction how its test can have one."""

    def begin(self) -> AbstractAsyncContextManager[Any]:
        """Refuse."""
        message = (
            "this handler opens ctx.transaction(), which the store of this test does not have"
            " (capabilities.transactions is False). Give the kit one that does: Kit(app, store=SqliteStore(tmp_path))."
        )
        raise NotSupported(message)


def _no_spread() -> float:
    return 0.5
