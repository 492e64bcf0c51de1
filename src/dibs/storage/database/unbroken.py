"""Calls of a driver that a cancellation does not break off.

SQLAlchemy throws away a connection whose call was cancelled, and one that was just being opened is lost. Many
cancellations emptied the pool of a SQLite file that way for half a minute. So a call is always waited for; the
cancellation is raised after it, and the transaction is rolled back in good order.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


async def unbroken(
    call: Coroutine[Any, Any, Answer], *, undo: Callable[[Answer], Awaitable[object]] | None = None
) -> Answer:
    """Wait for a call to its end. If we were cancelled meanwhile, `undo` what it gave, and raise the cancellation."""
    task = asyncio.create_task(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await _outlast(task)
        if undo is not None and not task.cancelled() and task.exception() is None:
            await _outlast(asyncio.ensure_future(undo(task.result())))
        raise


async def _outlast(task: "asyncio.Future[Any]") -> None:
    """Wait for it, however often we are cancelled."""
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            continue
    if not task.cancelled():
        # Seen, so that nobody complains that it was not.
        task.exception()
