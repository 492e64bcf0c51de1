"""A transaction of a handler in a thread: the worker's event loop holds it open, and takes its steps one by one."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from dibs.errors import BadInput, LeaseLost

# What a connection may be asked in a thread: whatever is answered with plain values.
OFFERED = ("execute", "executemany", "fetch", "fetchrow", "fetchval")
Work = Callable[[], Awaitable[Any]]
Step = tuple[Work, "Future[Any]"]


class Undone(Exception):
    """The handler has left its block with something that is no error, and must not be raised on the event loop."""


class ThreadedBlock:
    """Both ends of a conversation between a handler's thread and the event loop.

    One task of the loop enters and leaves the transaction. A handler that is told to stop loses it at once: a thread
    that does not listen must not keep locks.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._steps: asyncio.Queue[Step | Exception | None] = asyncio.Queue()
        self._opened: Future[Any] = Future()
        self._is_begun = False
        self._held: Future[None] = Future()

    def open(self, transaction: AbstractAsyncContextManager[Any]) -> "ThreadConnection":
        """Wait until the transaction is open."""
        self._held = asyncio.run_coroutine_threadsafe(self._hold(transaction), self._loop)
        self._is_begun = True
        return ThreadConnection(self, self._wait_for(self._opened))

    def run(self, work: Work) -> Any:
        """Have a step done in the transaction, and wait for its answer."""
        answer: Future[Any] = Future()
        self._put((work, answer))
        return self._wait_for(answer)

    def commit(self) -> None:
        """Keep everything, and complete the job."""
        self._put(None)
        self._held.result()

    def roll_back(self, error: BaseException) -> None:
        """Keep nothing. The store may have a word for the handler's error: that its connection broke."""
        given = error if isinstance(error, Exception) else Undone()
        self._put(given)
        if self._is_begun:
            with suppress(CancelledError, LeaseLost, type(given)):
                self._held.result()

    def stop(self, job_id: str) -> None:
        """Undo it, whatever the thread does; any thread may say so."""
        self._put(
            LeaseLost(f"job {job_id!r} is not ours any more, and its transaction was undone; stop working on it.")
        )

    def _put(self, step: Step | Exception | None) -> None:
        # A loop that is closed has cancelled the task, and with it the transaction.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._steps.put_nowait, step)

    def _wait_for(self, answer: "Future[Any]") -> Any:
        wait([answer, self._held], return_when=FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            self._held.result()
            message = "this transaction has ended, and so has its connection. Do it inside the block."
            raise BadInput(message)
        return answer.result()

    async def _hold(self, transaction: AbstractAsyncContextManager[Any]) -> None:
        async with transaction as connection:
            self._opened.set_result(connection)
            while (step := await self._steps.get()) is not None:
                if isinstance(step, Exception):
                    raise step
                await _take(*step)


class ThreadConnection:
    """The connection that a plain handler gets: what others await, it waits for."""

    def __init__(self, block: ThreadedBlock, connection: Any) -> None:
        self._block = block
        self._connection = connection

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in OFFERED or not hasattr(self._connection, name):
            offered = ", ".join(one for one in OFFERED if hasattr(self._connection, one))
            message = (
                f"a connection in a plain handler has no {name!r}. It has: {offered}. Async handlers get all of it."
            )
            raise AttributeError(message)
        method = getattr(self._connection, name)
        return lambda *given, **named: self._block.run(lambda: method(*given, **named))


async def _take(work: Work, answer: "Future[Any]") -> None:
    try:
        answer.set_result(await work())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer to this step
        answer.set_exception(error)
