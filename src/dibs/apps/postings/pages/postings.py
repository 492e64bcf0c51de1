"""Pages of postings: the list, one posting's timeline, what is held, and how variants do."""

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from dibs.access.naming import name_actors
from dibs.access.scopes import Scope
from dibs.apps.postings import actions
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.claims.reconciling import Finding, resolve_hold
from dibs.apps.postings.claims.requests import LONGEST_ID
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.pages import showing
from dibs.apps.postings.pages.asking import EMPTY, ActForm, TenantQuery, hide, make_address
from dibs.apps.postings.pages.showing import make_tabs
from dibs.apps.postings.reading.fields import clean_line
from dibs.apps.postings.records import Tracked
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.shapes import Id
from dibs.apps.postings.variants import LEAST_RUNS
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.paging import LONGEST_CURSOR, read_key_cursor, show_key_cursor

router = make_page_router()
PAGE, MOST_KNOWN = 50, 200
_MOVES = ("expire", "reject", "reopen")
# As titles are kept: what is pasted from a page may hold blanks and letters that no title has.
_LINE = BeforeValidator(lambda given: clean_line(given) or None)


class ListQuery(TenantQuery):
    """Which postings a page shows."""

    q: Annotated[Annotated[str, Field(max_length=LONGEST_ID)] | None, _LINE] = None
    status: Annotated[PostingState | None, EMPTY] = None
    board: Annotated[Annotated[str, Field(max_length=LONGEST_ID)] | None, EMPTY] = None
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR)


class OneQuery(TenantQuery):
    """Which posting."""

    job_id: Id
    board: str | None = Field(None, max_length=LONGEST_ID)


class KnownQuery(TenantQuery):
    """Which posting, by our own id."""

    id: Id


class MoveForm(ActForm):
    """Which posting goes where."""

    verb: Annotated[str, Field(pattern=f"^({'|'.join(_MOVES)})$")]
    job_id: Id
    board: Id


class RunForm(ActForm):
    """Which run."""

    run_id: Id


class ApprovalForm(RunForm):
    """Which run, as it was on the page."""

    version: int | None = Field(None, ge=1)


class FindingForm(RunForm):
    """What was found out."""

    finding: Finding


@router.get("/postings", **page(Scope.POSTINGS_READ))
async def list_postings(request: Request, query: Annotated[ListQuery, Query()]) -> Response:
    """List postings in the order they were found."""
    office, tenant = await open_office(request), find_tenant(request, query.tenant)
    after = read_key_cursor(query.cursor) or ""
    filters = {"state": query.status, "board": query.board, "words": query.q}
    found = await actions.list_postings(office, tenant, filters, after=after, limit=PAGE)
    given = query.model_dump(exclude={"cursor"}, exclude_none=True)
    following = {**given, "cursor": show_key_cursor(found[-1].id)} if len(found) == PAGE else None
    return render(
        request,
        "postings/list.html",
        is_live=query.cursor is None,
        postings=found,
        query=query,
        is_narrow=bool(given.keys() - {"tenant"}),
        tabs=make_tabs(given, await actions.count_states(office, tenant)),
        boards=[one.name for one in (await actions.list_boards(office, tenant))[:MOST_KNOWN]],
        everything=make_address("/postings", {"tenant": query.tenant}),
        board_address=lambda name: make_address("/postings", {"board": name, "tenant": query.tenant}),
        show=showing,
        way={
            "first": make_address("/postings", given) if query.cursor else None,
            "next": following and make_address("/postings", following),
            "word": "More",
        },
        address=lambda one: _address_of(one, query.tenant),
        now=await _now(request),
    )


@router.get("/postings/one", **page(Scope.POSTINGS_READ))
async def show_posting(request: Request, query: Annotated[OneQuery, Query()]) -> Response:
    """Show a posting, every run at it with what it left, and what people did."""
    office, tenant = await open_office(request), find_tenant(request, query.tenant)
    found = await actions.find_timeline(office, tenant, query.job_id, query.board or None)
    return render(
        request,
        "postings/posting.html",
        is_live=True,
        tracked=found.posting,
        runs=found.runs,
        acts=found.acts,
        waiting=found.waiting,
        unanswered={one.label for one in found.unanswered},
        names=await _name_people(request, tenant, found),
        show=showing,
        address=lambda path, **named: make_address(path, {**named, "tenant": query.tenant}),
        hidden=hide(query.tenant),
        findings=list(Finding),
        now=await _now(request),
    )


