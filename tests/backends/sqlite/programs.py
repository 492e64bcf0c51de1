"""Programs that tests run in other processes: `python programs.py <name> <url> <arguments>`."""

import asyncio
import sqlite3
import sys
import time
from datetime import timedelta
from urllib.parse import urlsplit

import dibs
from dibs.backends.sqlite import open_parts


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def store_and_work(url: str, name: str, amount: str) -> None:
    """Store some jobs, then claim and complete whatever is there until nothing is left."""
    async with await dibs.open_backend(url) as backend:
        for start in range(0, int(amount), 50):
            await backend.store_jobs([dibs.Job(id=f"{name}-{n}", job_type="test") for n in range(start, start + 50)])
        await work_until_empty(backend, name)


async def work(url: str, name: str, claimers: str) -> None:
    """Wait for the word, then claim and complete with several claimers at once."""
    async with await dibs.open_backend(url) as backend:
        await backend.reader.now()
        say("ready")
        sys.stdin.readline()
        await asyncio.gather(*(work_until_empty(backend, f"{name}/{n}") for n in range(int(claimers))))


async def work_until_empty(backend: dibs.Backend, worker: str) -> None:
    while jobs := await backend.claim_pending_jobs(20, worker=worker):
        moved = await backend.complete_jobs([backend.completion(job.lease, worker) for job in jobs])
        assert all(moved)
        for job in jobs:
            say(job.id)


async def hold_lock(url: str, seconds: str) -> None:
    """Keep the write lock for a while."""
    connection = sqlite3.connect(urlsplit(url).path[1:], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    say("locked")
    time.sleep(float(seconds))  # noqa: ASYNC251 - nothing else runs here
    connection.execute("COMMIT")
    connection.close()


async def claim_and_hang(url: str) -> None:
    """Claim everything, then write without end until killed."""
    backend = await dibs.open_backend(url)
    jobs = await backend.claim_pending_jobs(1000, worker="doomed", lease=timedelta(milliseconds=1))
    say(len(jobs))
    while True:
        await backend.store_jobs([dibs.Job(job_type="noise", queue="noise") for _ in range(50)])


async def migrate(url: str) -> None:
    """Wait for the word, then bring the schema up to date."""
    parts = await open_parts(url)
    say("ready")
    sys.stdin.readline()
    say(await parts.schema.migrate())
    await parts.close()


async def listen(url: str) -> None:
    """Tell when a notice comes."""
    async with await dibs.open_backend(url) as backend, backend.notices.subscribe(["q"]) as subscription:
        say("listening")
        say(await subscription.wait(timedelta(seconds=20)))


if __name__ == "__main__":
    program, *arguments = sys.argv[1:]
    asyncio.run(globals()[program](*arguments))
