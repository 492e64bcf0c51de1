"""PgQueuer, by its guide: uvloop, large batches, bulk enqueue."""

import json
import signal
import sys
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from telling import enqueue_async, on_each_line_async, tell, tell_wait


async def work(driver: AsyncpgDriver) -> None:
    queue = PgQueuer(driver)

    @queue.entrypoint("nothing")
    async def nothing(job: Any) -> None:
        tell_wait(json.loads(job.payload or b"{}").get("sent"))

    signal.signal(signal.SIGTERM, lambda *_: queue.shutdown.set())
    tell(ready=True)
    await queue.run(batch_size=1_000)


async def main(url: str, command: str, *rest: str) -> None:
    driver = AsyncpgDriver(await asyncpg.connect(url))
    queries = Queries(driver)

    async def store(size: int) -> None:
        await queries.enqueue(["nothing"] * size, [b"{}"] * size, [0] * size)

    if command == "prepare":
        await queries.install()
    elif command == "enqueue":
        await enqueue_async(int(rest[0]), 5_000, store)
    elif command == "enqueue-one":
        await on_each_line_async(lambda sent: queries.enqueue("nothing", json.dumps({"sent": sent}).encode()))
    else:
        await work(driver)


uvloop.run(main(*sys.argv[1:]))
