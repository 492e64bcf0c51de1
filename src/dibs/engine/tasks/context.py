"""What a handler is told, and what it may ask for."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from dibs.engine.job import Job
from dibs.engine.tasks.task import Task
from dibs.engine.tasks.threaded_block import ThreadConnection, ThreadedBlock
from dibs.errors import BadInput, DibsError, LeaseLost
from dibs.kit.log import get_logger
from dibs.kit.money import to_microcents

Answer = TypeVar("Answer")


class Desk(Protocol):
    """What the worker does for a context. Every method may raise LeaseLost."""

    async def report_progress(self, value: Any) -> None: ...
    async def heartbeat(self) -> None: ...
    async def enqueue(self, task: "Task[Any, Any] | str", given: Any, options: dict[str, Any]) -> Job | None: ...
    async def audit(self, action: str, facts: dict[str, Any]) -> None: ...
    def transaction(self) -> Any: ...


class Facts:
    """What every handler is told, wherever it runs."""

    # Whether the handler's code can be stopped where it stands; else it can only be asked.
    can_be_interrupted = True

    def __init__(self, job: Job) -> None:
        self.job = job
        self.cost_microcents = 0
        self.was_heard = False
        self._is_asked = False
        self._is_cancelled = False

    @property
    def log(self) -> Any:
        """A logger that says which job speaks."""
        return get_logger("dibs.task").bind(job_id=self.job.id, job_type=self.job.job_type, attempt=self.attempt)

    @property
    def attempt(self) -> int:
        """Which execution this is, as `attempts` counts: 1 for the first."""
        return self.job.attempts + 1

    @property
    def token(self) -> int:
        """The fencing number of this execution: higher than that of any before."""
        return self.job.lease_token

    @property
    def is_cancelled(self) -> bool:
        """Whether this execution is unwanted: cancelled, reclaimed, timed out, gated, or its worker leaves."""
        is_unwanted = self._is_cancelled or self._is_asked
        self.was_heard = self.was_heard or is_unwanted
        return is_unwanted

    def add_cost(self, cents: Decimal | float) -> None:
        """Say that this execution has cost something. It is charged to the tenant, however the execution ends."""
        self.cost_microcents += to_microcents(cents)

    def ask(self) -> None:
        """Ask the handler to hand its job back; it may complete it instead."""
        self._is_asked = True

    def cancel(self) -> None:
        """Tell the handler."""
        self._is_cancelled = True

    def stop_if_cancelled(self) -> None:
        """Raise LeaseLost if this execution is not wanted any more."""
        if self.is_cancelled:
            message = f"job {self.job.id!r} is not ours any more; stop working on it."
            raise LeaseLost(message)


class Context(Facts):
    """The context of an async handler."""

    def __init__(self, job: Job, desk: Desk) -> None:
        super().__init__(job)
        self._desk = desk
        self.output: Any = None

    async def report_progress(self, value: Any) -> None:
        """Keep how far this job is."""
        await self._desk.report_progress(value)

    async def heartbeat(self) -> None:
        """Renew the lease now, and learn whether it still holds."""
        await self._desk.heartbeat()

    async def enqueue(self, task: "Task[Any, Any] | str", given: Any = None, **options: Any) -> Job | None:
        """Store a child of this job, for the same tenant unless told otherwise."""
        return await self._desk.enqueue(task, given, options)

    async def audit(self, action: str, **facts: Any) -> None:
        """Add an entry to the audit log, of this job and by its worker unless told otherwise.

        Facts: subject, reason, detail, actor, tenant. Inside `ctx.transaction()` it is there only if the block commits,
        elsewhere at once.
        """
        await self._desk.audit(action, facts)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Open a transaction that commits the handler's writes and the job's completion as one.

        Set `ctx.output` in the block to keep a result. If the lease was lost, nothing commits and LeaseLost is raised.
        """
        async with self._desk.transaction() as connection:
            yield connection


class SyncContext(Facts):
    """The context of a handler in a thread: the same, without await."""

    can_be_interrupted = False

    def __init__(self, job: Job, desk: Desk, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(job)
        self._desk = desk
        self._loop = loop
        self._block: ThreadedBlock | None = None
        self.output: Any = None

    def cancel(self) -> None:
        """Tell the handler, and undo the transaction that it has open."""
        super().cancel()
        if self._block is not None:
            self._block.stop(self.job.id)

    @contextmanager
    def transaction(self) -> Iterator[ThreadConnection]:
        """Open a transaction that commits the handler's writes and the job's completion as one.

        The connection waits for what others await: `connection.execute(…)`. Set `ctx.output` in the block to keep a
        result. If the lease was lost, nothing commits and LeaseLost is raised.
        """
        # One that is only asked to hand back may complete its job.
        if self._is_cancelled:
            self.stop_if_cancelled()
        self._refuse_on_loop()
        # Known before it is open: a handler that is told to stop meanwhile loses it as well.
        before, block = self._block, ThreadedBlock(self._loop)
        self._block = block
        try:
            yield block.open(self._desk.transaction())
        except BaseException as error:
            self._block = before
            block.roll_back(error)
            raise
        self._block = before
        block.commit()

    def report_progress(self, value: Any) -> None:
        """Keep how far this job is."""
        self._wait_for(self._desk.report_progress(value))

    def heartbeat(self) -> None:
        """Renew the lease now, and learn whether it still holds."""
        self._wait_for(self._desk.heartbeat())

    def enqueue(self, task: "Task[Any, Any] | str", given: Any = None, **options: Any) -> Job | None:
        """Store a child of this job."""
        return self._wait_for(self._desk.enqueue(task, given, options))

    def audit(self, action: str, **facts: Any) -> None:
        """Add an entry to the audit log, at once."""
        self._wait_for(self._desk.audit(action, facts))

    def _wait_for(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        try:
            self.stop_if_cancelled()
            self._refuse_on_loop()
        except DibsError:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _refuse_on_loop(self) -> None:
        # Middleware runs on the event loop: waiting there for the loop itself would never end.
        with suppress(RuntimeError):
            if asyncio.get_running_loop() is self._loop:
                message = "the context of a plain handler cannot be asked from async code. Ask in the handler itself."
                raise BadInput(message)
