"""The worker: claims jobs, runs their handlers, records how they ended."""

import asyncio
import os
import signal
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dibs.engine import events
from dibs.engine.executors.executor import Executor, LoopExecutor
from dibs.engine.executors.processes import ProcessExecutor
from dibs.engine.executors.threads import LeftThreads, ThreadExecutor
from dibs.engine.loops.claiming import Claiming, ClaimPlan
from dibs.engine.loops.finishing import Finishing
from dibs.engine.loops.gating import Gating
from dibs.engine.loops.listening import Listening
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import check_names, check_span, check_whole_number
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.tasks.task import Mode
from dibs.engine.worker.holdings import Held, Holdings, StopReason
from dibs.engine.worker.housekeeping import HousePlan, make_house_loops
from dibs.engine.worker.pulse import Pulse, PulseSettings
from dibs.engine.worker.reach import Reach
from dibs.engine.worker.running import Running
from dibs.errors import BadInput, StoreUnavailable
from dibs.settings import default_worker_id

if TYPE_CHECKING:
    from dibs.engine.app import App

MOST_JOBS_ON_A_CARD = 100
# After the grace time: for handlers to heed that they must stop, and for the store to take the last writes.
PARTING, FAREWELL = 5.0, 3.0
SHORTEST_FAREWELL = 2.0
PATIENCE = timedelta(seconds=2)
DRAIN_POLL = timedelta(milliseconds=5)
MOST_SLOTS = 100_000


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a worker works. Slots: `concurrency` for async handlers, `threads` and `processes` for the others.

    One that does not claim runs no job: it fires schedules, and keeps the house.
    """

    concurrency: int = 100
    threads: int = 10
    processes: int = os.cpu_count() or 1
    queues: tuple[str, ...] | None = None
    job_types: tuple[str, ...] | None = None
    tenant: str | None = None
    worker_id: str | None = None
    poll: timedelta = timedelta(seconds=1)
    beat: timedelta = timedelta(seconds=20)
    sweep: timedelta = timedelta(seconds=60)
    schedule_poll: timedelta = timedelta(seconds=1)
    grace: timedelta = timedelta(seconds=30)
    health_file: Path | None = None
    health_port: int | None = None
    until_drained: bool = False
    claims: bool = True

    def __post_init__(self) -> None:
        for field in ("concurrency", "threads", "processes"):
            check_whole_number(getattr(self, field), field, 1, MOST_SLOTS)
        for field in ("poll", "beat", "sweep", "schedule_poll"):
            check_span(getattr(self, field), field, least=timedelta(milliseconds=1))
        check_span(self.grace, "grace")
        for field in ("queues", "job_types"):
            check_names(getattr(self, field), field)
            if getattr(self, field) is not None and not getattr(self, field):
                message = f"{field} is empty: such a worker would never do anything. Leave it out, or name some."
                raise BadInput(message)

    def slots(self, mode: Mode) -> int:
        """How many jobs of this mode run at once."""
        return {Mode.ASYNC: self.concurrency, Mode.THREAD: self.threads, Mode.PROCESS: self.processes}[mode]


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
        gating = Gating(backend, self._holdings, interval=self._beat())
        for executor in executors.values():
            await executor.start()
        pulse.start()
        await pulse.started()
        self._app.events.emit(events.WORKER_STARTED, worker=self.worker_id, job_types=list(self._job_types()))
        writing = asyncio.create_task(finishing.run())
        hearing = [asyncio.create_task(listening.run()), asyncio.create_task(gating.run())]

        def look() -> None:
            pulse.beat_now()
            gating.look()

        hearing.append(asyncio.create_task(listening.run_for_acts(look)))
        await listening.ready(PATIENCE)
        keeping_house = self._start_housekeeping(backend)
        try:
            await self._work(claims, [writing, *keeping_house, *hearing])
            await self._leave(running, finishing)
        finally:
            await _cancel_all([writing, *keeping_house, *hearing])
            await pulse.stop()
            for executor in executors.values():
                await executor.stop()
            self._app.events.emit(events.WORKER_STOPPED, worker=self.worker_id, held=len(self._holdings))
        pulse.raise_failure()
        if len(finishing):
            raise StoreUnavailable(_explain_unwritten(len(finishing)))

    async def _work(self, claims: list[Claiming], others: list[asyncio.Task[None]]) -> None:
        loops = [asyncio.create_task(claiming.run()) for claiming in claims]
        ending = asyncio.create_task(self._wait_for_end(claims))
        done, _ = await asyncio.wait([ending, *loops, *others], return_when=asyncio.FIRST_COMPLETED)
        self._is_draining = True
        self._stopped_at = time.monotonic()
        for claiming in claims:
            claiming.leave()
        asking = [loop for loop, claiming in zip(loops, claims, strict=True) if claiming.is_asking]
        if asking:
            # An answer that nobody waits for would be jobs that nobody runs.
            await asyncio.wait(asking, timeout=FAREWELL)
        await _cancel_all([ending, *loops])
        for task in done - {ending}:
            # A loop never ends by itself: whatever ended it is a fault of ours, and must be seen.
            task.result()

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
        await running.wait(PARTING)
        for held in self._still_running():
            self.has_left_behind = True
            running.give_up(held)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(SHORTEST_FAREWELL, self._time_left() + FAREWELL)):
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
            Mode.PROCESS: self._make_process_executor,
        }
        return {mode: make() for mode, make in kinds.items() if self._types_of(mode)}

    def _make_process_executor(self) -> Executor:
        return ProcessExecutor(self._options.processes)

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


def stop_on_signals(worker: Worker) -> None:
    """The first SIGTERM or SIGINT stops the worker gently, the second at once."""
    loop = asyncio.get_running_loop()
    is_stopping = False

    # Handlers of the event loop would not do: it drops a second signal that comes while it changes them for the first.
    def on_signal(number: int, _: object) -> None:
        nonlocal is_stopping
        if is_stopping:
            # The leases lapse, and other workers take the jobs over.
            os._exit(128 + number)
        is_stopping = True
        loop.call_soon_threadsafe(worker.stop)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
