"""A transaction that stays open while a handler works in it, step by step, in the writer's thread.

SQLite has one writer: while a block is open nobody else writes, in this process or in another, so its time is limited.
The lock is taken at the first step. What waits meanwhile, heartbeats above all, is written in the very transaction that
ends the block: no other process can take a lease back in between.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from dibs.backends.sqlite.transactions.transaction import KEEP, SAVEPOINT, UNDO, Operation, Result, Transaction
from dibs.errors import StoreError

LONGEST = timedelta(seconds=10)
Step = tuple[Operation[Any], "asyncio.Future[Any]"]
Hold = Callable[["Block"], Any]


class BlockEnded(StoreError):
    """The block was rolled back, by its owner or because its time was up."""


class Block:
    """Both ends of a conversation between a handler and the writer."""

    def __init__(self, hold: Hold, *, longest: timedelta = LONGEST) -> None:
        self._hold = hold
        self._longest = longest.total_seconds()
        self._loop = asyncio.get_running_loop()
        self._steps: SimpleQueue[Step | bool] = SimpleQueue()
        self._held: asyncio.Task[Any] | None = None
        self._has_ended = False

    async def run(self, operation: Operation[Result]) -> Result:
        """Have a step done in the transaction, and wait for its answer."""
        if self._has_ended:
            message = "this transaction has ended, and so has its connection. Do it inside the block."
            raise BlockEnded(message)
        if self._held is None:
            self._held = asyncio.create_task(self._hold(self))
        answer: asyncio.Future[Result] = self._loop.create_future()
        self._steps.put((operation, answer))
        await asyncio.wait([answer, self._held], return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            # The writer has left the block: its time was up, or the file could not be locked.
            answer.cancel()
            await self._held
        return answer.result()

    async def commit(self) -> None:
        """Keep everything."""
        self._has_ended = True
        if self._held is not None:
            self._steps.put(True)
            await self._held

    async def roll_back(self) -> None:
        """Keep nothing."""
        self._has_ended = True
        if self._held is not None:
            self._steps.put(False)
            with suppress(StoreError):
                await self._held

    def serve(self, transaction: Transaction) -> None:
        """The writer's end: do steps until the block is ended; raising undoes them all."""
        ends_at = time.monotonic() + self._longest
        while (step := self._next_step(ends_at)) is not True:
            if step is False:
                message = "the block was rolled back by its owner."
                raise BlockEnded(message)
            self._do(*step, transaction)

    def _next_step(self, ends_at: float) -> Step | bool:
        try:
            return self._steps.get(timeout=max(0.0, ends_at - time.monotonic()))
        except Empty:
            message = (
                f"a transaction stayed open for more than {self._longest:g} s and was rolled back: SQLite has one"
                " writer, and everybody waits for it. Do slow work before the block."
            )
            raise BlockEnded(message) from None

    def _do(self, operation: Operation[Any], answer: "asyncio.Future[Any]", transaction: Transaction) -> None:
        transaction.cursor.execute(SAVEPOINT)
        try:
            result = operation(transaction)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer to this step
            transaction.cursor.execute(UNDO)
            self._answer(answer, partial(answer.set_exception, error))
        else:
            self._answer(answer, partial(answer.set_result, result))
        finally:
            transaction.cursor.execute(KEEP)

    def _answer(self, answer: "asyncio.Future[Any]", settle: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(lambda: None if answer.done() else settle())
