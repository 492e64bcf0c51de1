"""What people let agents do: answers that may be given, and how often they may apply."""

from typing import Annotated

from fastapi import Query, Request
from msgspec.structs import asdict
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings.answers import find_topic
from dibs.apps.postings.ledger import actions as ledger
from dibs.apps.postings.ledger.store import LONGEST_QUESTION
from dibs.apps.postings.limits import actions as limits
from dibs.apps.postings.limits.caps import Cap
from dibs.apps.postings.office import Office
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.shapes import AnswerBody, AnswerList, CapBody, CapList
from dibs.web.answers.json import answer, check_match, make_version
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import ForTenant, IfMatch

router = make_router("postings", "/api/v1")
Question = Annotated[str | None, Query(max_length=LONGEST_QUESTION, description="Only the answers to this question.")]
IsApproved = Annotated[bool | None, Query(alias="approved", description="Only what a person approved, or the rest.")]


@router.get("/answers", **door(Scope.POSTINGS_READ, AnswerList))
async def list_answers(
    request: Request, question: Question = None, is_approved: IsApproved = None, tenant: ForTenant = None
) -> Response:
    """Read the ledger of answers: each with its source, and who approved it."""
    office, tenant = await open_office(request), find_tenant(request, tenant)
    found = await ledger.list_answers(office, tenant, question, is_approved=is_approved)
    return answer({"answers": [{**asdict(one), "topic": find_topic(one.question)} for one in found]})


@router.put("/answers", **door(Scope.POSTINGS_OPERATE, AnswerList, refusals=(400,)))
async def put_answer(request: Request, body: AnswerBody, tenant: ForTenant = None) -> Response:
    """Give a person's own answer to a question: agents may give it, too."""
    by = find_actor(request, body.reason)
    await ledger.put_answer(await open_office(request), find_tenant(request, tenant), body.question, body.value, by)
    return await list_answers(request, body.question, None, tenant)


@router.post("/answers/approve", **door(Scope.POSTINGS_OPERATE, AnswerList, refusals=(400, 404)))
async def approve_answer(request: Request, body: AnswerBody, tenant: ForTenant = None) -> Response:
    """Let an agent's answer through, from now on."""
    by = find_actor(request, body.reason)
    await ledger.approve_answer(await open_office(request), find_tenant(request, tenant), body.question, body.value, by)
    return await list_answers(request, body.question, None, tenant)


@router.post("/answers/forget", **door(Scope.POSTINGS_OPERATE, AnswerList, refusals=(400, 404)))
async def forget_answer(request: Request, body: AnswerBody, tenant: ForTenant = None) -> Response:
    """Take an answer out of the ledger."""
    by = find_actor(request, body.reason)
    await ledger.forget_answer(await open_office(request), find_tenant(request, tenant), body.question, body.value, by)
    return await list_answers(request, body.question, None, tenant)


@router.get("/caps", **door(Scope.POSTINGS_READ, CapList))
async def list_caps(request: Request, tenant: ForTenant = None) -> Response:
    """Read how often agents may apply."""
    found = await limits.list_caps(await open_office(request), find_tenant(request, tenant))
    return answer({"caps": [_show_cap(cap) for cap in found]})


@router.put("/caps", **door(Scope.POSTINGS_OPERATE, CapList, refusals=(400, 412)))
async def set_cap(request: Request, body: CapBody, tenant: ForTenant = None, if_match: IfMatch = None) -> Response:
    """Set a cap or a cool-down of everything, a board or a company; without any limit it is taken away."""
    office, owner, by = await open_office(request), find_tenant(request, tenant), find_actor(request, body.reason)
    expected = None if if_match is None else await _find_meant(office, owner, body.make_cap(), if_match)
    await limits.set_cap(office, owner, body.make_cap(), by, expected=expected)
    return await list_caps(request, tenant)


async def _find_meant(office: Office, tenant: str, cap: Cap, if_match: str) -> Cap:
    named = limits.name_cap(cap)
    is_it = (one for one in await limits.list_caps(office, tenant) if (one.scope, one.name) == (cap.scope, named.name))
    return check_match(if_match, next(is_it, None), f"cap {cap.scope}:{named.name}")


def _show_cap(cap: Cap) -> dict[str, object]:
    seconds = None if cap.cool_down is None else int(cap.cool_down.total_seconds())
    said = {"scope": cap.scope, "name": cap.name, "most_a_day": cap.most_a_day, "cool_down_seconds": seconds}
    return {**said, "version": make_version(cap)}
