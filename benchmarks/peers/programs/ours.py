"""Dibs itself, with its default settings but for the slots."""

import asyncio
import json
import signal
import sys
import time
from typing import Any

import dibs

BATCH = 5_000


def make_app(url: str) -> dibs.Dibs:
    app = dibs.Dibs(url)

    @app.task("NOTHING")
    async def nothing(sent: float = 0.0) -> None:
        if sent:
            tell(waited=time.time() - sent)

    return app


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


async def enqueue(app: dibs.Dibs, jobs: int) -> None:
    await app.backend()
    begin = time.perf_counter()
    for first in range(0, jobs, BATCH):
        await app.enqueue_many("NOTHING", [{}] * min(BATCH, jobs - first))
    tell(seconds=time.perf_counter() - begin)


async def enqueue_one(app: dibs.Dibs) -> None:
    await app.backend()
    tell(ready=True)
    while await asyncio.to_thread(sys.stdin.readline):
        await app.enqueue("NOTHING", {"sent": time.time()})


async def work(app: dibs.Dibs) -> None:
    worker = app.make_worker(concurrency=1_000)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop)
    asyncio.get_running_loop().call_later(1.0, lambda: tell(ready=True))
    await worker.run()


async def main(url: str, command: str, *rest: str) -> None:
    async with make_app(url) as app:
        if command == "prepare":
            await app.backend()
        elif command == "enqueue":
            await enqueue(app, int(rest[0]))
        elif command == "enqueue-one":
            await enqueue_one(app)
        else:
            await work(app)


asyncio.run(main(*sys.argv[1:]))
