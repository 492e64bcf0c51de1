"""What admission costs plain jobs: the engine as it is beside the same engine with admission taken out.

    python -m benchmarks.plain [--backend sqlite …] [--jobs 200] [--batch 100] [--turns 100]

Jobs are stored, claimed and completed in batches, on one store of each kind: with admission taken out
(benchmarks/stripped), with no limits set, with a rule on another tenant, and with a blocked job of another type. The
four take short turns, each time in another order, so that whatever else the machine does meets all of them alike. What
counts is the ratio to the first: of all time spent, and the middle half of the turns.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

import dibs
from benchmarks.micro import BACKENDS, OUTPUT, PAYLOAD
from dibs.testing.servers import PostgresServer, ValkeyServer

ACT = {"actor": "bench", "reason": "to see what it costs"}
STRIPPED = "taken out"
WARM_UP = 5


async def _leave_alone(_backend: dibs.Backend) -> None: ...


async def _rule_elsewhere(backend: dibs.Backend) -> None:
    await backend.admission.set_rule(dibs.TenantRule(name="somebody-else", max_running=3), **ACT)


async def _block_elsewhere(backend: dibs.Backend) -> None:
    await backend.sources.pause("paused", **ACT)
    await backend.store_job(dibs.Job(job_type="another", source="paused"))


SETTINGS: dict[str, Callable[[dibs.Backend], Awaitable[None]]] = {
    STRIPPED: _leave_alone,
    "no limits": _leave_alone,
    "a rule on another tenant": _rule_elsewhere,
    "a blocked job of another type": _block_elsewhere,
}


@asynccontextmanager
async def open_house(name: str) -> AsyncIterator[Callable[[str], str]]:
    """Give a function that names a room of its own in one store."""
    if name == "memory":
        yield lambda _room: "memory://"
    elif name == "sqlite":
        with tempfile.TemporaryDirectory(prefix="dibs-bench-") as folder:
            yield lambda room: f"sqlite:///{Path(folder) / room}.db"
    elif name == "postgres":
        with PostgresServer(durable=True) as server:
            yield lambda room: f"{server.url}?schema={room}"
    else:
        with ValkeyServer(persistence="everysec") as server:
            yield lambda room: f"{server.url}?namespace={room}"


async def drain(backend: dibs.Backend, jobs: int, batch: int) -> float:
    """Store, claim and complete; gives the seconds."""
    begin = time.perf_counter()
    for _ in range(0, jobs, batch):
        await backend.store_jobs([dibs.Job(job_type="bench", input=PAYLOAD) for _ in range(batch)])
    done = 0
    while taken := await backend.claim_pending_jobs(batch, job_types=["bench"]):
        done += sum(await backend.complete_jobs([backend.completion(job.lease, OUTPUT) for job in taken]))
    assert done == jobs
    return time.perf_counter() - begin


async def measure(name: str, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Give the seconds of every turn of every setting."""
    stripped = import_module(f"benchmarks.stripped.{name}")
    spent: dict[str, list[float]] = {setting: [] for setting in SETTINGS}
    async with open_house(name) as room, AsyncExitStack() as stack:
        backends = {}
        for number, setting in enumerate(SETTINGS):
            url = room(f"room_{number}")
            backends[setting] = await stack.enter_async_context(await dibs.open_backend(url))
            await SETTINGS[setting](backends[setting])
            if setting == STRIPPED:
                await stripped.prepare(url)
        for turn in range(-WARM_UP, arguments.turns):
            for setting in rotated(list(SETTINGS), turn):
                with stripped.strip() if setting == STRIPPED else nullcontext():
                    seconds = await drain(backends[setting], arguments.jobs, arguments.batch)
                if turn >= 0:
                    spent[setting].append(seconds)
    return spent


def rotated(names: list[str], turn: int) -> list[str]:
    """Let everybody be first in turn, and everybody come after everybody."""
    first = turn % len(names)
    in_order = names[first:] + names[:first]
    return in_order if turn // len(names) % 2 else in_order[::-1]


def show(name: str, jobs: int, spent: dict[str, list[float]], table: Table) -> None:
    """Add a store to the table."""
    for setting, seconds in spent.items():
        ratios = [bare / mine for bare, mine in zip(spent[STRIPPED], seconds, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        rate, whole = jobs * len(seconds) / sum(seconds), sum(spent[STRIPPED]) / sum(seconds)
        table.add_row(name, setting, f"{rate:,.0f}", f"{whole:.2f}", f"{middle:.2f}", f"{low:.2f} to {high:.2f}")


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--jobs", type=int, default=200, help="jobs a turn")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--turns", type=int, default=100)
    return parser.parse_args()


async def main() -> None:
    """Measure everything that was asked for, and print one table."""
    arguments = read_arguments()
    console = Console()
    columns = ("backend", "admission", "jobs/s", "ratio", "median", "middle half")
    table = Table(*columns, title="What admission costs plain jobs")
    for column in table.columns[2:]:
        column.justify = "right"
    for name in arguments.backend:
        with console.status(name):
            show(name, arguments.jobs, await measure(name, arguments), table)
    console.print(table)


if __name__ == "__main__":
    asyncio.run(main())
