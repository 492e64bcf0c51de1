"""Jobs: the list, and the whole story of one."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel
from starlette.responses import Response

from dibs.access.naming import name_actors
from dibs.access.scopes import Scope
from dibs.engine.schedules.firing import unique_key_of
from dibs.engine.states import FINAL, REVIVABLE, State
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.server.actions import jobs
from dibs.server.call import Asked
from dibs.server.observing.finding import Counted, JobsQuery, count_roughly, find_jobs, find_known
from dibs.server.observing.stories import tell_story
from dibs.server.pages.listing import make_address, make_list_page
from dibs.server.pages.moving import offer_act
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.pages.showing import segment
from dibs.web.shapes.parts import Name, Reason

router = make_page_router()
# Ids are whatever their users chose, with slashes if they like.
JobId = Annotated[str, Path(min_length=1, max_length=200)]
MOST_AUDITED, MOST_CHILDREN = 50, 8
FIRED = unique_key_of("")


class ActForm(BaseModel):
    """Why something is done."""

    reason: Reason


class JobForm(ActForm):
    """To which job it is done."""

    job_id: Name


@router.get("/jobs", **page(Scope.JOBS_READ))
async def list_jobs(call: Asked, query: Annotated[JobsQuery, Query()]) -> Response:
    """List jobs, the one stored last first."""
    found, counts = await find_jobs(call, query), await count_roughly(call)
    given = query.model_dump(exclude={"cursor"}, exclude_none=True)
    way = make_list_page(
        "/jobs",
        given,
        cursor=query.cursor,
        next_cursor=found.next_cursor,
        word="Look further back" if found.is_cut else "",
    )
    return render(
        call,
        "server/jobs.html",
        is_live=query.cursor is None,
        query=query,
        given=given,
        found=found,
        way=way,
        tabs=_make_tabs(given, counts),
        offer=offer_act(query, found, counts),
        counts=counts,
        known=await find_known(call),
        now=await call.backend.reader.now(),
    )


def _make_tabs(given: dict[str, Any], counts: Counted) -> list[dict[str, Any]]:
    """Offer each state, with what else is asked for; how many there are is told of all jobs, not of a choice."""
    others = {name: value for name, value in given.items() if name != "state"}
    by_state = {} if others or counts.by_state is None else counts.by_state
    return [
        {
            "label": state or "all",
            "href": make_address("/jobs", {**others, "state": state}),
            "is_current": given.get("state") == state,
            "count": by_state.get(state) if state is not None else sum(by_state.values()) if by_state else None,
        }
        for state in (None, *State)
    ]


@router.post("/jobs/first", **page(Scope.JOBS_WRITE))
async def run_first(call: Asked) -> Response:
    """Store a job of the built-in task, for whoever wants to see one run."""
    job = await call.engine.enqueue("PING", {"text": "hello"}, tenant=call.get_tenant())
    return go_to(
        "/jobs" if job is None else f"/jobs/{segment(job.id)}", "Stored. A worker takes it with its next claim."
    )


@router.get("/jobs/{job_id:path}", **page(Scope.JOBS_READ))
async def show_job(call: Asked, job_id: JobId) -> Response:
    """Show all that is known of a job."""
    job = await jobs.get_job(call, job_id)
    attempts = await call.backend.reader.list_attempts(job_id)
    can_audit = Scope.AUDIT_READ in call.principal.scopes
    audit = (await jobs.list_audit(call, job_id, PageRequest(limit=MOST_AUDITED))).items if can_audit else []
    stored = await call.backend.reader.list_jobs(JobFilter(parent_id=job_id), PageRequest(limit=MOST_CHILDREN))
    why = None if job.state in FINAL else await jobs.tell_why(call, job_id)
    return render(
        call,
        "server/job.html",
        is_live=True,
        job=job,
        attempts=attempts,
        story=tell_story(job, attempts, audit),
        why=why,
        stored=[one for one in stored.items if call.can_see(one.tenant)],
        names=await name_actors(
            call.principal, call.directory.tables, ((entry.actor, entry.tenant) for entry in audit)
        ),
        schedule=(job.unique_key or "").removeprefix(FIRED) if (job.unique_key or "").startswith(FIRED) else None,
        now=await call.backend.reader.now(),
        can_cancel=job.state not in FINAL,
        can_retry=job.state in REVIVABLE,
        # A traceback tells of the inside of a worker, which serves all tenants.
        has_inside=call.principal.tenant is None and Scope.JOBS_OPERATE in call.principal.scopes,
    )


@router.post("/jobs/cancel", **page(Scope.JOBS_OPERATE))
async def cancel(call: Asked) -> Response:
    """Cancel an unfinished job."""
    form = await read_form(call, JobForm)
    await jobs.cancel(call, form.job_id, form.reason)
    return go_to(f"/jobs/{segment(form.job_id)}", "Cancelled.")


@router.post("/jobs/retry", **page(Scope.JOBS_OPERATE))
async def retry(call: Asked) -> Response:
    """Put a failed or cancelled job back."""
    form = await read_form(call, JobForm)
    await jobs.retry(call, form.job_id, form.reason)
    return go_to(f"/jobs/{segment(form.job_id)}", "Put back. A worker takes it with its next claim.")
