"""Oban for Python: uvloop, two hundred jobs at once, bulk enqueue."""

import asyncio
import sys
from typing import Any

import uvloop
from oban import Oban, worker
from oban.schema import install
from telling import enqueue_async, on_each_line_async, tell, tell_wait


@worker(queue="default")
class Nothing:
    async def process(self, job: Any) -> None:
        tell_wait(job.args.get("sent"))


async def work(pool: Any) -> None:
    async with Oban(pool=pool, queues={"default": 200}):
        tell(ready=True)
        await asyncio.Event().wait()


async def main(url: str, command: str, *rest: str) -> None:
    pool = await Oban.create_pool(url)
    oban = Oban(pool=pool)
    if command == "prepare":
        await install(pool)
    elif command == "enqueue":
        await enqueue_async(int(rest[0]), 1_000, lambda size: oban.enqueue_many(*(Nothing.new() for _ in range(size))))
    elif command == "enqueue-one":
        await on_each_line_async(lambda sent: oban.enqueue(Nothing.new({"sent": sent})))
    else:
        await work(pool)
    await pool.close()


uvloop.run(main(*sys.argv[1:]))
