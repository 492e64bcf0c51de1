"""The page of profiles: who applies, with which resumes, and how these do."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.apps.postings.pages.asking import ActForm, TenantQuery, hide, make_address
from dibs.apps.postings.profiles import actions
from dibs.apps.postings.profiles.model import LONGEST_QUESTION, LONGEST_VALUE, ProfileDraft, VariantDraft
from dibs.apps.postings.routes.asking import find_actor, find_tenant, open_office
from dibs.apps.postings.routes.profile_shapes import Line
from dibs.apps.postings.routes.shapes import Id
from dibs.apps.postings.variants import LEAST_RUNS
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Name

router = make_page_router()
HOME = "/postings/profiles"


class ProfileForm(ActForm):
    """Who somebody is."""

    name: Name
    full_name: Annotated[Line, Field(min_length=1)]
    contact: Line = ""


class VariantForm(ActForm):
    """Whose resume it is, and where."""

    name: Name
    variant_id: Id
    resume: Line = ""


class OwnAnswerForm(ActForm):
    """What somebody answers."""

    name: Name
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    value: Annotated[str, Field(max_length=LONGEST_VALUE)]


class ForgetForm(ActForm):
    """Whose profile."""

    name: Name


@router.get(HOME, **page(Scope.POSTINGS_READ))
async def list_profiles(request: Request, query: Annotated[TenantQuery, Query()]) -> Response:
    """List the people for whom agents apply."""
    stories = await actions.list_profiles(await open_office(request), find_tenant(request, query.tenant))
    return render(request, "postings/profiles.html", stories=stories, least=LEAST_RUNS, hidden=hide(query.tenant))


@router.post(f"{HOME}/put", **page(Scope.POSTINGS_OPERATE))
async def put_profile(request: Request) -> Response:
    """Say who somebody is; their answers stay as they are."""
    form = await read_form(request, ProfileForm)
    draft = ProfileDraft(name=form.name, full_name=form.full_name, contact=form.contact)
    office, by = await open_office(request), find_actor(request, form.reason)
    await actions.put_profile(office, find_tenant(request, form.tenant), draft, by)
    return _go_home(form, f"Profile {form.name} is kept.")


@router.post(f"{HOME}/answer", **page(Scope.POSTINGS_OPERATE))
async def answer_for(request: Request) -> Response:
    """Add an answer of theirs."""
    form = await read_form(request, OwnAnswerForm)
    office, by = await open_office(request), find_actor(request, form.reason)
    await actions.answer_for(office, find_tenant(request, form.tenant), form.name, {form.question: form.value}, by)
    return _go_home(form, f"Agents may answer this for {form.name}.")


@router.post(f"{HOME}/variant", **page(Scope.POSTINGS_OPERATE))
async def put_variant(request: Request) -> Response:
    """Say whose resume a variant is."""
    form = await read_form(request, VariantForm)
    draft = VariantDraft(variant_id=form.variant_id, profile=form.name, resume=form.resume)
    office, by = await open_office(request), find_actor(request, form.reason)
    await actions.put_variant(office, find_tenant(request, form.tenant), draft, by)
    return _go_home(form, f"Variant {form.variant_id} is {form.name}'s.")


@router.post(f"{HOME}/forget", **page(Scope.POSTINGS_OPERATE))
async def forget_profile(request: Request) -> Response:
    """Take a profile out."""
    form = await read_form(request, ForgetForm)
    office, by = await open_office(request), find_actor(request, form.reason)
    await actions.forget_profile(office, find_tenant(request, form.tenant), form.name, by)
    return _go_home(form, f"Profile {form.name} is gone.")


def _go_home(form: ActForm, said: str) -> Response:
    return go_to(make_address(HOME, {"tenant": form.tenant}), said)
