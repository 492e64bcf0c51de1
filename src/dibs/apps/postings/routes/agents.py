"""What agents ask for: the contract that they speak at /api/crawler/jobs, and the same at /api/v1/postings."""

from typing import Annotated, Any

from fastapi import Query, Request
from msgspec.structs import replace
from pydantic import BaseModel
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings import actions
from dibs.apps.postings.claims import wire
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.routes.asking import find_tenant, open_office, read_json
from dibs.apps.postings.routes.shapes import ClaimBody, FoundShape, PostingQuery, ReportBody, RunShape
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
from dibs.web.paging import read_key_cursor, show_key_cursor
from dibs.web.shapes.parts import ForTenant

crawler = make_router("agents", "/api/crawler")
api = make_router("postings", "/api/v1")


def _reading(body: type[BaseModel], doorway: dict[str, Any]) -> dict[str, Any]:
    """Describe a body that its route reads by itself, because all its faults are told at once."""
    content = {"application/json": {"schema": body.model_json_schema()}}
    extra = {**doorway["openapi_extra"], "requestBody": {"required": True, "content": content}}
    return {**doorway, "openapi_extra": extra}


async def claim(request: Request, tenant: ForTenant = None) -> Response:
    """Claim a posting for a run (201). 409 names the rule, the run that has it (holder) and when to try again."""
    asked = wire.read_claim(await read_json(request))
    claimed = await claim_posting(await open_office(request), find_tenant(request, tenant), asked)
    # As it was when the run began: a request that is repeated is answered alike.
    return answer(wire.show_run(claimed.run, replace(claimed.posting, holder=claimed.run.run_id)), 201)


async def report(request: Request, tenant: ForTenant = None) -> Response:
    """Report on a run: its status, artifacts that are merged into what is there, an error. Renews the claim."""
    said = wire.read_report(await read_json(request))
    office, tenant = await open_office(request), find_tenant(request, tenant)
    run = await record_progress(office, tenant, said)
    return answer(wire.show_run(run, await actions.get_posting(office, tenant, run.posting_id)))


async def look(request: Request, query: Annotated[PostingQuery, Query()]) -> Response:
    """List postings in the order they were found, or with runs_for the runs at one."""
    office, tenant = await open_office(request), find_tenant(request, query.tenant)
    if query.runs_for is not None:
        found = await actions.find_timeline(office, tenant, query.runs_for, query.board)
        runs = [wire.show_run(run, found.posting) for run in found.runs]
        return answer({"job": wire.show_posting(found.posting), "runs": runs})
    filters = {
        "state": query.status,
        "board": query.board,
        "is_held": query.held,
        "is_claimable": query.claimable,
    }
    after = read_key_cursor(query.cursor) or ""
    page = await actions.list_postings(office, tenant, filters, after=after, limit=query.limit)
    next_cursor = show_key_cursor(page[-1].id) if len(page) == query.limit else None
    return answer({"jobs": [wire.show_posting(one) for one in page], "next_cursor": next_cursor})


_CLAIM = _reading(ClaimBody, door(Scope.POSTINGS_WRITE, RunShape, status=201, refusals=(400, 404, 409, 413)))
_REPORT = _reading(ReportBody, door(Scope.POSTINGS_WRITE, RunShape, refusals=(400, 404, 409, 413)))
for _router, _path in ((crawler, "/jobs"), (api, "/postings")):
    _router.post(_path, **_CLAIM)(claim)
    _router.patch(_path, **_REPORT)(report)
    _router.get(_path, **door(Scope.POSTINGS_READ, FoundShape, refusals=(404,)))(look)
