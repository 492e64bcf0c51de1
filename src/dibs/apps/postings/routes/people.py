"""What people do: look at one posting or run, move it, approve, find out, set how boards are treated."""

from typing import Annotated

from fastapi import Path, Query, Request
from msgspec.structs import asdict
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings import actions
from dibs.apps.postings.claims import wire
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.claims.reconciling import resolve_hold
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import Awaiting, BoardCard, BoardPolicy
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.profile_shapes import VariantList
from dibs.apps.postings.routes.shapes import (
    ApprovalBody,
    AwaitingList,
    BoardList,
    BoardShape,
    FindingBody,
    Id,
    MoveBody,
    MovedPostingShape,
    PolicyBody,
    RunStoryShape,
    TimelineShape,
)
from dibs.web.answers.json import answer, check_match, make_version
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import ForTenant, IfMatch

router = make_router("postings", "/api/v1")
JobId = Annotated[Id, Path(description="The id of the posting on its board.", examples=["12345"])]
RunId = Annotated[Id, Path(examples=["6f1c9a52"])]
BoardName = Annotated[Id, Path(examples=["ramp"])]
AtBoard = Annotated[Id | None, Query(description="Only what came of runs at this board.")]
WithVariant = Annotated[
    str, Query(max_length=200, description="The resume that would be sent: what its person answers counts as answered.")
]
OfProfile = Annotated[Id | None, Query(description="Only the variants of this profile.")]
OnBoard = Annotated[Id | None, Query(description="The board, where several have a posting of this id.")]


@router.get("/postings/{job_id}", **door(Scope.POSTINGS_READ, TimelineShape, refusals=(404,)))
async def show_posting(
    request: Request, job_id: JobId, board: OnBoard = None, variant_id: WithVariant = "", tenant: ForTenant = None
) -> Response:
    """Read a posting with its text, its questions, all runs at it and all that people did."""
    office, tenant = await open_office(request), find_tenant(request, tenant)
    found = await actions.find_timeline(office, tenant, job_id, board, variant_id=variant_id)
    return answer(
        {
            "job": wire.show_posting(found.posting),
            "text": found.posting.posting.text,
            "questions": found.posting.posting.questions,
            "unanswered": [question.label for question in found.unanswered],
            "runs": [wire.show_run(run, found.posting) for run in found.runs],
            "acts": found.acts,
        }
    )


async def _move(request: Request, verb: str, job_id: str, body: MoveBody, tenant: str | None) -> Response:
    office, by = await open_office(request), find_actor(request, body.reason)
    moved = await actions.move_by_hand(office, find_tenant(request, tenant), (job_id, body.board), verb, by)
    return answer({"job": wire.show_posting(moved)})


@router.post("/postings/{job_id}/expire", **door(Scope.POSTINGS_OPERATE, MovedPostingShape, refusals=(400, 404)))
async def expire(request: Request, job_id: JobId, body: MoveBody, tenant: ForTenant = None) -> Response:
    """Take a posting out because it is over."""
    return await _move(request, "expire", job_id, body, tenant)


@router.post("/postings/{job_id}/reject", **door(Scope.POSTINGS_OPERATE, MovedPostingShape, refusals=(400, 404)))
async def reject(request: Request, job_id: JobId, body: MoveBody, tenant: ForTenant = None) -> Response:
    """Take a posting out because nobody should apply to it."""
    return await _move(request, "reject", job_id, body, tenant)


@router.post("/postings/{job_id}/reopen", **door(Scope.POSTINGS_OPERATE, MovedPostingShape, refusals=(400, 404)))
async def reopen(request: Request, job_id: JobId, body: MoveBody, tenant: ForTenant = None) -> Response:
    """Bring an expired or rejected posting back; one that was applied to stays applied."""
    return await _move(request, "reopen", job_id, body, tenant)


