"""Many idle workers on one PostgreSQL: queries a second of each, and how soon a lone job is picked up.

python -m benchmarks.idle [--workers 100] [--processes 1] [--seconds 30]

With several processes the workers are spread over them, so that fewer share an event loop.
"""

import argparse
import asyncio
import statistics
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg

import dibs
from dibs.testing.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PICKUPS = 50
SETTLING_SECONDS = 15.0


def make_app(url: str) -> dibs.Dibs:
    """An app of its own for each worker: own pool, own listener, own heartbeats."""
    app = dibs.Dibs(url)

    @app.task("MARK")
    async def mark() -> None:
        # Monotonic time is the same for all processes of a machine.
        print(time.monotonic(), flush=True)

    return app


async def work(url: str, names: list[str]) -> None:
    """Run the workers of one process until nobody holds its standard input open."""
    apps = [make_app(url) for _ in names]
    crew = [app.make_worker(worker_id=name, concurrency=10) for name, app in zip(names, apps, strict=True)]
    running = [asyncio.create_task(worker.run()) for worker in crew]
    await asyncio.to_thread(sys.stdin.read)
    for worker in crew:
        worker.stop()
    await asyncio.gather(*running)
    for app in apps:
        await app.close()


@asynccontextmanager
async def crew_process(url: str, names: list[str], started: "asyncio.Queue[float]") -> "AsyncIterator[Process]":
    """Start a process with some workers; when they start a job, its time is put into `started`."""
    arguments = ("-m", "benchmarks.idle", "--url", url, "--crew", *names)
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdin=PIPE, stdout=PIPE)
    hearing = asyncio.create_task(_hear(process, started))
    try:
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()
        await hearing


async def _hear(process: Process, started: "asyncio.Queue[float]") -> None:
    if process.stdout is not None:
        async for line in process.stdout:
            started.put_nowait(float(line))


async def count_transactions(control: asyncpg.Connection) -> int:
    """Every query of an idle worker is a transaction of its own; the server counts them."""
    await control.execute("SELECT pg_stat_force_next_flush()")
    total: int = await control.fetchval("SELECT sum(xact_commit)::bigint FROM pg_stat_database")
    return total


async def measure(url: str, arguments: argparse.Namespace) -> None:
    """Start the workers, let them idle, then give them lone jobs."""
    started: asyncio.Queue[float] = asyncio.Queue()
    names = [f"idle-{number}" for number in range(arguments.workers)]
    app = make_app(url)
    await app.backend()
    control = await asyncpg.connect(url)
    async with AsyncExitStack() as stack:
        for first in range(min(arguments.processes, len(names))):
            await stack.enter_async_context(crew_process(url, names[first :: arguments.processes], started))
        await asyncio.sleep(SETTLING_SECONDS)
        before, begin = await count_transactions(control), time.monotonic()
        await asyncio.sleep(arguments.seconds)
        used = await count_transactions(control) - before
        rate = used / (time.monotonic() - begin) / len(names)
        waits = sorted([await time_pickup(app, started) for _ in range(PICKUPS)])
    print(f"{len(names)} idle workers in {arguments.processes} processes: {rate:.2f} queries a second each")
    print(f"a lone job is picked up after {statistics.median(waits):.1f} ms (p50), {waits[-2]:.1f} ms (p98)")
    await control.close()
    await app.close()


async def time_pickup(app: dibs.Dibs, started: "asyncio.Queue[float]") -> float:
    """Tell how long one job waits, in milliseconds."""
    begin = time.monotonic()
    await app.enqueue("MARK")
    wait = (await started.get() - begin) * 1000
    await asyncio.sleep(0.2)
    return wait


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--crew", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure; or, called by itself, be one of the processes."""
    arguments = read_arguments()
    if arguments.crew:
        asyncio.run(work(arguments.url, arguments.crew))
        return
    with PostgresServer(durable=True, settings={"max_connections": "1000"}) as server:
        asyncio.run(measure(server.url, arguments))


if __name__ == "__main__":
    main()
