"""Running one claimed job, from its input to its ending."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dibs.engine import events
from dibs.engine.executors.executor import Executor, WorkerCrashed, WorkerDied
from dibs.engine.failure import ErrorInfo, FailureKind, describe_error
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.loops.finishing import Ending, Finishing
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import LONGEST_REASON, check_instant, check_span
from dibs.engine.store.moves import Deferral, Drop, Failure
from dibs.engine.tasks import outcome
from dibs.engine.tasks.arguments import to_plain
from dibs.engine.tasks.context import Facts
from dibs.engine.tasks.task import Mode, Task
from dibs.engine.worker.desk import JobDesk
from dibs.engine.worker.holdings import Held, Holdings, StopReason
from dibs.engine.worker.runners import Runners
from dibs.errors import BadInput, PermitRefused, StoreError
from dibs.kit.log import get_logger, trace_of
from dibs.kit.text import printable

if TYPE_CHECKING:
    from dibs.engine.app import App

log = get_logger("dibs.running")

ASYNC = Mode.ASYNC
OUTCOMES = (outcome.Snooze, outcome.Cancel, outcome.Fail)
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
        self._runners = Runners(self._run)

    @property
    def tasks(self) -> "set[asyncio.Task[None]]":
        """The tasks that handlers run in."""
        return self._runners.tasks

    def start(self, jobs: Sequence[Job], ended: Callable[[], None]) -> None:
        """Begin to run claimed jobs; `ended` is called whenever one of their handlers has ended."""
        many = [Held(job, ended) for job in jobs]
        self._holdings.add(many)
        for held in many:
            self._runners.put(held)

    async def wait(self, seconds: float) -> None:
        """Wait until every handler has ended, at the longest for a time."""
        await self._runners.wait(seconds)

    async def _run(self, held: Held) -> None:
        try:
            ending = await self._reach_ending(held) if held.begin() else self._end_stopped(held)
        except asyncio.CancelledError as error:
            ending = self._end_cancelled(held, error)
        except Exception as fault:  # noqa: BLE001 - it ends the job, and is logged
            # A policy or an outcome that cannot work: without an ending the job would be held for ever.
            facts = {"job_id": held.job.id, "job_type": held.job.job_type}
            log.error("engine.handler.unjudged", **facts, **trace_of(fault))  # noqa: TRY400 - what it says may be payload
            ending = Failure(lease=held.lease, error=describe_error(fault), kind=FailureKind.PERMANENT)
        if held.is_over:
            # It was given up long ago; whatever it says now is too late.
            return
        self._conclude(held, ending)

    def give_up(self, held: Held) -> None:
        """Go on without a handler that does not stop: its job ends, its slot is free, its task is left behind."""
        if not held.is_over:
            log.warning("engine.handler.left_behind", job_id=held.job.id, job_type=held.job.job_type)
            self._conclude(held, self._end_stopped(held))

    def _conclude(self, held: Held, ending: Ending | None) -> None:
        held.end()
        held.ended()
        if ending is None:
            self._holdings.remove([held.lease])
        else:
            self._finishing.put(held, _with_cost(held, ending))

    async def _reach_ending(self, held: Held) -> Ending | None:
        task = self._app.tasks[held.job.job_type]
        desk = JobDesk(self._app, self._backend, held) if self._needs_desk(task) else None
        try:
            result = await self._call(task, held, desk)
        except WorkerDied:
            raise
        except PermitRefused as refused:
            result = outcome.wait_for_permit(refused)
        except BaseException as error:
            if desk is not None and desk.is_completed:
                log.warning("engine.handler.failed_after_completion", job_id=held.job.id, error=type(error).__name__)
                self._tell_completed(held)
                return None
            if isinstance(error, asyncio.CancelledError):
                raise
            is_fault = held.stop_reason is None and not held.is_handing_back
            return self._end_failed(held, task, error) if is_fault else self._end_stopped(held)
        if desk is not None and desk.is_completed:
            self._tell_completed(held)
            return None
        if isinstance(result, outcome.Snooze) and result.until is not None:
            return await self._end_snoozed_until(held, task, result, result.until)
        if result is None and held.is_handing_back:
            # Whether it has done its work or left it nobody can tell; run again, nothing is lost.
            return self._end_stopped(held)
        return self._end_returned(held, task, result)

    def _needs_desk(self, task: Task[Any, Any]) -> bool:
        """An async handler without a context, and nothing around it that might ask, is told nothing."""
        return task.arguments.wants_context or bool(self._app.middleware) or task.mode is not ASYNC

    def _call(self, task: Task[Any, Any], held: Held, desk: JobDesk | None) -> Awaitable[Any]:
        executor = self._executors[task.mode]
        arguments = task.arguments.read(held.job.input)
        if task.settings.timeout is not None:
            held.stop_after(task.settings.timeout.total_seconds(), self.give_up)
        if desk is None:
            return executor.call(task, None, arguments)
        facts = held.facts = executor.make_facts(held.job, desk)
        if not self._app.middleware:
            return executor.call(task, facts, arguments)
        return _call_through(self._app.middleware, facts, lambda: executor.call(task, facts, arguments))

    def _end_returned(self, held: Held, task: Task[Any, Any], result: Any) -> Ending:
        if isinstance(result, OUTCOMES):
            return self._end_as_told(held, task, result)
        try:
            return self._backend.completion(held.lease, to_plain(result, "output of job", of=held.job.id))
        except BadInput as error:
            return self._end_failed(held, task, error)

    def _end_as_told(self, held: Held, task: Task[Any, Any], told: outcome.Outcome) -> Ending:
        if isinstance(told, outcome.Snooze):
            return self._end_snoozed(held, task, told)
        if isinstance(told, outcome.Cancel):
            return Drop(lease=held.lease, reason=printable(str(told.reason), LONGEST_REASON))
        error = ErrorInfo(type="Fail", message=printable(str(told.reason), LONGEST_REASON))
        return Failure(lease=held.lease, error=error, kind=FailureKind.PERMANENT)

    def _end_snoozed(self, held: Held, task: Task[Any, Any], snooze: outcome.Snooze) -> Ending:
        try:
            check_span(snooze.delay, "delay of Snooze")
        except BadInput as error:
            return self._end_failed(held, task, error)
        held.reason = snooze.reason
        return Deferral(lease=held.lease, delay=snooze.delay)

    async def _end_snoozed_until(
        self, held: Held, task: Task[Any, Any], snooze: outcome.Snooze, until: datetime
    ) -> Ending:
        """Make a delay of the instant. The store tells how much is left: by its clock the instant was given."""
        try:
            check_span(snooze.delay, "delay of Snooze")
            check_instant(until, "until of Snooze")
            left = until - await self._backend.reader.now()
        except BadInput as error:
            return self._end_failed(held, task, error)
        except StoreError:
            # A job that only waits must not pay for it with an attempt.
            left = outcome.UNKNOWN_WAIT
        return self._end_snoozed(held, task, outcome.Snooze(max(snooze.delay, left), snooze.reason))

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


def _with_cost(held: Held, ending: Ending) -> Ending:
    cost = 0 if held.facts is None else held.facts.cost_microcents
    return replace(ending, cost_microcents=cost) if cost else ending


async def _call_through(middleware: Sequence[Middleware], facts: Facts, call: CallNext) -> Any:
    """Call the first one in, with the rest as what it may call next."""
    if not middleware:
        return await call()
    first, *rest = middleware
    under_way = first(facts, lambda: _call_through(rest, facts, call))
    if not isinstance(under_way, Awaitable):
        raise BadInput(f"middleware {name_middleware(first)} is not async. Write: async def (ctx, call_next).")
    return await under_way


def name_middleware(middleware: object) -> str:
    """Name a function, or the class of an object that can be called."""
    return getattr(middleware, "__qualname__", type(middleware).__qualname__)
