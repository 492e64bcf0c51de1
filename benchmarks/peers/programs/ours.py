"""Dibs itself, with its default settings but for the slots."""

import asyncio
import signal
import sys

from telling import enqueue_async, on_each_line_async, tell, tell_wait

import dibs


def make_app(url: str) -> dibs.Dibs:
    app = dibs.Dibs(url)

    @app.task("NOTHING")
    async def nothing(sent: float = 0.0) -> None:
        tell_wait(sent)

    return app


async def work(app: dibs.Dibs) -> None:
    worker = app.make_worker(concurrency=1_000)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, worker.stop)
    tell(ready=True)
    await worker.run()


async def main(url: str, command: str, *rest: str) -> None:
    async with make_app(url) as app:
        await app.backend()
        if command == "enqueue":
            await enqueue_async(int(rest[0]), 5_000, lambda size: app.enqueue_many("NOTHING", [{}] * size))
        elif command == "enqueue-one":
            await on_each_line_async(lambda sent: app.enqueue("NOTHING", {"sent": sent}))
        elif command == "work":
            await work(app)


asyncio.run(main(*sys.argv[1:]))
