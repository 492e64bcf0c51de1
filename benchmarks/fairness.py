"""One tenant with very many jobs and nine with few in a fair queue: how long do the few take?

python -m benchmarks.fairness [--backend sqlite …] [--whale 100000] [--slots 50]

Beside it the same few jobs of one small tenant alone, on a tenth of the slots. The ratio is what counts.
"""

import argparse
import asyncio
import time
from datetime import timedelta

from rich.console import Console
from rich.table import Table

import dibs
from benchmarks.micro import BACKENDS, open_store

SMALL_TENANTS, SMALL_JOBS = 9, 100
WORK = 0.05
BATCH = 10_000
QUEUE = "shared"


class Finish:
    """Notes when the small tenants have had all their jobs run."""

    def __init__(self, tenants: list[str]) -> None:
        self._left = dict.fromkeys(tenants, SMALL_JOBS)
        self.reached = asyncio.Event()

    def note(self, tenant: str) -> None:
        """One job of a tenant was run."""
        if tenant in self._left:
            self._left[tenant] -= 1
            if not any(self._left.values()):
                self.reached.set()


def make_app(url: str, finish: Finish) -> dibs.Dibs:
    """An app whose one task takes a while."""
    app = dibs.Dibs(url)

    @app.task("WORK", queue=QUEUE)
    async def work(ctx: dibs.Context) -> None:
        await asyncio.sleep(WORK)
        finish.note(ctx.job.tenant)

    return app


async def fill(app: dibs.Dibs, tenant: str, count: int) -> None:
    """Store jobs of a tenant."""
    backend = await app.backend()
    for first in range(0, count, BATCH):
        jobs = [dibs.Job(job_type="WORK", queue=QUEUE, tenant=tenant) for _ in range(min(BATCH, count - first))]
        await backend.copy_jobs(jobs)


async def run_to(finish: Finish, app: dibs.Dibs, slots: int) -> float:
    """Run one worker until the small tenants have nothing left; tells how long that took."""
    worker = app.make_worker(concurrency=slots, poll=timedelta(milliseconds=100), grace=timedelta(0))
    begin, running = time.perf_counter(), asyncio.create_task(worker.run())
    await finish.reached.wait()
    seconds = time.perf_counter() - begin
    worker.stop()
    await running
    return seconds


async def measure_alone(name: str, slots: int) -> float:
    """How long a small tenant takes alone, on a tenth of the slots."""
    finish = Finish(["small-0"])
    async with open_store(name) as url, make_app(url, finish) as app:
        await fill(app, "small-0", SMALL_JOBS)
        return await run_to(finish, app, max(1, slots // (SMALL_TENANTS + 1)))


async def measure_together(name: str, slots: int, whale: int) -> float:
    """How long it takes until the slowest small tenant is done beside the whale."""
    small = [f"small-{number}" for number in range(SMALL_TENANTS)]
    finish = Finish(small)
    async with open_store(name) as url, make_app(url, finish) as app:
        backend = await app.backend()
        await backend.admission.set_rule(dibs.QueueRule(name=QUEUE, fair=True), actor="bench", reason="fairness")
        await fill(app, "whale", whale)
        for tenant in small:
            await fill(app, tenant, SMALL_JOBS)
        return await run_to(finish, app, slots)


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", action="append", choices=BACKENDS)
    parser.add_argument("--whale", type=int, default=100_000)
    parser.add_argument("--slots", type=int, default=50)
    given = parser.parse_args()
    table = Table(
        "backend", "alone s", "together s", "ratio", title=f"Nine small tenants beside one of {given.whale:,}"
    )
    for name in given.backend or BACKENDS:
        alone = await measure_alone(name, given.slots)
        together = await measure_together(name, given.slots, given.whale)
        table.add_row(name, f"{alone:.2f}", f"{together:.2f}", f"{together / alone:.2f}")
    Console().print(table)


if __name__ == "__main__":
    asyncio.run(main())
