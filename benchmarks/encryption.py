"""What encryption costs: processor time of enqueue, claim and completion of a job, with and without.

    python -m benchmarks.encryption

Three ways take turns on each store, so that whatever else the machine does falls on all of them: without the layer that
encrypts, with the layer and no key, and with a key. Only the processor time of this process is counted.
"""

import asyncio
import gc
import tempfile
import time
from pathlib import Path
from statistics import median

from dibs.assembly import make_backend
from dibs.backends import memory, sqlite
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import Parts
from dibs.kit.encryption.secret import Secret
from dibs.settings import Settings

JOBS, BATCH, ROUNDS = 3_000, 100, 15
KEYS = (Secret("k" * 44),)
INPUT = {"to": "ada@example.org", "subject": "hello", "body": "x" * 200, "numbers": list(range(10))}
OUTPUT = {"sent": True, "id": "0123456789abcdef"}


def make_bare(parts: Parts) -> Backend:
    """Leave the layer out."""
    return Backend(parts, Settings())


def make_off(parts: Parts) -> Backend:
    """Have the layer, and no key."""
    return make_backend(parts, Settings())


def make_on(parts: Parts) -> Backend:
    """Have a key."""
    return make_backend(parts, Settings(encryption_keys=KEYS))


WAYS = {"without the layer": make_bare, "no key": make_off, "with a key": make_on}


async def measure(backend: Backend) -> float:
    """Store jobs, work them off, and tell the microseconds of processor a job."""
    gc.collect()
    begun = time.process_time()
    for _ in range(JOBS // BATCH):
        await backend.store_jobs([Job(job_type="test", input=INPUT) for _ in range(BATCH)])
    while jobs := await backend.claim_pending_jobs(BATCH):
        await backend.complete_jobs([backend.completion(job.lease, OUTPUT) for job in jobs])
    return (time.process_time() - begun) / JOBS * 1e6


async def run_round(store: str, folder: Path, number: int) -> dict[str, float]:
    """Take each way once, each on a store of its own."""
    times = {}
    for place, (name, make) in enumerate(WAYS.items()):
        is_memory = store == "memory"
        url = "memory://" if is_memory else f"sqlite:///{folder}/{number}-{place}.db?synchronous=normal"
        parts = await (memory if is_memory else sqlite).open_parts(url)
        await parts.schema.migrate()
        async with make(parts) as backend:
            times[name] = await measure(backend)
    return times


async def main() -> None:
    """Print a table for each store."""
    with tempfile.TemporaryDirectory() as folder:
        for store in ("memory", "sqlite"):
            rounds = [await run_round(store, Path(folder), number) for number in range(ROUNDS)]
            print(f"{store}: microseconds of processor a job, median of {ROUNDS} rounds of {JOBS} jobs")
            for name in WAYS:
                ratio = median(one[name] / one["without the layer"] for one in rounds)
                print(f"   {name:18} {median(one[name] for one in rounds):7.1f}   x {ratio:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