@router.get("/runs/{run_id}", **door(Scope.POSTINGS_READ, RunStoryShape, refusals=(404,)))
async def show_run(request: Request, run_id: RunId, tenant: ForTenant = None) -> Response:
    """Read a run with all its reports."""
    found = await actions.get_run(await open_office(request), find_tenant(request, tenant), run_id)
    return answer({"run": wire.show_run(found.run, found.posting), "versions": found.versions})


@router.get("/approvals", **door(Scope.POSTINGS_READ, AwaitingList))
async def list_awaiting(request: Request, tenant: ForTenant = None) -> Response:
    """List the runs that submit nothing before a person approves them, those heard of last first; 100 at the most."""
    found = await actions.list_awaiting(await open_office(request), find_tenant(request, tenant))
    return answer({"approvals": [_show_awaiting(one) for one in found]})


@router.post("/runs/{run_id}/approve", **door(Scope.POSTINGS_OPERATE, RunStoryShape, refusals=(400, 404)))
async def approve(request: Request, run_id: RunId, body: ApprovalBody, tenant: ForTenant = None) -> Response:
    """Let a pending run submit."""
    office, by = await open_office(request), find_actor(request, body.reason)
    await approve_run(office, find_tenant(request, tenant), run_id, by, version=body.version)
    return await show_run(request, run_id, tenant)


@router.post("/runs/{run_id}/resolve", **door(Scope.POSTINGS_OPERATE, MovedPostingShape, refusals=(400, 404)))
async def resolve(request: Request, run_id: RunId, body: FindingBody, tenant: ForTenant = None) -> Response:
    """End a hold: say whether the run has submitted."""
    office, by = await open_office(request), find_actor(request, body.reason)
    moved = await resolve_hold(office, find_tenant(request, tenant), run_id, body.finding, by)
    return answer({"job": wire.show_posting(moved)})


@router.get("/boards", **door(Scope.POSTINGS_READ, BoardList))
async def list_boards(request: Request, tenant: ForTenant = None) -> Response:
    """List the boards that were ever crawled, and how they are treated."""
    found = await actions.list_boards(await open_office(request), find_tenant(request, tenant))
    return answer({"boards": [_show_board(one) for one in found]})


@router.put("/boards/{board}/policy", **door(Scope.POSTINGS_OPERATE, BoardShape, refusals=(400, 404, 412)))
async def set_policy(
    request: Request, board: BoardName, body: PolicyBody, tenant: ForTenant = None, if_match: IfMatch = None
) -> Response:
    """Set how agents are to treat a board, all of it at once; with If-Match, only if it is still what you have read."""
    office, owner, by = await open_office(request), find_tenant(request, tenant), find_actor(request, body.reason)
    expected = None if if_match is None else await _find_meant(office, owner, board, if_match)
    card = await actions.set_policy(office, owner, board, body.make_policy(), by, expected=expected)
    return answer(_show_board(card), version=make_version(card.policy))


async def _find_meant(office: Office, tenant: str, board: str, if_match: str) -> BoardPolicy | None:
    card = next((one for one in await actions.list_boards(office, tenant) if one.name == board), None)
    return None if card is None else check_match(if_match, card.policy, f"policy of board {board}")


@router.get("/variants", **door(Scope.POSTINGS_READ, VariantList))
async def list_variants(
    request: Request, board: AtBoard = None, profile: OfProfile = None, tenant: ForTenant = None
) -> Response:
    """Measure how resume variants do, with intervals; below 20 finished runs there is no rate."""
    office = await open_office(request)
    found = await actions.measure(office, find_tenant(request, tenant), board=board, profile=profile)
    return answer({"variants": found})


def _show_awaiting(one: Awaiting) -> dict[str, object]:
    run, said = wire.show_run(one.run, one.posting), one.posting.posting
    return {"title": said.title, "company": said.company, "run": run, "answers": one.answers, "guessed": one.guessed}


def _show_board(card: BoardCard) -> dict[str, object]:
    return {**asdict(card), "version": make_version(card.policy)}
