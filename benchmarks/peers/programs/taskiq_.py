"""taskiq on Redis: streams, which are acknowledged, results recorded, uvloop."""

import asyncio
import sys

import uvloop
from taskiq.api import run_receiver_task
from taskiq_redis import RedisAsyncResultBackend, RedisStreamBroker
from telling import enqueue_async, on_each_line_async, tell, tell_wait


async def main(url: str, command: str, *rest: str) -> None:
    broker = RedisStreamBroker(url).with_result_backend(RedisAsyncResultBackend(url))

    @broker.task(task_name="nothing")
    async def nothing(sent: float = 0.0) -> None:
        tell_wait(sent)

    async def store(size: int) -> None:
        await asyncio.gather(*(nothing.kiq() for _ in range(size)))

    broker.is_worker_process = command == "work"
    await broker.startup()
    if command == "enqueue":
        await enqueue_async(int(rest[0]), 100, store)
    elif command == "enqueue-one":
        await on_each_line_async(nothing.kiq)
    elif command == "work":
        tell(ready=True)
        await run_receiver_task(broker, max_async_tasks=100, max_prefetch=100, validate_params=False)
    await broker.shutdown()


uvloop.run(main(*sys.argv[1:]))
