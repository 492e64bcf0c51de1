"""arq: a hundred jobs at once."""

import asyncio
import sys
from typing import Any

import uvloop
from arq import create_pool
from arq.connections import RedisSettings
from arq.worker import Worker
from telling import enqueue_async, on_each_line_async, tell, tell_wait


async def nothing(_context: Any, sent: float = 0.0) -> None:
    tell_wait(sent)


async def main(url: str, command: str, *rest: str) -> None:
    settings = RedisSettings.from_dsn(url)
    pool = await create_pool(settings)

    async def store(size: int) -> None:
        await asyncio.gather(*(pool.enqueue_job("nothing") for _ in range(size)))

    if command == "enqueue":
        await enqueue_async(int(rest[0]), 100, store)
    elif command == "enqueue-one":
        await on_each_line_async(lambda sent: pool.enqueue_job("nothing", sent))
    elif command == "work":
        tell(ready=True)
        await Worker([nothing], redis_settings=settings, max_jobs=100, poll_delay=0.01).async_run()
    await pool.aclose()


uvloop.run(main(*sys.argv[1:]))
