"""What the programs say to whoever measures them; plain Python, for it runs in everybody's environment."""

import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any


def tell(**facts: Any) -> None:
    """Say something, as a line of JSON."""
    print(json.dumps(facts), flush=True)


def tell_wait(sent: float | None) -> None:
    """Say how long a job has waited, if it knows when it was sent."""
    if sent:
        tell(waited=time.time() - sent)


def pieces(jobs: int, size: int) -> Iterator[int]:
    """Cut a number of jobs into batches."""
    for first in range(0, jobs, size):
        yield min(size, jobs - first)


def enqueue(jobs: int, size: int, store: Callable[[int], None]) -> None:
    """Store jobs in batches, and say how long it took."""
    begin = time.perf_counter()
    for count in pieces(jobs, size):
        store(count)
    tell(seconds=time.perf_counter() - begin)


async def enqueue_async(jobs: int, size: int, store: Callable[[int], Awaitable[Any]]) -> None:
    """Store jobs in batches, and say how long it took."""
    begin = time.perf_counter()
    for count in pieces(jobs, size):
        await store(count)
    tell(seconds=time.perf_counter() - begin)


def on_each_line(send: Callable[[float], Any]) -> None:
    """Send a job with the time of day for each line that comes."""
    tell(ready=True)
    while sys.stdin.readline():
        send(time.time())


async def on_each_line_async(send: Callable[[float], Awaitable[Any]]) -> None:
    """Send a job with the time of day for each line that comes; there is nothing else on this event loop."""
    tell(ready=True)
    while sys.stdin.readline():
        await send(time.time())
