"""The worker: claims jobs, runs their handlers, records how they ended."""

import asyncio
import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dibs.engine import events
from dibs.engine.executors.executor import Executor, LoopExecutor
from dibs.engine.executors.processes import ProcessExecutor
from dibs.engine.executors.threads import LeftThreads, ThreadExecutor
from dibs.engine.loops.claiming import Claiming, ClaimPlan
from dibs.engine.loops.finishing import Finishing
from dibs.engine.loops.gating import Gating
from dibs.engine.loops.listening import Listening
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.tasks.task import Mode
from dibs.engine.worker.holdings import Held, Holdings, StopReason
from dibs.engine.worker.housekeeping import HousePlan, make_house_loops
from dibs.engine.worker.options import WorkerOptions
from dibs.engine.worker.pulse import Pulse, PulseSettings
from dibs.engine.worker.reach import Reach
from dibs.engine.worker.running import Running
from dibs.errors import StoreUnavailable
from dibs.settings import default_worker_id

if TYPE_CHECKING:
    from dibs.engine.app import App

MOST_JOBS_ON_A_CARD = 100
# After the grace time: for handlers to heed that they must stop, and for the store to take the last writes.
PARTING_SECONDS, FAREWELL_SECONDS = 5.0, 3.0
SHORTEST_FAREWELL_SECONDS = 2.0
LONGEST_WAIT_FOR_NEWS = timedelta(seconds=2)
DRAIN_POLL = timedelta(milliseconds=5)


