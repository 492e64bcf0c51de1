"""The people for whom agents apply, their resumes and what they answer."""

from typing import Annotated

from fastapi import Path, Request
from pydantic import StringConstraints
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings.office import Office
from dibs.apps.postings.profiles import actions
from dibs.apps.postings.profiles.actions import ProfileStory
from dibs.apps.postings.profiles.model import LONGEST_NAME, VariantDraft
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.profile_shapes import (
    ForgottenShape,
    ProfileBody,
    ProfileList,
    ProfileShape,
    VariantBody,
    list_said,
    show_profile,
)
from dibs.apps.postings.routes.shapes import Id, WhyBody
from dibs.errors import ProfileNotFound, RecordMoved
from dibs.web.answers.json import answer, check_match
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import ForTenant, IfMatch

router = make_router("postings", "/api/v1/postings/profiles")
ProfileName = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME), Path(examples=["p1"])]
VariantId = Annotated[Id, Path(examples=["resume-v2"])]


@router.get("", **door(Scope.POSTINGS_READ, ProfileList))
async def list_profiles(request: Request, tenant: ForTenant = None) -> Response:
    """List the people for whom agents apply, with their variants and how these do."""
    found = await actions.list_profiles(await open_office(request), find_tenant(request, tenant))
    return answer({"profiles": [show_profile(one) for one in found]})


@router.get("/{name}", **door(Scope.POSTINGS_READ, ProfileShape, refusals=(404,)))
async def read_profile(request: Request, name: ProfileName, tenant: ForTenant = None) -> Response:
    """Read a profile: who it is, what they answer, their variants and how these do."""
    return _tagged(await actions.find_profile(await open_office(request), find_tenant(request, tenant), name))


@router.put("/{name}", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400, 412)))
async def put_profile(
    request: Request, name: ProfileName, body: ProfileBody, tenant: ForTenant = None, if_match: IfMatch = None
) -> Response:
    """Say who somebody is and what they answer, all of it at once; agents may give these answers for them."""
    office, owner, by = await open_office(request), find_tenant(request, tenant), find_actor(request, body.reason)
    expected = None if if_match is None else await _find_meant(office, owner, name, if_match)
    return _tagged(await actions.put_profile(office, owner, body.make_draft(name), by, expected=expected))


@router.post("/{name}/forget", **door(Scope.POSTINGS_OPERATE, ForgottenShape, refusals=(400, 404)))
async def forget_profile(request: Request, name: ProfileName, body: WhyBody, tenant: ForTenant = None) -> Response:
    """Take a profile out, with its variants and answers; what runs have left stays."""
    by = find_actor(request, body.reason)
    await actions.forget_profile(await open_office(request), find_tenant(request, tenant), name, by)
    return answer({"forgotten": name})


@router.put("/{name}/variants/{variant_id}", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400, 404, 412)))
async def put_variant(
    request: Request,
    name: ProfileName,
    variant_id: VariantId,
    body: VariantBody,
    tenant: ForTenant = None,
    if_match: IfMatch = None,
) -> Response:
    """Say whose resume a variant is, and where it is. If-Match names the version of the profile."""
    draft = VariantDraft(variant_id=variant_id, profile=name, resume=body.resume, note=body.note)
    office, owner, by = await open_office(request), find_tenant(request, tenant), find_actor(request, body.reason)
    expected = None if if_match is None else await _find_meant(office, owner, name, if_match)
    return _tagged(await actions.put_variant(office, owner, draft, by, expected=expected))


@router.post("/{name}/variants/{variant_id}/forget", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400, 404)))
async def forget_variant(
    request: Request, name: ProfileName, variant_id: VariantId, body: WhyBody, tenant: ForTenant = None
) -> Response:
    """Take a variant of a profile out; its runs are still counted under its id."""
    office, by = await open_office(request), find_actor(request, body.reason)
    story = await actions.forget_variant(office, find_tenant(request, tenant), (name, variant_id), by)
    return _tagged(story)


async def _find_meant(office: Office, tenant: str, name: str, if_match: str) -> ProfileStory:
    try:
        story = await actions.find_profile(office, tenant, name)
    except ProfileNotFound as gone:
        raise RecordMoved(f"profile {name}") from gone
    check_match(if_match, list_said(story), f"profile {name}")
    return story


def _tagged(story: ProfileStory) -> Response:
    shown = show_profile(story)
    return answer(shown, version=shown["version"])
