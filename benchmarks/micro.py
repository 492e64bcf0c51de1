"""Store, claim and complete in batches on each backend, beside the raw loop on the same store.

    python -m benchmarks.micro [--backend sqlite …] [--batch 100 …] [--jobs 20000] [--rounds 3]

Rates are jobs a second; the ratio (ours to raw, taken in turns on the same store within one run) is what counts.
"""

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import dibs
from dibs.testing.servers import PostgresServer, ValkeyServer

PAYLOAD = {
    "to": "somebody@example.org",
    "subject": "a subject of common length",
    "template": "welcome",
    "n": 12345,
}
OUTPUT = {"status": "sent", "id": "0123456789abcdef"}
STEPS = ("store", "copy", "claim", "complete")
BACKENDS = ("memory", "sqlite", "postgres", "redis")
Rates = dict[str, float]


@asynccontextmanager
async def open_store(name: str) -> AsyncIterator[str]:
    """Give the URL of a durable store of its own."""
    if name == "memory":
        yield "memory://"
    elif name == "sqlite":
        with tempfile.TemporaryDirectory(prefix="dibs-bench-") as folder:
            yield f"sqlite:///{Path(folder) / 'bench.db'}"
    elif name == "postgres":
        with PostgresServer(durable=True) as server:
            yield server.url
    else:
        with ValkeyServer(persistence="everysec") as server:
            yield server.url


async def timed(work: Callable[[], Awaitable[Any]], jobs: int) -> float:
    """Give the jobs a second of some work."""
    gc.collect()
    begin = time.perf_counter()
    await work()
    return jobs / (time.perf_counter() - begin)


async def measure_ours(backend: dibs.Backend, jobs: int, batch: int) -> Rates:
    """Store, copy, claim and complete through the contract."""
    claimed: list[dibs.Job] = []

    async def store() -> None:
        for _ in range(0, jobs, batch):
            await backend.store_jobs([dibs.Job(job_type="bench", input=PAYLOAD) for _ in range(batch)])

    async def copy() -> None:
        for _ in range(0, jobs, batch):
            await backend.copy_jobs([dibs.Job(job_type="bench", input=PAYLOAD) for _ in range(batch)])

    async def claim() -> None:
        while taken := await backend.claim_pending_jobs(batch, job_types=["bench"]):
            claimed.extend(taken)

    async def complete() -> None:
        for start in range(0, len(claimed), batch):
            chunk = claimed[start : start + batch]
            moved = await backend.complete_jobs([backend.completion(job.lease, OUTPUT) for job in chunk])
            assert all(moved)

    rates = {"store": await timed(store, jobs), "copy": await timed(copy, jobs)}
    rates["claim"] = await timed(claim, 2 * jobs)
    rates["complete"] = await timed(complete, 2 * jobs)
    return rates


async def measure_raw(raw: Any, jobs: int, batch: int) -> Rates:
    """The same through the bare loop: the same values go in and come out, as JSON in between."""
    claimed: list[Any] = []

    async def store() -> None:
        for _ in range(0, jobs, batch):
            await raw.store(batch, PAYLOAD)

    async def claim() -> None:
        while taken := await raw.claim(batch):
            claimed.extend(taken)

    async def complete() -> None:
        for start in range(0, len(claimed), batch):
            await raw.complete(claimed[start : start + batch], OUTPUT)

    rates = {"store": await timed(store, jobs)}
    rates["copy"] = await timed(store, jobs)
    rates["claim"] = await timed(claim, 2 * jobs)
    rates["complete"] = await timed(complete, 2 * jobs)
    return rates


async def measure(name: str, batch: int, arguments: argparse.Namespace) -> list[tuple[Rates, Rates]]:
    """Measure ours and raw in turns, each on a fresh store of the same kind."""
    jobs = max(batch, min(arguments.jobs, batch * arguments.most_batches) // batch * batch)
    rounds = []
    for _ in range(arguments.rounds):
        async with open_store(name) as url, await dibs.open_backend(url) as backend:
            await measure_ours(backend, batch, batch)
            ours = await measure_ours(backend, jobs, batch)
        async with open_store(name) as url:
            rounds.append((ours, await measure_raw_on(name, url, jobs, batch)))
    return rounds


async def measure_raw_on(name: str, url: str, jobs: int, batch: int) -> Rates:
    """Open the raw loop of a store and measure it."""
    raw = await import_module(f"benchmarks.raw.{name}").open_raw(url)
    try:
        await measure_raw(raw, batch, batch)
        return await measure_raw(raw, jobs, batch)
    finally:
        await raw.close()


def show(name: str, batch: int, rounds: list[tuple[Rates, Rates]], table: Table) -> None:
    """Add the medians of a measurement to the table."""
    for step in STEPS:
        ours = statistics.median(round_[0][step] for round_ in rounds)
        raw = statistics.median(round_[1][step] for round_ in rounds)
        ratios = [mine[step] / bare[step] for mine, bare in rounds]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        table.add_row(name, str(batch), step, f"{ours:,.0f}", f"{raw:,.0f}", f"{statistics.median(ratios):.2f}", spread)


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 10, 100, 500])
    parser.add_argument("--jobs", type=int, default=20_000, help="jobs a step, at the most")
    parser.add_argument("--most-batches", type=int, default=400, help="batches a step, at the most")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


async def main() -> None:
    """Measure everything that was asked for, and print one table."""
    arguments = read_arguments()
    console = Console()
    table = Table("backend", "batch", "step", "ours/s", "raw/s", "ratio", "spread", title="Dibs beside the raw loop")
    for column in table.columns[3:]:
        column.justify = "right"
    for name in arguments.backend:
        for batch in arguments.batch:
            with console.status(f"{name}, batches of {batch}"):
                show(name, batch, await measure(name, batch, arguments), table)
    console.print(table)


if __name__ == "__main__":
    asyncio.run(main())
