"""Handlers in threads, for code that blocks."""

import asyncio
import ctypes
import queue
import threading
from typing import Any

from dibs.engine.job import Job
from dibs.engine.tasks.context import Desk, SyncContext
from dibs.engine.tasks.task import Task
from dibs.errors import LeaseLost

Call = tuple[Task[Any, Any], SyncContext, dict[str, Any], "asyncio.Future[Any]", asyncio.AbstractEventLoop]


class ThreadExecutor:
    """As many threads as jobs run at once. A thread whose handler does not stop in time is left behind and replaced."""

    def __init__(self) -> None:
        self._idle: list[HandlerThread] = []

    async def start(self) -> None:
        """Threads start when they are needed."""

    async def stop(self) -> None:
        """Let the idle ones end."""
        for thread in self._idle:
            thread.leave()
        self._idle.clear()

    def make_facts(self, job: Job, desk: Desk) -> SyncContext:
        """Make the context of a plain function."""
        return SyncContext(job, desk, asyncio.get_running_loop())

    async def call(self, task: Task[Any, Any], facts: SyncContext, arguments: dict[str, Any]) -> Any:
        """Run the handler in a thread and wait for it."""
        thread = self._idle.pop() if self._idle else HandlerThread()
        answer = thread.run(task, facts, arguments)
        try:
            result = await answer
        except asyncio.CancelledError:
            thread.interrupt()
            raise
        except BaseException:
            self._idle.append(thread)
            raise
        self._idle.append(thread)
        return result


class HandlerThread:
    """One thread that runs one handler after another. It never keeps the process from ending."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="dibs-handler", daemon=True)
        self._thread.start()

    def run(self, task: Task[Any, Any], facts: SyncContext, arguments: dict[str, Any]) -> "asyncio.Future[Any]":
        """Have a handler run."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self._calls.put((task, facts, arguments, answer, loop))
        return answer

    def leave(self) -> None:
        """End when the present call has ended."""
        self._calls.put(None)

    def interrupt(self) -> None:
        """Raise LeaseLost in the handler at its next step, and end the thread after it.

        Code that waits in C cannot be interrupted; its thread ends when it comes back.
        """
        self.leave()
        if self._thread.ident is not None and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(LeaseLost))

    def _serve(self) -> None:
        try:
            while (call := self._calls.get()) is not None:
                _run_call(*call)
        except LeaseLost:
            # The interruption came after the handler had ended.
            return


def _run_call(
    task: Task[Any, Any],
    facts: SyncContext,
    arguments: dict[str, Any],
    answer: "asyncio.Future[Any]",
    loop: asyncio.AbstractEventLoop,
) -> None:
    try:
        result = task.handler(facts, **arguments) if task.arguments.wants_context else task.handler(**arguments)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the worker decides what it means
        _hand_over(loop, answer, error=error)
    else:
        _hand_over(loop, answer, result=result)


def _hand_over(
    loop: asyncio.AbstractEventLoop,
    answer: "asyncio.Future[Any]",
    *,
    result: Any = None,
    error: BaseException | None = None,
) -> None:
    def settle() -> None:
        if answer.done():
            return
        if isinstance(error, StopIteration):
            # A future cannot carry it.
            answer.set_exception(RuntimeError("the handler raised StopIteration"))
        elif error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)

    # The loop may be closed when a handler that was left behind comes back.
    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)
