"""The tasks that handlers run in."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import copy_context
from types import coroutine
from typing import Any, Generic, TypeVar, cast

Work = TypeVar("Work")
# Handlers that never wait would keep everything else on the event loop waiting.
LONGEST_TURN_SECONDS = 0.005


class Runners(Generic[Work]):
    """Runs pieces of work side by side; a task of its own is spent only on those that wait for something.

    Whoever takes a piece has somebody else stand by for the next one. If the work comes to its end without waiting,
    the same task takes the next piece; if it waits, the task is its own from then on, to be cancelled without harm to
    others, and the one that stood by goes on with the rest.
    """

    def __init__(self, run: Callable[[Work], Coroutine[Any, Any, None]]) -> None:
        self._run = run
        self._waiting: deque[Work] = deque()
        self._has_stand_by = False
        self.tasks: set[asyncio.Task[None]] = set()

    def put(self, work: Work) -> None:
        """Have a piece of work done, beginning with one of the next turns of the event loop."""
        self._waiting.append(work)
        if not self._has_stand_by:
            self._call_stand_by()

    async def wait(self, seconds: float) -> None:
        """Wait until all work is done, at the longest for a time."""
        ends_at = time.monotonic() + seconds
        while self.tasks and (left := ends_at - time.monotonic()) > 0:
            await asyncio.wait(self.tasks, timeout=left)

    def _call_stand_by(self) -> None:
        self._has_stand_by = True
        task = asyncio.create_task(self._work())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _work(self) -> None:
        self._has_stand_by = False
        task = cast("asyncio.Task[None]", asyncio.current_task())
        turn_ends_at = time.monotonic() + LONGEST_TURN_SECONDS
        while self._waiting:
            work = self._waiting.popleft()
            # Always: whatever ends this task, a fault or the end of its turn, somebody goes on.
            if self._waiting and not self._has_stand_by:
                self._call_stand_by()
            has_waited = await _has_waited(self._run(work))
            # A task that was told to stop, and has not noticed, would notice in the next piece.
            if has_waited or task.cancelling() or time.monotonic() > turn_ends_at:
                return


@coroutine
def _has_waited(work: Coroutine[Any, Any, None]) -> Generator[Any, Any, bool]:
    """Do a piece of work among context variables of its own, as in a task of its own; tell whether it had to wait."""
    context = copy_context()
    step: Callable[[Any], Any] = work.send
    given: Any = None
    has_waited = False
    while True:
        try:
            awaited = context.run(step, given)
        except StopIteration:
            return has_waited
        has_waited = True
        try:
            given = yield awaited
            step = work.send
        except BaseException as error:  # noqa: BLE001 - passed on as it is
            step, given = work.throw, error
