"""Running one claimed job, from its input to its ending."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import structlog

from dibs.engine import events
from dibs.engine.executors.executor import Executor, WorkerCrashed, WorkerDied
from dibs.engine.failure import ErrorInfo, FailureKind, describe_error
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.loops.finishing import Ending, Finishing
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import LONGEST_REASON, check_span
from dibs.engine.store.moves import Deferral, Drop, Failure
from dibs.engine.tasks import outcome
from dibs.engine.tasks.arguments import to_plain
from dibs.engine.tasks.context import Facts
from dibs.engine.tasks.task import Mode, Task
from dibs.engine.worker.desk import JobDesk
from dibs.engine.worker.holdings import Held, Holdings, StopReason
from dibs.errors import BadInput, PermitRefused, StoreUnavailable
from dibs.kit.text import printable

if TYPE_CHECKING:
    from dibs.engine.app import App

log = structlog.get_logger("dibs.running")

CallNext = Callable[[], Awaitable[Any]]
Middleware = Callable[[Facts, CallNext], Awaitable[Any]]


class Running:
    """Starts handlers and turns what they do into endings."""

    def __init__(
        self, app: "App", backend: Backend, finishing: Finishing, holdings: Holdings, executors: Mapping[Mode, Executor]
    ) -> None:
        self._app = app
        self._backend = backend
        self._finishing = finishing
        self._holdings = holdings
        self._executors = executors

    def start(self, job: Job, ended: Callable[[], None]) -> None:
        """Begin to run a claimed job; `ended` is called when its handler has ended."""
        held = self._holdings.add(job)
        held.work = asyncio.create_task(self._run(held, ended))

    async def _run(self, held: Held, ended: Callable[[], None]) -> None:
        held.give_up = lambda: self._give_up(held, ended)
        try:
            ending = await self._reach_ending(held) if held.begin() else self._end_stopped(held)
        except asyncio.CancelledError as error:
            ending = self._end_cancelled(held, error)
        if held.is_over:
            # It was given up long ago; whatever it says now is too late.
            return
        self._conclude(held, ending, ended)

    def _give_up(self, held: Held, ended: Callable[[], None]) -> None:
        """Go on without a handler that does not stop: its job ends, its slot is free, its task is left behind."""
        if not held.is_over:
            log.warning("engine.handler.left_behind", job_id=held.job.id, job_type=held.job.job_type)
            self._conclude(held, self._end_stopped(held), ended)

    def _conclude(self, held: Held, ending: Ending | None, ended: Callable[[], None]) -> None:
        held.end()
        ended()
        if ending is None:
            self._holdings.remove([held.lease])
        else:
            self._finishing.put(held, ending)

    async def _reach_ending(self, held: Held) -> Ending | None:
        task = self._app.tasks[held.job.job_type]
        desk = JobDesk(self._app, self._backend, held)
        try:
            result = await self._call_permitted(task, held, desk)
        except (asyncio.CancelledError, WorkerDied):
            raise
        except BaseException as error:  # noqa: BLE001 - the policy decides what any error means
            if desk.is_completed:
                log.warning("engine.handler.failed_after_completion", job_id=held.job.id, error=type(error).__name__)
                self._tell_completed(held)
                return None
            return self._end_failed(held, task, error) if held.stop_reason is None else self._end_stopped(held)
        if desk.is_completed:
            self._tell_completed(held)
            return None
        return self._end_returned(held, task, result)

    async def _call_permitted(self, task: Task[Any, Any], held: Held, desk: JobDesk) -> Any:
        """Call the handler; a permit that its source refuses is no error, and an instant becomes a delay.

        The store tells the time that is left: by its clock the instant was given.
        """
        try:
            result = await self._call(task, held, desk)
        except PermitRefused as refused:
            result = outcome.wait_for_permit(refused)
        if isinstance(result, outcome.Snooze) and result.until is not None:
            return outcome.Snooze(max(result.delay, await self._find_left(result.until)), result.reason)
        return result

    async def _find_left(self, until: datetime) -> timedelta:
        try:
            return until - await self._backend.reader.now()
        except StoreUnavailable:
            # A job that only waits must not pay for it with an attempt.
            return outcome.UNKNOWN_WAIT

    async def _call(self, task: Task[Any, Any], held: Held, desk: JobDesk) -> Any:
        executor = self._executors[task.mode]
        arguments = task.arguments.read(held.job.input)
        facts = held.facts = executor.make_facts(held.job, desk)
        if task.settings.timeout is not None:
            held.stop_after(task.settings.timeout.total_seconds(), asyncio.get_running_loop())
        if not self._app.middleware:
            return await executor.call(task, facts, arguments)
        return await _call_through(self._app.middleware, facts, lambda: executor.call(task, facts, arguments))

    def _end_returned(self, held: Held, task: Task[Any, Any], result: Any) -> Ending:
        if isinstance(result, outcome.Snooze):
            return self._end_snoozed(held, task, result)
        if isinstance(result, outcome.Cancel):
            return Drop(lease=held.lease, reason=printable(result.reason, LONGEST_REASON))
        if isinstance(result, outcome.Fail):
            error = ErrorInfo(type="Fail", message=printable(result.reason, LONGEST_REASON))
            return Failure(lease=held.lease, error=error, kind=FailureKind.PERMANENT)
        try:
            return self._backend.completion(held.lease, to_plain(result, f"output of job {held.job.id!r}"))
        except BadInput as error:
            return self._end_failed(held, task, error)

    def _end_snoozed(self, held: Held, task: Task[Any, Any], snooze: outcome.Snooze) -> Ending:
        try:
            check_span(snooze.delay, "delay of Snooze")
        except BadInput as error:
            return self._end_failed(held, task, error)
        held.reason = snooze.reason
        return Deferral(lease=held.lease, delay=snooze.delay)

    def _end_cancelled(self, held: Held, error: asyncio.CancelledError) -> Ending | None:
        if held.stop_reason is not None:
            return self._end_stopped(held)
        # Nobody told it to stop: the handler let somebody else's cancellation through, which is an error like others.
        return self._end_failed(held, self._app.tasks[held.job.job_type], error)

    def _end_failed(self, held: Held, task: Task[Any, Any], error: BaseException) -> Failure:
        if isinstance(error, WorkerCrashed):
            return self._end_crashed(held, error)
        return task.settings.retry.judge(held.job, error, chance=self._app.chance)

    def _end_crashed(self, held: Held, error: WorkerCrashed) -> Failure:
        return Failure(
            lease=held.lease,
            error=describe_error(error),
            kind=FailureKind.CRASH,
            max_worker_deaths=self._backend.settings.max_worker_deaths,
        )

    def _end_stopped(self, held: Held) -> Ending | None:
        if held.stop_reason is StopReason.TIMEOUT:
            task = self._app.tasks[held.job.job_type]
            message = f"ran past its time of {task.settings.timeout}"
            return self._end_failed(held, task, TimeoutError(message))
        if held.stop_reason is StopReason.LOST:
            self._app.events.emit(events.LEASE_LOST, job_id=held.job.id, token=held.lease.token, at="running")
            return None
        return Deferral(lease=held.lease, outcome=AttemptOutcome.RELEASED)

    def _tell_completed(self, held: Held) -> None:
        held.note_time()
        self._app.events.emit(events.JOB_SUCCEEDED, **held.describe())


async def _call_through(middleware: Sequence[Middleware], facts: Facts, call: CallNext) -> Any:
    """Call the first one in, with the rest as what it may call next."""
    if not middleware:
        return await call()
    first, *rest = middleware
    return await first(facts, lambda: _call_through(rest, facts, call))
