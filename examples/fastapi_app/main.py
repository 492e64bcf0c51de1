"""Reports over HTTP: one route enqueues a job, another one tells how far it is and what came of it.

Web server:  uvicorn main:web
Worker:      dibs worker --app main:jobs
Both use dibs.db in this folder, or the store that DIBS_URL names.
"""

from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException

import dibs

jobs = dibs.Dibs()
# Asking twice for a report that is not finished yet gives the same job.
ONE_AT_A_TIME = dibs.UniqueRule(on_conflict=dibs.OnConflict.RETURN)


@jobs.task("REPORT", timeout=60, unique=ONE_AT_A_TIME)
async def make_report(ctx: dibs.Context, city: str) -> dict[str, str]:
    """Make a report, and tell how far it is."""
    if not city.isalpha():
        return dibs.Fail(f"{city!r} is no city")
    await ctx.report_progress({"percent": 50})
    return {"title": f"Report on {city}"}


@asynccontextmanager
async def keep_store_open(_: FastAPI):
    """Open the store when the server starts, close it when it stops."""
    async with jobs:
        yield


web = FastAPI(lifespan=keep_store_open)


@web.post("/reports", status_code=202)
async def ask_for_report(city: str) -> dict[str, str]:
    """Enqueue a job and answer at once."""
    job = await make_report.options(unique_key=city).enqueue(city=city)
    return {"id": job.id, "state": job.state}


@web.get("/reports/{job_id}")
async def read_report(job_id: str) -> dict:
    """Tell what became of it."""
    job = await (await jobs.backend()).find_job(job_id)
    if job is None or job.job_type != make_report.name:
        raise HTTPException(404, "no such report")
    error = job.error.message if job.error is not None else None
    return {"state": job.state, "progress": job.progress, "report": job.output, "error": error}
