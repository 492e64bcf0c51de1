"""Declares a task, enqueues three jobs, lets a worker do them, and prints what came of each.

Run it with `python main.py`. Jobs live in dibs.db here, or in the store that DIBS_URL names.
"""

import asyncio

import dibs

app = dibs.Dibs()


@app.task("GREET")
async def greet(name: str) -> dict[str, str]:
    """Say hello; the argument is checked against its type before this runs."""
    return {"greeting": f"Hello, {name}"}


async def main() -> None:
    """Enqueue, work, look."""
    async with app:
        jobs = [await greet.enqueue(name=name) for name in ("Ada", "Grace", "Linus")]
        await app.run_worker(until_drained=True)
        for job in jobs:
            done = await app.wait_for(job.id)
            print(done.state, done.output["greeting"])


if __name__ == "__main__":
    asyncio.run(main())
