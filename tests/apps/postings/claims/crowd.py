"""A process of agents that all want the same postings: prints who got what, and how long each answer took."""

import asyncio
import json
import sys
import time

from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.office import Office
from dibs.assembly import open_backend
from dibs.errors import PostingConflict, PostingUnfit
from dibs.storage.tables import Tables


async def crowd(tables_url: str, redis_url: str, name: str, agents: int, postings: int) -> dict:
    given, spans = [], []
    # As a server would: some requests are worked on, the others stand in line.
    places = asyncio.Semaphore(20)

    async def agent(office: Office, number: int) -> None:
        async with places:
            await apply(office, number)

    async def apply(office: Office, number: int) -> None:
        job_id = str(number % postings)
        began = time.perf_counter()
        try:
            run_id = f"{name}-{number}"
            await claim_posting(office, "default", ClaimRequest(run_id=run_id, job_id=job_id, board="ramp"))
            given.append(job_id)
            spans.append(time.perf_counter() - began)
            await record_progress(office, "default", ProgressReport(run_id=run_id, status=RunState.SUCCESS))
        except (PostingConflict, PostingUnfit):
            spans.append(time.perf_counter() - began)

    async with Tables.at(tables_url) as tables:
        if not redis_url:
            office = Office(tables)
            await asyncio.gather(*(agent(office, number) for number in range(agents)))
        else:
            async with await open_backend(redis_url) as backend:
                office = Office(tables, locks=backend.leases)
                await asyncio.gather(*(agent(office, number) for number in range(agents)))
    return {"given": given, "spans": spans}


if __name__ == "__main__":
    tables_url, redis_url, name, agents, postings = sys.argv[1:]
    answer = asyncio.run(crowd(tables_url, redis_url, name, int(agents), int(postings)))
    print(json.dumps(answer))  # noqa: T201 - its answer
