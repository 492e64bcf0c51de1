"""Empty jobs drained by one worker, durable completions counted; idle memory; how soon a lone job is picked up.

python -m benchmarks.drain [--backend sqlite …] [--jobs 20000] [--rounds 3]
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import dibs
from benchmarks.micro import BACKENDS, open_store

BATCH = 5_000
PICKUPS = 100


def make_app(url: str) -> dibs.Dibs:
    """An app with one task that does nothing."""
    app = dibs.Dibs(url)

    @app.task("NOTHING")
    async def nothing(n: int) -> None:
        return None

    return app


async def drain(app: dibs.Dibs, jobs: int, concurrency: int) -> float:
    """Give the jobs a second of one worker, from its start to the last recorded success."""
    for first in range(0, jobs, BATCH):
        await app.enqueue_many("NOTHING", [{"n": n} for n in range(first, min(first + BATCH, jobs))])
    begin = time.perf_counter()
    await app.make_worker(concurrency=concurrency, until_drained=True).run()
    seconds = time.perf_counter() - begin
    counts = await (await app.backend()).reader.count_jobs(dibs.JobFilter())
    assert counts[dibs.State.SUCCEEDED] >= jobs, counts
    return jobs / seconds


async def time_pickups(app: dibs.Dibs) -> list[float]:
    """Tell how long a lone job waits for an idle worker, in milliseconds."""
    started: asyncio.Queue[float] = asyncio.Queue()

    @app.task("MARK")
    async def mark() -> None:
        started.put_nowait(time.perf_counter())

    worker = app.make_worker(concurrency=10)
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0.5)
    waits = []
    for _ in range(PICKUPS):
        begin = time.perf_counter()
        await app.enqueue("MARK")
        waits.append((await started.get() - begin) * 1000)
        await asyncio.sleep(0.01)
    worker.stop()
    await running
    return waits


IDLE = """
import asyncio, sys
import dibs
app = dibs.Dibs(sys.argv[1])
@app.task("NOTHING")
async def nothing(n: int) -> None: ...
asyncio.run(app.run_worker())
"""


def read_idle_memory(url: str) -> float:
    """Tell the resident memory of an idle worker process, in MiB; Linux only."""
    process = subprocess.Popen([sys.executable, "-c", IDLE, url], env={**os.environ, "WORKER_ID": "idle"})
    try:
        time.sleep(3)
        status = Path(f"/proc/{process.pid}/status")
        return int(status.read_text().split("VmRSS:")[1].split()[0]) / 1024 if status.exists() else float("nan")
    finally:
        process.terminate()
        process.wait()


async def measure(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure one backend."""
    rates, waits = [], []
    for _ in range(arguments.rounds):
        async with open_store(name) as url, make_app(url) as app:
            rates.append(await drain(app, arguments.jobs, arguments.concurrency))
            waits += await time_pickups(app)
            memory = float("nan") if name == "memory" else await asyncio.to_thread(read_idle_memory, url)
    return {"rates": rates, "waits": sorted(waits), "memory": memory}


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


async def main() -> None:
    """Measure what was asked for, and print one table."""
    arguments = read_arguments()
    console = Console()
    headings = ("backend", "drain jobs/s", "spread", "pick-up p50 ms", "p99 ms", "idle MiB")
    table = Table(*headings, title="One worker, empty jobs")
    for name in arguments.backend:
        with console.status(name):
            found = await measure(name, arguments)
        rates, waits = found["rates"], found["waits"]
        spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
        p50, p99 = statistics.median(waits), waits[int(len(waits) * 0.99)]
        row = (f"{statistics.median(rates):,.0f}", spread, f"{p50:.1f}", f"{p99:.1f}", f"{found['memory']:.0f}")
        table.add_row(name, *row)
    console.print(table)


if __name__ == "__main__":
    asyncio.run(main())
