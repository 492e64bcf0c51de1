"""Procrastinate: a hundred coroutines, batch defer."""

import asyncio
import sys
from typing import Any

import procrastinate
from telling import enqueue_async, on_each_line_async, tell, tell_wait


async def main(url: str, command: str, *rest: str) -> None:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="nothing")
    async def nothing(sent: float = 0.0) -> None:
        tell_wait(sent)

    async def store(size: int) -> Any:
        return await nothing.batch_defer_async(*([{}] * size))

    async with app.open_async():
        if command == "prepare":
            await app.schema_manager.apply_schema_async()
        elif command == "enqueue":
            await enqueue_async(int(rest[0]), 1_000, store)
        elif command == "enqueue-one":
            await on_each_line_async(lambda sent: nothing.defer_async(sent=sent))
        else:
            tell(ready=True)
            await app.run_worker_async(concurrency=100)


asyncio.run(main(*sys.argv[1:]))
