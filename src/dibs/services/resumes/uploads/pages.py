"""Pages of resumes: the list, and one resume with the places in its document that each field came from."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Path, Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.access.store import find_names
from dibs.services.resumes.uploads import actions
from dibs.services.resumes.uploads.actions import Changes
from dibs.services.resumes.uploads.correcting.places import LONGEST_PATH, LONGEST_TEXT
from dibs.services.resumes.uploads.grouping import group_fields
from dibs.services.resumes.uploads.model import Upload, UploadState, UploadStatus
from dibs.services.resumes.uploads.overlay import list_frames, list_pages
from dibs.services.resumes.uploads.routes.asking import find_actor, find_tenant, open_desk, send_document
from dibs.services.resumes.uploads.routes.receiving import receive_file
from dibs.storage.sight import sight_of
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.navigation import NavItem
from dibs.web.pages.shell import go_to, render
from dibs.web.pages.subjects import SubjectPage
from dibs.web.paging import LONGEST_CURSOR, read_key_cursor, show_key_cursor
from dibs.web.shapes.parts import Name, Reason

router = make_page_router()
SUBJECTS = (SubjectPage(prefix="resume:", address="/resumes/{name}?tenant={tenant}", scope=Scope.RESUMES_READ),)
NAV = (NavItem(label="Resumes", path="/resumes", scope=Scope.RESUMES_READ, group="Apps", icon="page"),)
PAGE = 50
# A field of a form that was left empty comes as an empty text.
EMPTY = BeforeValidator(lambda given: given or None)
ResumeId = Annotated[str, Path(min_length=1, max_length=200)]


class TenantQuery(BaseModel):
    """Whose resumes."""

    model_config = ConfigDict(extra="forbid")

    tenant: Annotated[Name | None, EMPTY] = None


class ListQuery(TenantQuery):
    """Which resumes a page shows."""

    status: Annotated[UploadStatus | None, EMPTY] = None
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR)


class ActForm(BaseModel):
    """Why something is done, and for whom."""

    reason: Reason
    tenant: Name | None = None


class CorrectForm(ActForm):
    """Which field is what; nothing: it is none."""

    path: str = Field(min_length=1, max_length=LONGEST_PATH)
    value: str | None = Field(None, max_length=LONGEST_TEXT)


class ReviewForm(ActForm):
    """Whether a person has looked at all of it."""

    reviewed: bool


@router.get("/resumes", **page(Scope.RESUMES_READ))
async def list_resumes(request: Request, query: Annotated[ListQuery, Query()]) -> Response:
    """List resumes, the newest first."""
    owner, before = find_tenant(request, query.tenant), read_key_cursor(query.cursor)
    found = await actions.list_resumes(
        open_desk(request), owner, {"status": query.status}, before=before, limit=PAGE + 1
    )
    given = query.model_dump(exclude={"cursor"}, exclude_none=True)
    following = {**given, "cursor": show_key_cursor(found[PAGE - 1].id)} if len(found) > PAGE else None
    return render(
        request,
        "uploads/list.html",
        is_live=query.cursor is None,
        resumes=found[:PAGE],
        query=query,
        statuses=list(UploadStatus),
        hidden=_hide(query.tenant),
        largest=open_desk(request).settings.max_bytes,
        way={
            "first": _address("/resumes", given) if query.cursor else None,
            "next": following and _address("/resumes", following),
            "word": "Older",
        },
        address=lambda one: _address_of(one.id, query.tenant),
        now=await _now(request),
    )


@router.get("/resumes/{resume_id}", **page(Scope.RESUMES_READ))
async def show_resume(request: Request, resume_id: ResumeId, query: Annotated[TenantQuery, Query()]) -> Response:
    """Show a resume: its fields, how sure they are, and where in the document they stand."""
    desk, owner = open_desk(request), find_tenant(request, query.tenant)
    shown = await actions.get_resume(desk, owner, resume_id)
    sheet = await actions.get_sheet(desk, owner, resume_id)
    meta = {} if shown.resume is None else shown.resume["meta"]
    return render(
        request,
        "uploads/resume.html",
        is_live=shown.upload.state != UploadState.DONE,
        upload=shown.upload,
        meta=meta,
        flags=meta.get("flags", ()),
        language=meta.get("language"),
        sections=group_fields(meta.get("fields", {})),
        names=await _name(request, owner, shown.upload, meta),
        sheets=() if sheet is None else list_pages(sheet),
        frames=list_frames(shown.resume or {}),
        hidden=_hide(query.tenant),
        download=_address(f"/resumes/{resume_id}/document", {"tenant": query.tenant}),
        now=await _now(request),
    )


@router.get("/resumes/{resume_id}/document", **page(Scope.RESUMES_READ))
async def download(request: Request, resume_id: ResumeId, query: Annotated[TenantQuery, Query()]) -> Response:
    """Give the file as it was handed in."""
    return await send_document(request, resume_id, query.tenant)


@router.post("/resumes/upload", **page(Scope.RESUMES_WRITE))
async def upload(request: Request, query: Annotated[TenantQuery, Query()]) -> Response:
    """Hand in a resume."""
    desk, owner = open_desk(request), find_tenant(request, query.tenant)
    async with receive_file(request, desk.settings.max_bytes) as given:
        shown, is_new = await actions.hand_in(desk, owner, given, find_actor(request))
    said = f"{shown.upload.name or 'The resume'} is here." if is_new else "This very file was here already."
    return go_to(_address_of(shown.upload.id, query.tenant), said)


@router.post("/resumes/{resume_id}/correct", **page(Scope.RESUMES_WRITE))
async def correct(request: Request, resume_id: ResumeId) -> Response:
    """Correct a field."""
    form = await read_form(request, CorrectForm)
    return await _change(
        request, resume_id, form, Changes(fields={form.path: form.value}), f"{form.path} is corrected."
    )


@router.post("/resumes/{resume_id}/review", **page(Scope.RESUMES_WRITE))
async def review(request: Request, resume_id: ResumeId) -> Response:
    """Say that a person has looked at all of it."""
    form = await read_form(request, ReviewForm)
    return await _change(request, resume_id, form, Changes(fields={}, is_reviewed=form.reviewed), "Noted.")


@router.post("/resumes/{resume_id}/read", **page(Scope.RESUMES_WRITE))
async def read_again(request: Request, resume_id: ResumeId) -> Response:
    """Have the document read anew."""
    form = await read_form(request, ActForm)
    owner, by = find_tenant(request, form.tenant), find_actor(request, form.reason)
    await actions.read_again(open_desk(request), owner, resume_id, by)
    return go_to(_address_of(resume_id, form.tenant), "A job reads it again.")


@router.post("/resumes/{resume_id}/remove", **page(Scope.RESUMES_WRITE))
async def remove(request: Request, resume_id: ResumeId) -> Response:
    """Forget a resume."""
    form = await read_form(request, ActForm)
    owner, by = find_tenant(request, form.tenant), find_actor(request, form.reason)
    await actions.remove_resume(open_desk(request), owner, resume_id, by)
    return go_to(_address("/resumes", _hide(form.tenant)), "The resume is forgotten.")


async def _change(request: Request, resume_id: str, form: ActForm, changes: Changes, said: str) -> Response:
    owner, by = find_tenant(request, form.tenant), find_actor(request, form.reason)
    await actions.correct_resume(open_desk(request), owner, resume_id, changes, by)
    return go_to(_address_of(resume_id, form.tenant), said)


async def _name(request: Request, owner: str, upload: Upload, meta: dict[str, Any]) -> dict[str, str]:
    """Give the names of the owner's and the reader's people who handed it in, looked it over or corrected it."""
    fields = meta.get("fields", {}).values()
    said = {upload.uploaded_by, upload.reviewed_by, *(field.get("corrected_by") for field in fields)}
    ids = {one.partition(":")[2] for one in said if one}
    names: dict[str, str] = {}
    for tenant in {owner, request.state.principal.tenant}:
        async with request.app.state.tables.reading(sight_of(tenant)) as transaction:
            names |= await find_names(transaction, ids)
    return names


def _address_of(resume_id: str, tenant: str | None) -> str:
    return _address(f"/resumes/{resume_id}", {"tenant": tenant})


def _address(path: str, given: dict[str, Any]) -> str:
    query = urlencode({name: value for name, value in given.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path


def _hide(tenant: str | None) -> dict[str, str]:
    """What every form of a page carries along."""
    return {} if tenant is None else {"tenant": tenant}


async def _now(request: Request) -> Any:
    return await (await request.app.state.engine.backend()).reader.now()
