"""Many idle workers on one PostgreSQL: queries a second of each, and how soon a lone job is picked up.

python -m benchmarks.idle [--workers 100] [--seconds 30]
"""

import argparse
import asyncio
import statistics
import time

import asyncpg

import dibs
from dibs.testing.servers import PostgresServer

PICKUPS = 50


async def count_transactions(control: asyncpg.Connection) -> int:
    """Every query of an idle worker is a transaction of its own; the server counts them."""
    await control.execute("SELECT pg_stat_force_next_flush()")
    total: int = await control.fetchval("SELECT sum(xact_commit)::bigint FROM pg_stat_database")
    return total


def make_app(url: str, started: "asyncio.Queue[float]") -> dibs.Dibs:
    """An app of its own for each worker: own pool, own listener, own heartbeats."""
    app = dibs.Dibs(url)

    @app.task("MARK")
    async def mark() -> None:
        started.put_nowait(time.perf_counter())

    return app


async def measure(url: str, workers: int, seconds: float) -> None:
    """Start the workers, let them idle, then give them lone jobs."""
    started: asyncio.Queue[float] = asyncio.Queue()
    apps = [make_app(url, started) for _ in range(workers)]
    crew = [app.make_worker(worker_id=f"idle-{number}", concurrency=10) for number, app in enumerate(apps)]
    running = [asyncio.create_task(worker.run()) for worker in crew]
    await asyncio.sleep(15)
    control = await asyncpg.connect(url)
    before, begin = await count_transactions(control), time.perf_counter()
    await asyncio.sleep(seconds)
    used = await count_transactions(control) - before
    rate = used / (time.perf_counter() - begin) / workers
    waits = [await time_pickup(apps[0], started) for _ in range(PICKUPS)]
    waits.sort()
    print(f"{workers} idle workers: {rate:.2f} queries a second each")
    print(f"a lone job is picked up after {statistics.median(waits):.1f} ms (p50), {waits[-2]:.1f} ms (p98)")
    for worker in crew:
        worker.stop()
    await asyncio.gather(*running)
    for app in apps:
        await app.close()
    await control.close()


async def time_pickup(app: dibs.Dibs, started: "asyncio.Queue[float]") -> float:
    """Tell how long one job waits, in milliseconds."""
    begin = time.perf_counter()
    await app.enqueue("MARK")
    wait = (await started.get() - begin) * 1000
    await asyncio.sleep(0.2)
    return wait


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30)
    arguments = parser.parse_args()
    with PostgresServer(durable=True, settings={"max_connections": "1000"}) as server:
        asyncio.run(measure(server.url, arguments.workers, arguments.seconds))


if __name__ == "__main__":
    main()
