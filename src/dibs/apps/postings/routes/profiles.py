"""The people for whom agents apply, their resumes and what they answer."""

from typing import Annotated

from fastapi import Path, Request
from pydantic import StringConstraints
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings.profiles import actions
from dibs.apps.postings.profiles.model import LONGEST_NAME, VariantDraft
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.profile_shapes import (
    ForgottenShape,
    ProfileBody,
    ProfileList,
    ProfileShape,
    VariantBody,
    show_profile,
)
from dibs.apps.postings.routes.shapes import Id, WhyBody
from dibs.web.answers import answer
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import Tenant

router = make_router("postings", "/api/v1/postings/profiles")
ProfileName = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME), Path(examples=["p1"])]
VariantId = Annotated[Id, Path(examples=["resume-v2"])]


@router.get("", **door(Scope.POSTINGS_READ, ProfileList))
async def list_profiles(request: Request, tenant: Tenant = None) -> Response:
    """List the people for whom agents apply, with their variants and how these do."""
    found = await actions.list_profiles(await open_office(request), find_tenant(request, tenant))
    return answer({"profiles": [show_profile(one) for one in found]})


@router.get("/{name}", **door(Scope.POSTINGS_READ, ProfileShape, refusals=(404,)))
async def read_profile(request: Request, name: ProfileName, tenant: Tenant = None) -> Response:
    """Read a profile: who it is, what they answer, their variants and how these do."""
    return answer(
        show_profile(await actions.find_profile(await open_office(request), find_tenant(request, tenant), name))
    )


@router.put("/{name}", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400,)))
async def put_profile(request: Request, name: ProfileName, body: ProfileBody, tenant: Tenant = None) -> Response:
    """Say who somebody is and what they answer, all of it at once; agents may give these answers for them."""
    office, by = await open_office(request), find_actor(request, body.reason)
    return answer(
        show_profile(await actions.put_profile(office, find_tenant(request, tenant), body.make_draft(name), by))
    )


@router.post("/{name}/forget", **door(Scope.POSTINGS_OPERATE, ForgottenShape, refusals=(400, 404)))
async def forget_profile(request: Request, name: ProfileName, body: WhyBody, tenant: Tenant = None) -> Response:
    """Take a profile out, with its variants and answers; what runs have left stays."""
    by = find_actor(request, body.reason)
    await actions.forget_profile(await open_office(request), find_tenant(request, tenant), name, by)
    return answer({"forgotten": name})


@router.put("/{name}/variants/{variant_id}", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400, 404)))
async def put_variant(
    request: Request, name: ProfileName, variant_id: VariantId, body: VariantBody, tenant: Tenant = None
) -> Response:
    """Say whose resume a variant is, and where it is."""
    draft = VariantDraft(variant_id=variant_id, profile=name, resume=body.resume, note=body.note)
    office, by = await open_office(request), find_actor(request, body.reason)
    return answer(show_profile(await actions.put_variant(office, find_tenant(request, tenant), draft, by)))


@router.post("/{name}/variants/{variant_id}/forget", **door(Scope.POSTINGS_OPERATE, ProfileShape, refusals=(400, 404)))
async def forget_variant(
    request: Request, name: ProfileName, variant_id: VariantId, body: WhyBody, tenant: Tenant = None
) -> Response:
    """Take a variant of a profile out; its runs are still counted under its id."""
    office, by = await open_office(request), find_actor(request, body.reason)
    story = await actions.forget_variant(office, find_tenant(request, tenant), (name, variant_id), by)
    return answer(show_profile(story))
