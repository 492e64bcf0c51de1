"""What can be asked of resumes."""

from typing import Annotated, Any

from fastapi import Header, Path, Query, Request
from msgspec.structs import asdict
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.services.resumes.uploads import actions
from dibs.services.resumes.uploads.actions import Changes, Shown
from dibs.services.resumes.uploads.overlay import POLICY, draw_overlay
from dibs.services.resumes.uploads.routes.asking import find_actor, find_tenant, make_limits, open_desk, send_document
from dibs.services.resumes.uploads.routes.forms import FIELD, FORM
from dibs.services.resumes.uploads.routes.receiving import receive_file
from dibs.services.resumes.uploads.routes.shapes import (
    CorrectionBody,
    ReadAgainBody,
    ResumeList,
    ResumeQuery,
    ResumeShape,
    UploadShape,
)
from dibs.web.answers.json import answer, read_if_match
from dibs.web.doors import door, make_router
from dibs.web.entrance.intake import IntakeLimits
from dibs.web.paging import read_key_cursor, show_key_cursor
from dibs.web.shapes.parts import ForTenant, Reason

PREFIX = "/api/v1"
PATH = f"{PREFIX}/resumes"
PAGE_PATH = "/resumes/upload"
LONGEST_NAME = 1_000
router = make_router("resumes", PREFIX)
ResumeId = Annotated[str, Path(min_length=1, max_length=200, examples=["0198c5a0-5d2e-7c3a-9d3e-2f1f6f6f9f11"])]
FileName = Annotated[
    str, Query(max_length=LONGEST_NAME, description="What the file is called, where the body is the file itself.")
]
IfMatch = Annotated[str | None, Header(description="The ETag that reading it gave: only that version is changed.")]
Why = Annotated[Reason, Query(description="Why; it stands in the audit log.")]
_BINARY = {"type": "string", "format": "binary"}
_BODY = {
    "required": True,
    "content": {
        FORM: {"schema": {"type": "object", "properties": {FIELD: _BINARY}, "required": [FIELD]}},
        "application/octet-stream": {"schema": _BINARY},
    },
}


def find_uploads() -> dict[str, IntakeLimits]:
    """Say where files come in, and how large they may be."""
    return dict.fromkeys((PATH, PAGE_PATH), make_limits())


def _taking_files(doorway: dict[str, Any]) -> dict[str, Any]:
    return {**doorway, "openapi_extra": {**doorway["openapi_extra"], "requestBody": _BODY}}


def _file_door(media_type: str) -> dict[str, Any]:
    named = door(Scope.RESUMES_READ, refusals=(404,))
    content = {media_type: {"schema": _BINARY}}
    return {**named, "responses": {**named["responses"], 200: {"description": "Given.", "content": content}}} | {
        "response_class": Response
    }


def _write(shown: Shown) -> dict[str, Any]:
    return {**asdict(shown.upload), "resume": shown.resume}


@router.post(
    "/resumes",
    **_taking_files(door(Scope.RESUMES_WRITE, ResumeShape, status=201, also=(200,), refusals=(400, 408, 413))),
)
async def hand_in(request: Request, name: FileName = "", tenant: ForTenant = None) -> Response:  # noqa: ARG001 - receive_file reads the name
    """Hand in a resume, as a form with one file or as the body itself.

    Answers within two seconds with what is text; the state `partial` says that a job goes on with pictures or a model.
    The very same file again gives the resume that is there (200).
    """
    desk, owner = open_desk(request), find_tenant(request, tenant)
    async with receive_file(request, desk.settings.max_bytes) as given:
        shown, is_new = await actions.hand_in(desk, owner, given, find_actor(request))
    location = f"{PATH}/{shown.upload.id}"
    return answer(_write(shown), 201 if is_new else 200, version=shown.upload.version, location=location)


@router.get("/resumes", **door(Scope.RESUMES_READ, ResumeList))
async def list_resumes(request: Request, query: Annotated[ResumeQuery, Query()]) -> Response:
    """List resumes, the newest first."""
    filters = {"status": query.status, "state": query.state}
    owner, before = find_tenant(request, query.tenant), read_key_cursor(query.cursor)
    found = await actions.list_resumes(open_desk(request), owner, filters, before=before, limit=query.limit + 1)
    page = found[: query.limit]
    next_cursor = show_key_cursor(page[-1].id) if len(found) > query.limit else None
    return answer({"resumes": [asdict(one) for one in page], "next_cursor": next_cursor})


@router.get("/resumes/{resume_id}", **door(Scope.RESUMES_READ, ResumeShape, refusals=(404,)))
async def get_resume(request: Request, resume_id: ResumeId, tenant: ForTenant = None) -> Response:
    """Read a resume: its profile with confidence and evidence, and what people corrected."""
    shown = await actions.get_resume(open_desk(request), find_tenant(request, tenant), resume_id)
    return answer(_write(shown), version=shown.upload.version)


@router.patch("/resumes/{resume_id}", **door(Scope.RESUMES_WRITE, ResumeShape, refusals=(400, 404, 412)))
async def correct_resume(
    request: Request,
    resume_id: ResumeId,
    body: CorrectionBody,
    if_match: IfMatch = None,
    tenant: ForTenant = None,
) -> Response:
    """Correct fields, or say that a person has looked at all of it. Reading the document again changes none of it."""
    changes = Changes(fields=body.fields, version=read_if_match(if_match), is_reviewed=body.reviewed)
    owner, by = find_tenant(request, tenant), find_actor(request, body.reason)
    shown = await actions.correct_resume(open_desk(request), owner, resume_id, changes, by)
    return answer(_write(shown), version=shown.upload.version)


@router.post(
    "/resumes/{resume_id}/read", **door(Scope.RESUMES_WRITE, UploadShape, status=202, refusals=(400, 404, 409, 412))
)
async def read_again(request: Request, resume_id: ResumeId, body: ReadAgainBody, tenant: ForTenant = None) -> Response:
    """Have the document read anew, by a job; what people corrected stays."""
    owner, by = find_tenant(request, tenant), find_actor(request, body.reason)
    return answer(asdict(await actions.read_again(open_desk(request), owner, resume_id, by)), 202)


@router.delete("/resumes/{resume_id}", **door(Scope.RESUMES_WRITE, status=204, refusals=(404,)))
async def remove_resume(request: Request, resume_id: ResumeId, reason: Why, tenant: ForTenant = None) -> Response:
    """Forget a resume: its profile, its corrections and its file."""
    owner, by = find_tenant(request, tenant), find_actor(request, reason)
    await actions.remove_resume(open_desk(request), owner, resume_id, by)
    return Response(status_code=204)


@router.get("/resumes/{resume_id}/evidence", **_file_door("text/html"))
async def draw_evidence(request: Request, resume_id: ResumeId, tenant: ForTenant = None) -> Response:
    """Show where each field came from: the words of the document, with a frame around each piece of evidence."""
    desk, owner = open_desk(request), find_tenant(request, tenant)
    shown, sheet = (await actions.get_resume(desk, owner, resume_id)), await actions.get_sheet(desk, owner, resume_id)
    html = draw_overlay(sheet or actions.BLANK, shown.resume or {})
    return Response(html, 200, {"Content-Security-Policy": POLICY}, "text/html")


@router.get("/resumes/{resume_id}/document", **_file_door("application/octet-stream"))
async def get_document(request: Request, resume_id: ResumeId, tenant: ForTenant = None) -> Response:
    """Give the file as it was handed in, to be saved and not shown."""
    return await send_document(request, resume_id, tenant)
