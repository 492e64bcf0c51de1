"""A process of several claimers that end what they get, until nothing is left."""

import asyncio
import sys

import dibs
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter

UNFINISHED = JobFilter(states=frozenset({State.PENDING, State.RUNNING, State.RETRYABLE}))


async def claim_all(backend: dibs.Backend, name: str) -> list[str]:
    done = []
    while sum((await backend.reader.count_jobs(UNFINISHED)).values()):
        for job in await backend.claim_pending_jobs(2, worker=name):
            await backend.heartbeat_jobs([job.lease])
            await backend.complete_job(job.lease)
            done.append(job.id)
    return done


async def main(url: str) -> None:
    async with await dibs.open_backend(url) as backend:
        await backend.reader.now()
        sys.stdin.readline()
        shares = await asyncio.gather(*(claim_all(backend, f"claimer-{n}") for n in range(4)))
    for share in shares:
        sys.stdout.write("".join(f"{job_id}\n" for job_id in share))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
