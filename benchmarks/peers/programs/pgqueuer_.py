"""PgQueuer, by its guide: uvloop, large batches, bulk enqueue."""

import json
import signal
import sys
import time
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

BATCH = 5_000


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


async def enqueue(queries: Queries, jobs: int) -> None:
    begin = time.perf_counter()
    for first in range(0, jobs, BATCH):
        size = min(BATCH, jobs - first)
        await queries.enqueue(["nothing"] * size, [b"{}"] * size, [0] * size)
    tell(seconds=time.perf_counter() - begin)


async def enqueue_one(queries: Queries) -> None:
    tell(ready=True)
    while sys.stdin.readline():
        await queries.enqueue("nothing", json.dumps({"sent": time.time()}).encode())


async def work(driver: AsyncpgDriver) -> None:
    queue = PgQueuer(driver)

    @queue.entrypoint("nothing")
    async def nothing(job: Any) -> None:
        sent = json.loads(job.payload or b"{}").get("sent")
        if sent:
            tell(waited=time.time() - sent)

    signal.signal(signal.SIGTERM, lambda *_: queue.shutdown.set())
    tell(ready=True)
    await queue.run(batch_size=1_000)


async def main(url: str, command: str, *rest: str) -> None:
    driver = AsyncpgDriver(await asyncpg.connect(url))
    queries = Queries(driver)
    if command == "prepare":
        await queries.install()
    elif command == "enqueue":
        await enqueue(queries, int(rest[0]))
    elif command == "enqueue-one":
        await enqueue_one(queries)
    else:
        await work(driver)


uvloop.run(main(*sys.argv[1:]))
