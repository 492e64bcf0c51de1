"""Stores ten jobs in a SQLite file, lets three workers call dibs on them, and shows what became of each."""

import asyncio
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import dibs
from dibs import Backend, Job, JobFilter, PageRequest, Retryable, RetryPolicy, State

MAILS = [f"reader-{number}@example.org" for number in range(10)]
AT_ONCE = RetryPolicy(base=timedelta(0))


async def work(backend: Backend, worker: str) -> None:
    """Claim jobs until none is left."""
    while job := await backend.claim_pending_job(job_types=["GREET"], worker=worker):
        try:
            greeting = greet(job)
        except Retryable as error:
            state = await backend.fail_job(AT_ONCE.judge(job, error))
            print(f"  {worker}  {job.input['to']}  failed once: {error}; now {state}")
        else:
            await backend.complete_job(job.lease, greeting)
            print(f"  {worker}  {job.input['to']}  finished under token {job.lease_token}")
        await asyncio.sleep(0.01)


def greet(job: Job) -> dict[str, str]:
    """Do what the job asks; the third reader's mail server is busy the first time."""
    if job.input["to"].startswith("reader-3") and job.attempts == 0:
        message = "server busy"
        raise Retryable(message)
    return {"said": f"hello, {job.input['to']}"}


async def main(path: Path) -> None:
    """Store, claim, finish, count."""
    async with await dibs.open_backend(f"sqlite:///{path}") as backend:
        await backend.store_jobs([Job(job_type="GREET", input={"to": address}) for address in MAILS])
        print(f"Stored {len(MAILS)} jobs in {path}. Three workers call dibs on them:")
        await asyncio.gather(*(work(backend, f"worker-{number}") for number in (1, 2, 3)))
        counts = await backend.reader.count_jobs(JobFilter())
        page = await backend.reader.list_jobs(JobFilter(), PageRequest())
        executions = sum([len(await backend.reader.list_attempts(job.id)) for job in page.items])
        print(f"Done: {counts[State.SUCCEEDED]} of {len(MAILS)} jobs succeeded in {executions} executions, none twice.")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(Path(sys.argv[1])))
    else:
        with tempfile.TemporaryDirectory(prefix="dibs-demo-") as folder:
            asyncio.run(main(Path(folder) / "demo.db"))
