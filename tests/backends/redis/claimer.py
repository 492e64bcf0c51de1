"""A process of several claimers, for tests: at a word it claims until nothing is left, and prints what it got."""

import asyncio
import sys

import dibs


async def claim_all(backend: dibs.Backend, name: str) -> list[str]:
    claimed = []
    while jobs := await backend.claim_pending_jobs(7, worker=name):
        claimed += [job.id for job in jobs]
        assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
    return claimed


async def main(url: str, claimers: int) -> None:
    async with await dibs.open_backend(url) as backend:
        await backend.reader.now()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        shares = await asyncio.gather(*(claim_all(backend, f"claimer-{n}") for n in range(claimers)))
    for share in shares:
        sys.stdout.write("".join(f"{job_id}\n" for job_id in share))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
