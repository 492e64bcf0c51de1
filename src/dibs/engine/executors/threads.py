"""Handlers in threads, for code that blocks."""

import asyncio
import ctypes
import queue
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from dibs.engine import events
from dibs.engine.events import Events
from dibs.engine.job import Job
from dibs.engine.tasks.context import Desk, SyncContext
from dibs.engine.tasks.task import Task
from dibs.errors import LeaseLost

# A result, or an error.
Answer = tuple[Any, BaseException | None]
Call = tuple[Task[Any, Any], SyncContext, dict[str, Any], "asyncio.Future[Answer]", asyncio.AbstractEventLoop]


# How long a handler that was told to stop may take before its thread counts as left behind.
LINGER = 1.0


class LeftThreads:
    """Threads whose handlers were told to stop and go on. They cannot be ended; they can be counted, and limited."""

    def __init__(self, most: int = sys.maxsize) -> None:
        self.most = most
        self._since: dict[HandlerThread, float] = {}

    def add(self, thread: "HandlerThread") -> None:
        """Count one, for as long as it lives; call this on the worker's event loop only."""
        self._since = {one: since for one, since in self._since.items() if one.is_alive}
        self._since[thread] = time.monotonic()

    def count(self, *, linger: float | None = None) -> int:
        """How many are alive, some time after they were told to stop; any thread may ask."""
        limit = time.monotonic() - (LINGER if linger is None else linger)
        return sum(since <= limit and one.is_alive for one, since in list(self._since.items()))

    def find_obstacle(self) -> str:
        """Say why no more handlers should be started in threads; nothing if they may."""
        # Most heed the word within a moment. If very many have just got it, wait and see.
        if self.count() < self.most and self.count(linger=0) < 2 * self.most:
            return ""
        return (
            f"{self.count(linger=0)} threads are left behind by handlers that do not stop when told; the limit is"
            f" {self.most}. Restart this worker, and give what those handlers wait for a timeout of its own."
        )


class ThreadExecutor:
    """As many threads as jobs run at once. A thread whose handler does not stop in time is left behind and replaced."""

    def __init__(self, left: LeftThreads | None = None, tell: Events | None = None) -> None:
        self._idle: list[HandlerThread] = []
        self._left = LeftThreads() if left is None else left
        self._tell = Events() if tell is None else tell

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
            result, error = await answer
        except asyncio.CancelledError:
            thread.interrupt()
            self._left.add(thread)
            asyncio.get_running_loop().call_later(LINGER, self._tell_if_left, thread, facts.job)
            raise
        self._idle.append(thread)
        if error is not None:
            raise error
        return result

    def _tell_if_left(self, thread: "HandlerThread", job: Job) -> None:
        if thread.is_alive:
            facts = {"job_id": job.id, "job_type": job.job_type, "queue": job.queue}
            self._tell.emit(events.THREAD_LEFT, **facts, left=self._left.count(), most=self._left.most)


class HandlerThread:
    """One thread that runs one handler after another. It never keeps the process from ending."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="dibs-handler", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()

    def run(self, task: Task[Any, Any], facts: SyncContext, arguments: dict[str, Any]) -> "asyncio.Future[Answer]":
        """Have a handler run."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
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
    answer: "asyncio.Future[Answer]",
    loop: asyncio.AbstractEventLoop,
) -> None:
    try:
        result = task.handler(facts, **arguments) if task.arguments.wants_context else task.handler(**arguments)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the worker decides what it means
        _hand_over(loop, answer, (None, error))
    else:
        _hand_over(loop, answer, (result, None))


def _hand_over(loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[Answer]", said: Answer) -> None:
    def settle() -> None:
        if not answer.done():
            # As a value: an error that a future carries is thrown into those who await it, and of some kinds
            # (GeneratorExit, StopIteration) nothing comes out at the other end.
            answer.set_result(said)

    # The loop may be closed when a handler that was left behind comes back.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(settle)
