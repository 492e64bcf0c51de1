"""The kit: what a test may do with an app's jobs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from dibs.engine.app import App
from dibs.engine.job import Attempt, Job
from dibs.engine.states import State
from dibs.engine.tasks.task import PreparedTask, Task
from dibs.engine.worker.worker import Worker
from dibs.errors import BadInput
from dibs.kit.clock import utc_now
from dibs.testing.harness import StoreHarness
from dibs.testing.kit.bench import NO_TIME, Bench
from dibs.testing.kit.checks import Checks
from dibs.testing.kit.draining import Budget, find_horizon, find_next_change
from dibs.testing.kit.faults import DEATHS, TAKEOVERS, Death, Fault, Moment, Takeover, read_moment
from dibs.testing.stores.memory import MemoryStore

MOST_EXECUTIONS = 1_000
Work = Task[Any, Any] | PreparedTask | Job | str | None


class Kit(Checks):
    """`async with Kit(app) as kit:` moves the app to a store in memory, and back afterwards.

    The clock of that store stands still at `at` (default: now) until the test moves it. `store` puts the app on a real
    store instead, such as `SqliteStore(tmp_path)`; it stays the caller's to reset and close, and its clock runs.
    Retries are not spread by chance, so that a delay is what the policy says.
    """

    def __init__(self, app: App, *, store: StoreHarness | None = None, at: datetime | None = None) -> None:
        if at is not None and (store is not None or at.tzinfo is None):
            message = (
                f"at={at} must be an aware datetime, and goes with no store of yours: only memory can stand still."
            )
            raise BadInput(message)
        self._bench = Bench(app, store or MemoryStore(frozen_at=at or utc_now()))
        super().__init__(self._bench.ledger)

    async def __aenter__(self) -> Self:
        self._bench.start()
        try:
            await self._bench.look()
            await self._bench.declare_schedules()
        except BaseException:
            await self._bench.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._bench.close()

    def start(self) -> Self:
        """Move the app over without a block, to `stop` later. For memory only: `async with` closes other stores."""
        self._bench.start()
        return self

    def stop(self) -> None:
        """Give the app back."""
        self._bench.stop()

    @property
    def now(self) -> datetime:
        """The store's time; of a store whose clock runs, when the kit last looked."""
        return self._bench.now

    async def advance(self, span: timedelta = NO_TIME, /, **units: float) -> None:
        """Move the store's clock: `advance(minutes=5)` or `advance(timedelta(…))`. Runs nothing; that is `drain`."""
        await self._bench.advance(span + timedelta(**units))

    async def find(self, job: Job | str, /) -> Job:
        """Read a job as it stands now."""
        return await self._bench.find(job)

    async def history(self, job: Job | str, /) -> list[Attempt]:
        """Read the attempts of a job, oldest first."""
        found = await self._bench.find(job)
        return await (await self._bench.app.backend()).reader.list_attempts(found.id)

    async def run(self, work: Work, /, **arguments: Any) -> Job:
        """Run one job now, and give it as it stands after that: `run(job)`, `run(job_id)` or `run(task, to="ada")`."""
        job = await self._take(work, arguments)
        return await self._bench.execute(await self._bench.claim(job))

    async def fire_schedules(self) -> list[Job]:
        """Fire the schedules that are due by the store's clock, and give their jobs, the earliest instant first.

        What the app declares is stored when the kit begins. Runs nothing; that is `drain`.
        """
        return await self._bench.fire_schedules()

    async def _take(self, work: Work, arguments: dict[str, Any]) -> Job:
        if isinstance(work, Task) and work.app is not self._bench.app:
            message = (
                f"{work.name} is a task of another app, and would be enqueued in its store. Make a kit for that app."
            )
            raise BadInput(message)
        if isinstance(work, Task | PreparedTask):
            work, arguments = await work.enqueue(**arguments), {}
        if work is None:
            message = "there is no job to run: enqueue gave None, because the unique key was taken."
            raise BadInput(message)
        if arguments:
            message = f"arguments ({', '.join(arguments)}) are for a task; this job is enqueued already."
            raise BadInput(message)
        return await self._bench.find(work)

    async def drain(self, *, until: timedelta | datetime | None = None, most: int = MOST_EXECUTIONS) -> list[Job]:
        """Run everything that is due until nothing is; gives the jobs in the order they ran, as each stood after it.

        With `until` the clock moves from one due job to the next, up to that time, and stands there in the end. A drain
        that needs more than `most` executions fails, and names the jobs that keep coming.
        """
        budget, seen_at = Budget(most), await self._bench.look()
        ended = await self._run_due(budget)
        if until is None:
            return ended
        horizon = find_horizon(seen_at, until)
        while (instant := await self._find_next_change(seen_at)) is not None and instant <= horizon:
            await self._bench.advance_to(instant)
            seen_at = self._bench.now
            ended += await self._run_due(budget)
        await self._bench.advance_to(horizon)
        return ended

    async def _run_due(self, budget: Budget) -> list[Job]:
        await self._bench.sweep()
        ended: list[Job] = []
        while (job := await self._bench.claim_next()) is not None:
            if budget.is_spent:
                await self._bench.hand_back(job)
                raise AssertionError(budget.complain(job))
            budget.spend(job)
            ended.append(await self._bench.execute(job))
        return ended

    async def _find_next_change(self, seen_at: datetime) -> datetime | None:
        app = self._bench.app
        return await find_next_change(await app.backend(), frozenset(app.tasks), seen_at)

    async def crash(self, job: Job | str, /, *, when: Moment | str) -> Job:
        """Run a job on a worker that dies; its lease lapses, and the job is reclaimed. Then `drain`, and look.

        `when` is before, during, after_effect or after_completion (see `Moment`). The clock moves on by the lease.
        """
        moment = read_moment(when)
        claimed = await self._bench.claim(await self.find(job))
        if moment is not Moment.BEFORE:
            death = Death(DEATHS[moment])
            await self._bench.execute(claimed, death)
            _check_struck(death, claimed, moment)
        left = await self.find(claimed)
        return await self._bench.reclaim(left) if left.state is State.RUNNING else left

    async def lose_lease(self, job: Job | str, /, *, when: Moment | str = Moment.AFTER_EFFECT) -> Job:
        """Run a job on a worker that stalls until another one has reclaimed and done it, and then goes on.

        Whatever the first one writes after that is refused. `when` is before, during or after_effect.
        """
        moment = read_moment(when, (Moment.BEFORE, *TAKEOVERS))
        claimed = await self._bench.claim(await self.find(job))
        if moment is Moment.BEFORE:
            await self._bench.overtake(claimed)
            return await self._bench.execute(claimed)
        takeover = Takeover(TAKEOVERS[moment], lambda: self._bench.overtake(claimed))
        await self._bench.execute(claimed, takeover)
        _check_struck(takeover, claimed, moment)
        return await self.find(claimed)

    async def deliver_twice(self, job: Job | str, /) -> Job:
        """Let two workers run the same job at the same time; the lease is with the second one."""
        first = await self._bench.claim(await self.find(job))
        second = await self._bench.claim(await self._bench.reclaim(first))
        await asyncio.gather(self._bench.execute(first), self._bench.execute(second))
        return await self.find(second)

    async def reclaim(self, job: Job | str, /) -> Job:
        """Let the lease of a running job lapse, and have the job taken back, as after the death of its worker."""
        return await self._bench.reclaim(await self.find(job))

    @asynccontextmanager
    async def worker(self, **options: Any) -> AsyncIterator[Worker]:
        """Let a real worker run beside the test, for code that waits for its jobs. Options as for `app.make_worker`."""
        worker = self._bench.app.make_worker(**options)
        working = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await working


def _check_struck(fault: Fault, job: Job, moment: Moment) -> None:
    if not fault.has_struck:
        message = (
            f"the handler of {job.job_type} ended without reaching the moment {moment.value!r}: it asked nothing of"
            " its context that reaches the store. Choose another moment."
        )
        raise AssertionError(message)
