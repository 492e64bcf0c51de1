"""Counts primes in processes of their own, so that the worker's event loop stays free, and tells how far it is.

Run it with `python main.py`. Jobs live in dibs.db here, or in the store that DIBS_URL names.
"""

import asyncio
import os

import dibs

app = dibs.Dibs()


@app.task("PRIMES", cpu_bound=True, timeout=60)
def count_primes(ctx, below: int) -> dict[str, int]:
    """Count primes the slow way. A plain function at module level: another process must find it."""
    step = max(1, below // 4)
    found = 0
    for number in range(2, below):
        if number % step == 0:
            ctx.report_progress({"percent": 100 * number // below})
            ctx.stop_if_cancelled()
        found += all(number % divisor for divisor in range(2, int(number**0.5) + 1))
    return {"primes": found, "pid": os.getpid()}


async def main() -> None:
    """Enqueue four jobs and let two processes do them."""
    async with app:
        limits = [10, 1_000, 10_000, 20_000]
        jobs = await count_primes.options().enqueue_many([{"below": limit} for limit in limits])
        await app.run_worker(until_drained=True, processes=2)
        done = [await app.wait_for(job.id) for job in jobs]
        for limit, job in zip(limits, done, strict=True):
            print(f"{job.output['primes']} primes below {limit}")
        elsewhere = {job.output["pid"] for job in done} - {os.getpid()}
        print(f"counted in other processes: {len(elsewhere) > 0}")


if __name__ == "__main__":
    asyncio.run(main())
