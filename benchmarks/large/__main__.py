"""Claims on stores with millions of jobs beside the same claims on a small store, in turns.

    python -m benchmarks.large [--backend postgres …] [--case waiting …] [--turns 300] [--scale 1]

Both stores lie on one server (or disk) and are asked one after the other, so that whatever else the machine does meets
both alike. Each turn claims, completes what it got and stores as many anew; only the claim is timed.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

import dibs
from benchmarks.large.cases import CASES, MANY, Case, Sizes, make_sizes
from benchmarks.large.filling import make_job
from dibs.testing.servers import PostgresServer, ValkeyServer

WARM_UP = 20
MUST, AIM = 1.5, 1.1
SMALL, LARGE = "small", "large"
Times = dict[str, list[float]]


@asynccontextmanager
async def open_places(name: str) -> AsyncIterator[dict[str, str]]:
    """Give the URLs of two durable stores side by side."""
    if name == "sqlite":
        with tempfile.TemporaryDirectory(prefix="dibs-bench-") as folder:
            yield {which: f"sqlite:///{Path(folder) / which}.db" for which in (SMALL, LARGE)}
    elif name == "postgres":
        with PostgresServer(durable=True, settings={"max_wal_size": "8GB"}) as server:
            yield {which: f"{server.url}?schema={which}" for which in (SMALL, LARGE)}
    else:
        with ValkeyServer(persistence="everysec") as server:
            yield {which: f"{server.url}?namespace={which}" for which in (SMALL, LARGE)}


async def measure(name: str, case: Case, sizes: Sizes, turns: int, batch: int) -> Times:
    """Fill two stores and claim from both in turns; tells how long each claim took."""
    async with open_places(name) as urls, AsyncExitStack() as stack:
        backends = {}
        for which, fill in ((SMALL, case.small), (LARGE, case.large)):
            backend = await stack.enter_async_context(await dibs.open_backend(urls[which]))
            await fill(urls[which], backend, sizes)
            backends[which] = backend
        times: Times = {SMALL: [], LARGE: []}
        for turn in range(WARM_UP + turns):
            for which in sorted(backends, reverse=turn % 2 == 0):
                took = await time_claim(backends[which], batch)
                if turn >= WARM_UP:
                    times[which].append(took)
        return times


async def time_claim(backend: dibs.Backend, batch: int) -> float:
    """Claim once, and leave the store as it was."""
    begin = time.perf_counter()
    taken = await backend.claim_pending_jobs(batch)
    took = time.perf_counter() - begin
    if len(taken) != batch:
        message = f"only {len(taken)} of {batch} jobs could be claimed"
        raise RuntimeError(message)
    await backend.complete_jobs([backend.completion(job.lease, None) for job in taken])
    await backend.store_jobs([make_job(tenant=job.tenant) for job in taken])
    return took


def judge(ratio: float) -> str:
    """Say what a ratio is worth."""
    return "over" if ratio > MUST else "must" if ratio > AIM else "aim"


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", nargs="+", choices=list(MANY), default=list(MANY))
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the jobs, to try the program itself")
    return parser.parse_args()


async def main() -> None:
    """Measure everything that was asked for, telling each result at once."""
    given, console = read_arguments(), Console(width=120)
    table = Table(
        "backend", "case", "small p50 ms", "large p50 ms", "ratio", "p99 ratio", "", title="Claims beside many jobs"
    )
    for name in given.backend:
        for case_name in given.case:
            begin = time.perf_counter()
            times = await measure(name, CASES[case_name], make_sizes(name, given.scale), given.turns, given.batch)
            row = describe(name, CASES[case_name].title, times)
            console.print(*row, f"(load {os.getloadavg()[0]:.0f}, {time.perf_counter() - begin:.0f} s)")
            table.add_row(*row)
    console.print(table)


def describe(name: str, title: str, times: Times) -> list[str]:
    """One row of the table."""
    p50 = {which: statistics.median(taken) * 1000 for which, taken in times.items()}
    p99 = {which: sorted(taken)[len(taken) * 99 // 100] * 1000 for which, taken in times.items()}
    ratio = p50[LARGE] / p50[SMALL]
    figures = [f"{p50[SMALL]:.2f}", f"{p50[LARGE]:.2f}", f"{ratio:.2f}", f"{p99[LARGE] / p99[SMALL]:.2f}"]
    return [name, title, *figures, judge(ratio)]


if __name__ == "__main__":
    asyncio.run(main())
