"""SAQ on Redis or PostgreSQL: twenty-five coroutines, faster here than a hundred."""

import asyncio
import sys
from typing import Any

import uvloop
from saq import Queue, Worker
from telling import enqueue_async, on_each_line_async, tell, tell_wait


async def nothing(_context: Any, *, sent: float = 0.0) -> None:
    tell_wait(sent)


async def main(url: str, command: str, *rest: str) -> None:
    queue = Queue.from_url(url)
    await queue.connect()

    async def store(size: int) -> None:
        await asyncio.gather(*(queue.enqueue("nothing") for _ in range(size)))

    if command == "enqueue":
        await enqueue_async(int(rest[0]), 100, store)
    elif command == "enqueue-one":
        await on_each_line_async(lambda sent: queue.enqueue("nothing", sent=sent))
    elif command == "work":
        tell(ready=True)
        await Worker(queue, functions=[nothing], concurrency=25).start()
    await queue.disconnect()


uvloop.run(main(*sys.argv[1:]))
