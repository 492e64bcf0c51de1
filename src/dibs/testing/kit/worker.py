"""A worker that runs one job when it is told to, and nothing else."""

import asyncio
from contextlib import suppress
from datetime import datetime

from dibs.engine.app import App
from dibs.engine.executors.executor import Executor, LoopExecutor, WorkerDied
from dibs.engine.executors.threads import ThreadExecutor
from dibs.engine.job import Job, Lease
from dibs.engine.loops.finishing import Finishing
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.tasks.task import Mode
from dibs.engine.worker.holdings import Holdings
from dibs.engine.worker.reach import Reach
from dibs.engine.worker.running import Running
from dibs.errors import BadInput, JobConflict


class InlineWorker:
    """The engine's own running and finishing, without its loops: no polling, no heartbeats, no sweeps."""

    def __init__(self, app: App, backend: Backend, name: str) -> None:
        self._app = app
        self._backend = backend
        self._name = name

    async def claim_next(self) -> Job | None:
        """Claim the most urgent due job that this app has a task for."""
        return await self._backend.claim_pending_job(tuple(self._app.tasks), worker=self._name)

    async def claim(self, job: Job) -> Job:
        """Claim this very job. Those before it in its lane are claimed on the way, and handed back."""
        self._check_task(job)
        passed: list[Lease] = []
        try:
            while claimed := await self._claim_from_lane(job):
                if claimed.id == job.id:
                    return claimed
                passed.append(claimed.lease)
        finally:
            await self._backend.release_jobs(passed)
        raise JobConflict(_explain(await self._backend.get_job(job.id), await self._backend.reader.now()))

    async def _claim_from_lane(self, job: Job) -> Job | None:
        return await self._backend.claim_pending_job(
            [job.job_type], queues=[job.queue], tenant=job.tenant, worker=self._name
        )

    def _check_task(self, job: Job) -> None:
        if job.job_type not in self._app.tasks:
            known = ", ".join(sorted(self._app.tasks)) or "none"
            message = f"this app has no task {job.job_type!r}, so nothing can run job {job.id!r}. Its tasks: {known}."
            raise BadInput(message)

    async def execute(self, job: Job) -> bool:
        """Run a claimed job to its recorded end; False when the worker died on the way."""
        holdings, executors = Holdings(), _make_executors()
        finishing = Finishing(self._backend, holdings, Reach(self._app.events))
        running = Running(self._app, self._backend, finishing, holdings, executors)
        writing = asyncio.create_task(finishing.run())
        running.start([job], lambda: None)
        try:
            return await _reach_end(running, finishing, writing)
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError, WorkerDied):
                await writing
            for executor in executors.values():
                await executor.stop()


async def _reach_end(running: Running, finishing: Finishing, writing: "asyncio.Task[None]") -> bool:
    try:
        await asyncio.gather(*running.tasks)
        await _wait_until_written(finishing, writing)
    except WorkerDied:
        return False
    return True


async def _wait_until_written(finishing: Finishing, writing: "asyncio.Task[None]") -> None:
    relief = asyncio.create_task(finishing.relief())
    try:
        await asyncio.wait([relief, writing], return_when=asyncio.FIRST_COMPLETED)
    finally:
        relief.cancel()
    if writing.done():
        # It never ends by itself: this raises what ended it.
        writing.result()


def _make_executors() -> dict[Mode, Executor]:
    # CPU-bound handlers stay in this process too: whatever a test has replaced, they must find replaced.
    return {Mode.ASYNC: LoopExecutor(), Mode.THREAD: ThreadExecutor(), Mode.PROCESS: ThreadExecutor()}


def _explain(job: Job, now: datetime) -> str:
    named = f"job {job.id!r} ({job.job_type})"
    if job.is_final:
        return f"{named} is {job.state} already and cannot be run again. Enqueue another one."
    if job.state is State.RUNNING:
        return f"{named} is held by {job.locked_by!r}. Take it back first: await kit.reclaim(job)."
    if job.run_at is not None and job.run_at > now:
        wait = job.run_at - now
        return f"{named} is due in {wait}. Move the clock first: await kit.advance(seconds={wait.total_seconds():g})."
    return (
        f"{named} is due, but the store does not give it out. See what blocks it: its gate, its source or its limits."
    )