class Worker:
    """One worker. `run` returns after `stop` was called and its jobs have ended or were handed back."""

    def __init__(self, app: "App", options: WorkerOptions) -> None:
        self._app = app
        self._options = options
        self._started_at = datetime.now(UTC)
        self._stopping = asyncio.Event()
        self._holdings = Holdings()
        self._reach = Reach(app.events)
        self._left_threads = LeftThreads(options.threads)
        self._is_draining = False
        self._stopped_at = 0.0
        self._has_started = False
        self.has_left_behind = False
        self.worker_id = options.worker_id or app.settings.worker_id or default_worker_id()

    def stop(self) -> None:
        """Claim nothing more; finish, or hand back what is not finished within the grace time."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._app.events.emit(events.WORKER_STOPPING, worker=self.worker_id, held=len(self._holdings))

    async def run(self) -> None:
        """Work until stopped (or, with `until_drained`, until no job is left to claim).

        Raises StoreUnavailable when the store did not take how the last jobs ended.
        """
        backend = await self._app.backend()
        executors = self._make_executors()
        finishing = Finishing(backend, self._holdings, self._reach)
        listening = Listening(backend, self._options.queues)
        running = Running(self._app, backend, finishing, self._holdings, executors)
        claims = [self._make_claiming(mode, backend, running, finishing, listening) for mode in executors]
        pulse = self._make_pulse(backend)
        beside: list[asyncio.Task[None]] = []
        try:
            await self._open(executors, pulse)
            beside += [asyncio.create_task(finishing.run()), *self._start_hearing(backend, listening, pulse)]
            await listening.ready(LONGEST_WAIT_FOR_NEWS)
            beside += self._start_housekeeping(backend)
            await self._work(claims, beside)
            await self._leave(running, finishing)
        finally:
            await _cancel_all(beside)
            await self._close(executors, pulse)
        pulse.raise_failure()
        if len(finishing):
            raise StoreUnavailable(_explain_unwritten(len(finishing)))

    async def _open(self, executors: dict[Mode, Executor], pulse: Pulse) -> None:
        for executor in executors.values():
            await executor.start()
        pulse.start()
        await pulse.started()
        self._has_started = True
        self._app.events.emit(events.WORKER_STARTED, worker=self.worker_id, job_types=list(self._job_types()))

    async def _close(self, executors: dict[Mode, Executor], pulse: Pulse) -> None:
        await pulse.stop()
        for executor in executors.values():
            await executor.stop()
        if self._has_started:
            self._app.events.emit(events.WORKER_STOPPED, worker=self.worker_id, held=len(self._holdings))

    def _start_hearing(self, backend: Backend, listening: Listening, pulse: Pulse) -> list[asyncio.Task[None]]:
        gating = Gating(backend, self._holdings, interval=self._beat())

        def look_at_what_runs() -> None:
            pulse.beat_now()
            gating.look()

        hearing = (listening.run(), gating.run(), listening.run_for_acts(look_at_what_runs))
        return [asyncio.create_task(loop) for loop in hearing]

    async def _work(self, claims: list[Claiming], beside: list[asyncio.Task[None]]) -> None:
        """Claim and run until the end is reached, or until a loop has ended, which none does by itself."""
        loops = [asyncio.create_task(claiming.run()) for claiming in claims]
        ending = asyncio.create_task(self._wait_for_end(claims))
        try:
            done, _ = await asyncio.wait([ending, *loops, *beside], return_when=asyncio.FIRST_COMPLETED)
            await self._stop_asking(claims, loops)
        finally:
            # Also where we are cancelled: a loop that goes on would claim jobs for which nobody beats.
            await _cancel_all([ending, *loops])
        for task in done - {ending}:
            # Whatever ended it is a fault of ours, and must be seen.
            task.result()

    async def _stop_asking(self, claims: list[Claiming], loops: list[asyncio.Task[None]]) -> None:
        self._is_draining = True
        self._stopped_at = time.monotonic()
        for claiming in claims:
            claiming.leave()
        asking = [loop for loop, claiming in zip(loops, claims, strict=True) if claiming.is_asking]
        if asking:
            # An answer that nobody waits for would be jobs that nobody runs.
            await asyncio.wait(asking, timeout=FAREWELL_SECONDS)

    async def _wait_for_end(self, claims: list[Claiming]) -> None:
        if not self._options.until_drained:
            await self._stopping.wait()
            return
        while not self._stopping.is_set():
            is_idle, claimed = not self._holdings, sum(claiming.claimed for claiming in claims)
            for claiming in claims:
                claiming.drained.clear()
            await asyncio.gather(*(claiming.drained.wait() for claiming in claims))
            # Nothing ran when this round of claims began, and none of them found anything: nothing can come of itself.
            if is_idle and not self._holdings and claimed == sum(claiming.claimed for claiming in claims):
                return

    async def _leave(self, running: Running, finishing: Finishing) -> None:
        """Let handlers finish within the grace time, then tell them to stop and hand their jobs back."""
        await running.wait(self._time_left())
        for held in self._still_running():
            held.stop(StopReason.LEAVING)
        await running.wait(PARTING_SECONDS)
        for held in self._still_running():
            self.has_left_behind = True
            running.give_up(held)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(SHORTEST_FAREWELL_SECONDS, self._time_left() + FAREWELL_SECONDS)):
                await finishing.relief()

    def _still_running(self) -> list[Held]:
        return [held for held in self._holdings.all() if not held.is_over]

    def _time_left(self) -> float:
        """How much of the grace time is left; below 0 when it is over."""
        return self._stopped_at + self._options.grace.total_seconds() - time.monotonic()

    def _make_executors(self) -> dict[Mode, Executor]:
        kinds: dict[Mode, Any] = {
            Mode.ASYNC: LoopExecutor,
            Mode.THREAD: lambda: ThreadExecutor(self._left_threads, self._app.events),
            Mode.PROCESS: lambda: ProcessExecutor(self._options.processes),
        }
        return {mode: make() for mode, make in kinds.items() if self._types_of(mode)}

    def _make_claiming(
        self, mode: Mode, backend: Backend, running: Running, finishing: Finishing, listening: Listening
    ) -> Claiming:
        options = self._options
        plan = ClaimPlan(
            worker=self.worker_id,
            slots=options.slots(mode),
            job_types=self._types_of(mode),
            queues=options.queues,
            tenant=options.tenant,
            poll=DRAIN_POLL if options.until_drained else options.poll,
            find_obstacle=self._left_threads.find_obstacle if mode is Mode.THREAD else str,
        )
        return Claiming(backend, running.start, finishing, listening, self._reach, plan)

    def _beat(self) -> timedelta:
        """How often leases are renewed: often enough that one lost beat, or two, costs no lease."""
        return min(self._options.beat, self._app.settings.lease / 3)

    def _make_pulse(self, backend: Backend) -> Pulse:
        options = self._options
        settings = PulseSettings(
            beat=self._beat(),
            health_file=options.health_file,
            health_port=options.health_port,
            left=self._left_threads,
        )
        # A store that lives in this process cannot be opened twice.
        open_backend = self._app.open_backend if backend.capabilities.shared else self._app.backend
        return Pulse(open_backend, self._holdings, self._reach, settings, self._make_card, self.stop)

    def _start_housekeeping(self, backend: Backend) -> list[asyncio.Task[None]]:
        options = self._options
        plan = HousePlan(
            worker_id=self.worker_id,
            job_types=self._job_types(),
            sweep=options.sweep,
            # One that leaves when nothing is left would otherwise make work for itself, and never leave.
            schedule_poll=None if options.until_drained else options.schedule_poll,
        )
        return [asyncio.create_task(loop.run()) for loop in make_house_loops(self._app, backend, self._reach, plan)]

    def _types_of(self, mode: Mode) -> tuple[str, ...]:
        wanted = self._options.job_types if self._options.claims else ()
        return tuple(name for name in self._app.find_tasks(mode) if wanted is None or name in wanted)

    def _job_types(self) -> tuple[str, ...]:
        return tuple(name for mode in Mode for name in self._types_of(mode))

    def _make_card(self) -> WorkerCard:
        held = self._holdings.leases()
        return WorkerCard(
            worker_id=self.worker_id,
            host=socket.gethostname(),
            pid=os.getpid(),
            state="draining" if self._is_draining else "working",
            job_types=self._job_types(),
            queues=self._options.queues,
            tenant=self._options.tenant,
            slots=sum(self._options.slots(mode) for mode in Mode if self._types_of(mode)),
            held=len(held),
            holding=tuple(lease.job_id for lease in held[:MOST_JOBS_ON_A_CARD]),
        )


def _explain_unwritten(count: int) -> str:
    return (
        f"the worker has left, and the store did not take how {count} of its jobs ended. Their leases lapse, and they"
        " run again. See whether the store is well: dibs doctor."
    )


async def _cancel_all(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