@router.get("/postings/known", **page(Scope.POSTINGS_READ))
async def find_posting(request: Request, query: Annotated[KnownQuery, Query()]) -> Response:
    """Lead to a posting by our own id, which the audit log knows it by."""
    found = await actions.get_posting(await open_office(request), find_tenant(request, query.tenant), query.id)
    return go_to(_address_of(found, query.tenant))


@router.get("/postings/held", **page(Scope.POSTINGS_READ))
async def list_held(request: Request, query: Annotated[TenantQuery, Query()]) -> Response:
    """List what somebody has to find out about."""
    office, tenant = await open_office(request), find_tenant(request, query.tenant)
    held = await actions.list_postings(office, tenant, {"is_held": True}, limit=500)
    return render(
        request,
        "postings/held.html",
        is_live=True,
        postings=held,
        last_words=await actions.find_holders(office, tenant, held),
        hidden=hide(query.tenant),
        findings=list(Finding),
        address=lambda one: _address_of(one, query.tenant),
        now=await _now(request),
    )


@router.get("/postings/approvals", **page(Scope.POSTINGS_READ))
async def list_awaiting(request: Request, query: Annotated[TenantQuery, Query()]) -> Response:
    """List the runs that submit nothing before somebody approves them."""
    awaiting = await actions.list_awaiting(await open_office(request), find_tenant(request, query.tenant))
    return render(
        request,
        "postings/approvals.html",
        is_live=True,
        awaiting=awaiting,
        address=lambda one: _address_of(one, query.tenant),
        now=await _now(request),
    )


@router.get("/postings/variants", **page(Scope.POSTINGS_READ))
async def list_variants(request: Request, query: Annotated[TenantQuery, Query()]) -> Response:
    """Show how resume variants do."""
    measures = await actions.measure(await open_office(request), find_tenant(request, query.tenant))
    home = make_address("/postings/profiles", {"tenant": query.tenant})
    return render(request, "postings/variants.html", measures=measures, least=LEAST_RUNS, home=home)


@router.post("/postings/move", **page(Scope.POSTINGS_OPERATE))
async def move(request: Request) -> Response:
    """Expire, reject or reopen a posting."""
    form = await read_form(request, MoveForm)
    office, by = await open_office(request), find_actor(request, form.reason)
    named = (form.job_id, form.board)
    moved = await actions.move_by_hand(office, find_tenant(request, form.tenant), named, form.verb, by)
    return go_to(_address_of(moved, form.tenant), f"Posting {moved.external_id} is {moved.state}.")


@router.post("/postings/approve", **page(Scope.POSTINGS_OPERATE))
async def approve(request: Request) -> Response:
    """Let a run submit."""
    form = await read_form(request, ApprovalForm)
    office, tenant = await open_office(request), find_tenant(request, form.tenant)
    await approve_run(office, tenant, form.run_id, find_actor(request, form.reason), version=form.version)
    found = await actions.get_run(office, tenant, form.run_id)
    return go_to(_address_of(found.posting, form.tenant), f"Run {form.run_id} may submit.")


@router.post("/postings/resolve", **page(Scope.POSTINGS_OPERATE))
async def resolve(request: Request) -> Response:
    """End a hold."""
    form = await read_form(request, FindingForm)
    office, by = await open_office(request), find_actor(request, form.reason)
    moved = await resolve_hold(office, find_tenant(request, form.tenant), form.run_id, form.finding, by)
    return go_to(_address_of(moved, form.tenant), f"Posting {moved.external_id} is {moved.state}.")


def _address_of(tracked: Tracked, tenant: str | None) -> str:
    return make_address("/postings/one", {"job_id": tracked.external_id, "board": tracked.board, "tenant": tenant})


async def _name_people(request: Request, tenant: str, found: actions.Timeline) -> dict[str, str]:
    """Give the names of those who did something with a posting, as far as the reader may know them."""
    actors = [act.actor for act in found.acts] + [run.approved_by for run in found.runs if run.approved_by]
    return await name_actors(request.state.principal, request.app.state.tables, ((one, tenant) for one in actors))


async def _now(request: Request) -> Any:
    return await (await request.app.state.engine.backend()).reader.now()
