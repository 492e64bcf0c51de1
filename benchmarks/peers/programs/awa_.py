"""awa: two hundred coroutines, COPY for storing."""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

from awa import AsyncClient
from telling import enqueue_async, on_each_line_async, tell, tell_wait


@dataclass
class Nothing:
    sent: float = 0.0


async def main(url: str, command: str, *rest: str) -> None:
    client = AsyncClient(url)

    async def store(size: int) -> Any:
        return await client.enqueue_many_copy([Nothing()] * size, queue="default")

    if command == "prepare":
        await client.migrate()
        await client.install_queue_storage()
    elif command == "enqueue":
        await enqueue_async(int(rest[0]), 5_000, store)
    elif command == "enqueue-one":
        await on_each_line_async(lambda sent: client.insert(Nothing(sent), queue="default"))
    else:

        @client.task(Nothing, queue="default")
        async def nothing(job: Any) -> None:
            tell_wait(job.args.sent)

        await client.start([("default", 200)], poll_interval_ms=20)
        tell(ready=True)
        await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
