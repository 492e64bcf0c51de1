"""Waiting for a job's result, and watching what changes."""

from typing import Annotated

from fastapi import Header, Query
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.server.actions import jobs
from dibs.server.call import Asked
from dibs.server.routes.jobs import JobId
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.jobs import JobShape
from dibs.server.shapes.writing import write_job
from dibs.server.waiting import follow_job, follow_news, wait_until_final
from dibs.web.answers.json import answer
from dibs.web.answers.streams import stream_answer
from dibs.web.doors import door, make_router, stream_door
from dibs.web.shapes.parts import Tenant

router = make_router("waiting", PREFIX)
DEFAULT_WAIT, LONGEST_WAIT = 30, 60
LastEventId = Annotated[int | None, Header(ge=0, le=2**53 - 1, description="The id of the last event heard.")]
WaitSeconds = Annotated[
    float,
    Query(alias="timeout", ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="How long to wait, in seconds."),
]


@router.get("/jobs/{job_id}/result", **door(Scope.JOBS_READ, JobShape, also=(202,), refusals=(404,)))
async def wait_for_result(call: Asked, job_id: JobId, seconds: WaitSeconds = DEFAULT_WAIT) -> Response:
    """Wait until a job is final (200), at the longest for the timeout (202: ask again)."""
    job = await wait_until_final(call, await jobs.get_job(call, job_id), seconds)
    return answer(write_job(job), 200 if job.is_final else 202)


@router.get("/jobs/{job_id}/events", **stream_door(Scope.JOBS_READ, refusals=(404,)))
async def watch_job(call: Asked, job_id: JobId) -> Response:
    """Watch one job: an event `job` whenever it changes, and `result` when it is final; then the stream ends."""
    call.hub.check_room()
    return stream_answer(follow_job(call, await jobs.get_job(call, job_id)))


@router.get("/events", **stream_door(Scope.JOBS_READ))
async def watch_all(call: Asked, tenant: Tenant = None, last_event_id: LastEventId = None) -> Response:
    """Watch jobs end and operators act; whoever watches all tenants also sees the counts of queues change.

    Who connects again with Last-Event-ID is told first what they missed, up to 1,000 events.
    """
    meant = call.find_tenant(tenant)
    call.hub.check_room()
    return stream_answer(follow_news(call, meant, after=last_event_id))
