"""Making a worker fail at a chosen moment.

Faults sit at the border between a worker and its store. Everything above that border is the engine's own code,
everything below it is the real backend: a death is a write that was never sent, or an answer that never came.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from copy import copy
from datetime import timedelta
from enum import Enum, StrEnum, auto
from typing import Any, Protocol, TypeVar, cast

from dibs.engine.executors.executor import WorkerDied
from dibs.engine.job import Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Completion, Deferral, Drop, Failure, Progress
from dibs.engine.store.protocols import JobStore, Transactions
from dibs.errors import BadInput

Answer = TypeVar("Answer")


class Moment(StrEnum):
    """When a worker fails, seen from the handler.

    `before`: it has the job and has not called the handler. `during`: at the handler's first use of its context that
    reaches the store (progress, heartbeat, transaction). `after_effect`: the handler has done its work, and nothing
    of it is recorded. `after_completion`: it is recorded, but the worker does not live to learn it.
    """

    BEFORE = "before"
    DURING = "during"
    AFTER_EFFECT = "after_effect"
    AFTER_COMPLETION = "after_completion"


class Point(Enum):
    """A place at the border where a fault may strike."""

    CALL = auto()
    BEGIN = auto()
    COMMIT = auto()
    END = auto()
    ENDED = auto()


DEATHS = {
    Moment.DURING: frozenset({Point.CALL, Point.BEGIN}),
    Moment.AFTER_EFFECT: frozenset({Point.END, Point.COMMIT}),
    Moment.AFTER_COMPLETION: frozenset({Point.ENDED}),
}
# Nobody can overtake a worker inside its transaction where one transaction at a time may write, as on SQLite.
TAKEOVERS = {
    Moment.DURING: frozenset({Point.CALL, Point.BEGIN}),
    Moment.AFTER_EFFECT: frozenset({Point.END, Point.BEGIN}),
}


class Fault(Protocol):
    """What goes wrong, and where."""

    has_struck: bool

    async def reach(self, point: Point) -> None:
        """Strike, if this is the place."""


class Death:
    """The worker dies at the first of some points, and stays dead."""

    def __init__(self, points: frozenset[Point]) -> None:
        self._points = points
        self.has_struck = False

    async def reach(self, point: Point) -> None:
        """Die here, or be dead already."""
        if self.has_struck or point in self._points:
            self.has_struck = True
            raise WorkerDied


class Takeover:
    """The worker stalls at the first of some points until somebody else has done its job."""

    def __init__(self, points: frozenset[Point], overtake: Callable[[], Awaitable[object]]) -> None:
        self._points = points
        self._overtake = overtake
        self.has_struck = False

    async def reach(self, point: Point) -> None:
        """Stall here, once."""
        if not self.has_struck and point in self._points:
            self.has_struck = True
            await self._overtake()


class FaultyJobs:
    """The moves of jobs, for a worker that has a fault."""

    def __init__(self, jobs: JobStore, fault: Fault) -> None:
        self._jobs = jobs
        self._fault = fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Renew, unless the fault strikes."""
        await self._fault.reach(Point.CALL)
        return await self._jobs.heartbeat(leases, duration)

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep progress, unless the fault strikes."""
        await self._fault.reach(Point.CALL)
        return await self._jobs.report_progress(reports)

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Complete, alone or within the handler's own transaction."""
        if connection is None:
            return await self._end(lambda: self._jobs.complete(completions))
        await self._fault.reach(Point.COMMIT)
        return await self._jobs.complete(completions, connection=connection)

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Record failures."""
        return await self._end(lambda: self._jobs.fail(failures))

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Give jobs back."""
        return await self._end(lambda: self._jobs.snooze(snoozes))

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Cancel as the holder."""
        return await self._end(lambda: self._jobs.drop(drops))

    async def _end(self, write: Callable[[], Awaitable[Answer]]) -> Answer:
        await self._fault.reach(Point.END)
        answer = await write()
        await self._fault.reach(Point.ENDED)
        return answer


class FaultyTransactions:
    """The transactions of handlers, for a worker that has a fault."""

    def __init__(self, transactions: Transactions, fault: Fault) -> None:
        self._transactions = transactions
        self._fault = fault

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Any]:
        """Open one; a death inside rolls it back, as the end of a process would."""
        await self._fault.reach(Point.BEGIN)
        async with self._transactions.begin() as connection:
            yield connection
        await self._fault.reach(Point.ENDED)


def with_fault(backend: Backend, fault: Fault) -> Backend:
    """Give a handle on the same store that has a fault."""
    faulty = copy(backend)
    faulty.jobs = cast("JobStore", FaultyJobs(backend.jobs, fault))
    if backend.transactions is not None:
        faulty.transactions = FaultyTransactions(backend.transactions, fault)
    return faulty


def read_moment(when: str, allowed: Sequence[Moment] = tuple(Moment)) -> Moment:
    """Read the name of a moment."""
    if when in allowed:
        return Moment(when)
    message = f"when={str(when)!r} is no moment for this. Use one of: {', '.join(allowed)}."
    raise BadInput(message)
