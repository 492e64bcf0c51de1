"""Schedules."""

from typing import Annotated

from fastapi import Header, Path, Query
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.schedules.schedule import Backfill
from dibs.server.actions import schedules
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.jobs import ActBody
from dibs.server.shapes.schedules import (
    BackfillBody,
    FireList,
    PreviewShape,
    ScheduleBody,
    ScheduleList,
    ScheduleShape,
    VerdictShape,
)
from dibs.server.shapes.writing import order, write_records, write_schedule, write_verdict
from dibs.web.answers.json import answer, read_if_match
from dibs.web.doors import door, make_router
from dibs.web.paging import DEFAULT_LIMIT, Cursor, Limit, cut_page
from dibs.web.shapes.parts import ForTenant, Name, Reason, Tenant

router = make_router("schedules", PREFIX)
ScheduleName = Annotated[Name, Path(max_length=190, examples=["nightly"])]
IfMatch = Annotated[str | None, Header(description="The ETag of the version that is meant.", examples=['"v3"'])]
Count = Annotated[int, Query(ge=1, le=100, description="How many instants.")]
Why = Annotated[Reason, Query(description="Why; goes into the audit log.")]


@router.get("/schedules", **door(Scope.SCHEDULES_READ, ScheduleList))
async def list_schedules(
    call: Asked, tenant: Tenant = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Response:
    """List schedules by tenant and name."""
    found = await call.backend.schedules.list_schedules(tenant=call.find_tenant(tenant))
    page, next_cursor = cut_page(sorted(found, key=order), cursor, limit, key=order)
    return answer({"schedules": [write_schedule(one) for one in page], "next_cursor": next_cursor})


@router.get("/schedules/{name}", **door(Scope.SCHEDULES_READ, ScheduleShape, refusals=(404,)))
async def get_schedule(call: Asked, name: ScheduleName, tenant: ForTenant = None) -> Response:
    """Read one schedule; its ETag is what a change has to name."""
    found = await schedules.get_schedule(call, name, call.get_tenant(tenant))
    return answer(write_schedule(found), version=found.version)


@router.put(
    "/schedules/{name}", **door(Scope.SCHEDULES_WRITE, ScheduleShape, also=(201,), refusals=(400, 404, 409, 412, 428))
)
async def put_schedule(
    call: Asked, name: ScheduleName, body: ScheduleBody, tenant: ForTenant = None, if_match: IfMatch = None
) -> Response:
    """Create a schedule (201), or change the version that If-Match names (200). A pause stays."""
    wanted = schedules.make_schedule(call, body, name, call.get_tenant(tenant))
    saved, is_new = await schedules.put_schedule(call, wanted, body.reason, read_if_match(if_match))
    return answer(write_schedule(saved), 201 if is_new else 200, version=saved.version)


@router.delete("/schedules/{name}", **door(Scope.SCHEDULES_WRITE, status=204, refusals=(404, 412)))
async def remove_schedule(
    call: Asked, name: ScheduleName, reason: Why, tenant: ForTenant = None, if_match: IfMatch = None
) -> Response:
    """Forget a schedule; with If-Match, only that version. Jobs that it has stored stay."""
    meant = {"tenant": call.get_tenant(tenant), "actor": call.actor, "reason": reason}
    await call.backend.schedules.remove(name, version=read_if_match(if_match), **meant)
    return Response(status_code=204)


@router.post("/schedules/{name}/pause", **door(Scope.SCHEDULES_WRITE, ScheduleShape, refusals=(400, 404, 409)))
async def pause(call: Asked, name: ScheduleName, body: ActBody, tenant: ForTenant = None) -> Response:
    """Let a schedule fire no more until it is resumed."""
    meant = {"tenant": call.get_tenant(tenant), "actor": call.actor, "reason": body.reason}
    saved = await call.backend.schedules.pause(name, **meant)
    return answer(write_schedule(saved), version=saved.version)


@router.post("/schedules/{name}/resume", **door(Scope.SCHEDULES_WRITE, ScheduleShape, refusals=(400, 404, 409)))
async def resume(call: Asked, name: ScheduleName, body: ActBody, tenant: ForTenant = None) -> Response:
    """Let it fire again, from now on; what it missed stays undone."""
    meant = {"tenant": call.get_tenant(tenant), "actor": call.actor, "reason": body.reason}
    saved = await call.backend.schedules.resume(name, **meant)
    return answer(write_schedule(saved), version=saved.version)


@router.post("/schedules/{name}/run", **door(Scope.SCHEDULES_WRITE, VerdictShape, refusals=(400, 404, 409)))
async def run_now(call: Asked, name: ScheduleName, body: ActBody, tenant: ForTenant = None) -> Response:
    """Fire at once, also a paused one; the overlap policy holds."""
    meant = {"tenant": call.get_tenant(tenant), "actor": call.actor, "reason": body.reason}
    return answer(write_verdict(await call.backend.schedules.run_now(name, **meant)))


@router.post("/schedules/{name}/backfill", **door(Scope.SCHEDULES_WRITE, VerdictShape, refusals=(400, 404, 409)))
async def backfill(call: Asked, name: ScheduleName, body: BackfillBody, tenant: ForTenant = None) -> Response:
    """Fire the past instants of a range that have not fired: all of them, or above the limit none."""
    meant = {"tenant": call.get_tenant(tenant), "actor": call.actor, "reason": body.reason}
    wanted = Backfill(since=body.since, until=body.until, limit=body.limit)
    return answer(write_verdict(await call.backend.schedules.backfill(name, wanted, **meant)))


@router.get("/schedules/{name}/fires", **door(Scope.SCHEDULES_READ, FireList, refusals=(404,)))
async def list_fires(
    call: Asked, name: ScheduleName, tenant: ForTenant = None, limit: Limit = DEFAULT_LIMIT
) -> Response:
    """List which instants have fired, the latest first."""
    found = await schedules.get_schedule(call, name, call.get_tenant(tenant))
    fires = await call.backend.schedules.list_fires(name, tenant=found.tenant, limit=limit)
    return answer(write_records("fires", fires))


@router.get("/schedules/{name}/preview", **door(Scope.SCHEDULES_READ, PreviewShape, refusals=(404,)))
async def preview(call: Asked, name: ScheduleName, tenant: ForTenant = None, count: Count = 5) -> Response:
    """Tell the next instants, as if it were not paused."""
    return answer({"instants": await call.backend.schedules.preview(name, tenant=call.get_tenant(tenant), count=count)})
