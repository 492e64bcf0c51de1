"""Jobs: store, read, cancel, retry."""

from typing import Annotated, Any

from fastapi import Path, Query
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.job import Job
from dibs.engine.store.operating import Act, Moved
from dibs.engine.store.reading import PageRequest
from dibs.server.actions import jobs
from dibs.server.call import Asked, Call
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.audit import AuditPage
from dibs.server.shapes.jobs import (
    EXAMPLE_ID,
    ActBody,
    ActOnAllBody,
    AttemptList,
    BulkBody,
    BulkShape,
    EnqueueBody,
    EnqueuedShape,
    JobPage,
    JobQuery,
    JobShape,
    MovedShape,
    PurgeBody,
    PurgeShape,
    WhyShape,
)
from dibs.server.shapes.writing import JOB_FIELDS, write_attempt, write_job, write_page, write_record
from dibs.web.answers.csv import csv_answer
from dibs.web.answers.json import answer
from dibs.web.doors import csv_door, door, make_router
from dibs.web.paging import DEFAULT_LIMIT, Cursor, Limit, read_cursor, show_cursor

router = make_router("jobs", PREFIX)
JobId = Annotated[str, Path(min_length=1, max_length=200, examples=[EXAMPLE_ID])]
_EXPORTED = tuple(name for name in JOB_FIELDS if name not in ("input", "output", "progress"))


@router.post("/jobs", **door(Scope.JOBS_WRITE, EnqueuedShape, status=201, also=(200,), refusals=(400, 409, 413)))
async def enqueue(call: Call, body: EnqueueBody) -> Response:
    """Store one job. 200 with `job` null: its unique key was taken, and the rule keeps the other one."""
    job = await jobs.enqueue(call, body)
    if job is None:
        return answer({"job": None}, 200)
    return answer({"job": write_job(job)}, 201, location=f"/api/v1/jobs/{job.id}")


@router.post("/jobs/bulk", **door(Scope.JOBS_WRITE, BulkShape, status=201, refusals=(400, 409, 413)))
async def enqueue_bulk(call: Asked, body: BulkBody) -> Response:
    """Store up to 1,000 jobs, all or none."""
    stored = await jobs.enqueue_bulk(call, body)
    shown = [None if job is None else write_job(job) for job in stored]
    return answer({"jobs": shown, "stored": sum(job is not None for job in stored)}, 201)


@router.post("/jobs/purge", **door(Scope.JOBS_OPERATE, PurgeShape, refusals=(400,)))
async def purge(call: Asked, body: PurgeBody) -> Response:
    """Forget finished jobs and their attempts, in batches; the audit log stays. Ask again while many are told."""
    return answer({"count": await jobs.purge(call, body), "dry_run": body.dry_run})


@router.post("/jobs/retry", **door(Scope.JOBS_OPERATE, MovedShape, refusals=(400,)))
async def retry_all(call: Asked, body: ActOnAllBody) -> Response:
    """Put back every failed job that fits, the one stored last first; each has an entry in the audit log."""
    return _answer_moved(await jobs.move_all(call, Act.RETRY, body), body)


@router.post("/jobs/cancel", **door(Scope.JOBS_OPERATE, MovedShape, refusals=(400,)))
async def cancel_all(call: Asked, body: ActOnAllBody) -> Response:
    """Cancel every unfinished job that fits, the one stored last first; each has an entry in the audit log."""
    return _answer_moved(await jobs.move_all(call, Act.CANCEL, body), body)


def _answer_moved(moved: Moved, body: ActOnAllBody) -> Response:
    going_on = show_cursor(moved.next_cursor)
    told = {"count": moved.moved, "left_alone": moved.left, "next_cursor": going_on, "dry_run": body.dry_run}
    return answer(told)


@router.get("/jobs", **door(Scope.JOBS_READ, JobPage))
async def list_jobs(call: Asked, query: Annotated[JobQuery, Query()]) -> Response:
    """List jobs, the one stored last first."""
    page = await jobs.list_jobs(call, query)
    return answer(write_page("jobs", page, write_job))


@router.get("/jobs.csv", **csv_door(Scope.JOBS_READ))
async def export_jobs(call: Asked, query: Annotated[JobQuery, Query()]) -> Response:
    """Export a page of jobs as a table, without inputs and outputs; no cell is a formula."""
    page = await jobs.list_jobs(call, query)
    return csv_answer("jobs", _EXPORTED, map(_write_row, page.items))


def _write_row(job: Job) -> list[Any]:
    shown = write_job(job)
    return [shown[name] for name in _EXPORTED]


@router.get("/jobs/{job_id}", **door(Scope.JOBS_READ, JobShape, refusals=(404,)))
async def get_job(call: Call, job_id: JobId) -> Response:
    """Read one job."""
    return answer(write_job(await jobs.get_job(call, job_id)))


@router.get("/jobs/{job_id}/attempts", **door(Scope.JOBS_READ, AttemptList, refusals=(404,)))
async def list_attempts(call: Asked, job_id: JobId) -> Response:
    """Read the history of a job, oldest attempt first."""
    return answer({"attempts": [write_attempt(one) for one in await jobs.list_attempts(call, job_id)]})


@router.get("/jobs/{job_id}/audit", **door(Scope.AUDIT_READ, AuditPage, refusals=(404,)))
async def list_job_audit(call: Asked, job_id: JobId, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Response:
    """Read what the audit log says of a job, newest first."""
    page = await jobs.list_audit(call, job_id, PageRequest(cursor=read_cursor(cursor), limit=limit))
    return answer(write_page("entries", page, write_record))


@router.get("/jobs/{job_id}/why", **door(Scope.JOBS_READ, WhyShape, refusals=(404,)))
async def tell_why(call: Asked, job_id: JobId) -> Response:
    """Tell why a job is not running."""
    return answer(await jobs.tell_why(call, job_id))


@router.post("/jobs/{job_id}/cancel", **door(Scope.JOBS_OPERATE, JobShape, refusals=(400, 404, 409)))
async def cancel(call: Asked, job_id: JobId, body: ActBody) -> Response:
    """Cancel an unfinished job; whoever runs it is told."""
    return answer(write_job(await jobs.cancel(call, job_id, body.reason)))


@router.post("/jobs/{job_id}/retry", **door(Scope.JOBS_OPERATE, JobShape, refusals=(400, 404, 409)))
async def retry(call: Asked, job_id: JobId, body: ActBody) -> Response:
    """Put a failed or cancelled job back."""
    return answer(write_job(await jobs.retry(call, job_id, body.reason)))
