"""What routes and pages of resumes need of a request."""

from urllib.parse import quote

from fastapi import Request
from starlette.responses import Response

from dibs.access.model import By
from dibs.access.principal import Principal
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.tasks import find_parser
from dibs.services.resumes.uploads.actions import get_document
from dibs.services.resumes.uploads.desk import Desk
from dibs.web.entrance.intake import IntakeLimits

DEFAULT_TENANT = "default"
# What a form adds to the file in it.
WRAPPING = 64 * 1024
BODY_SECONDS = 60.0


def open_desk(request: Request) -> Desk:
    """Give the server's one desk."""
    state = request.app.state
    if not hasattr(state, "resumes_desk"):
        state.resumes_desk = Desk(state.directory, state.engine, find_parser(state.engine))
    desk: Desk = state.resumes_desk
    return desk


def find_tenant(request: Request, named: str | None) -> str:
    """Tell whose resumes are meant."""
    principal: Principal = request.state.principal
    return principal.find_tenant(named) or DEFAULT_TENANT


def find_actor(request: Request, reason: str = "") -> By:
    """Say who does something, and why."""
    return By(principal=request.state.principal, reason=reason)


def make_limits() -> IntakeLimits:
    """Say how large an upload may be, and how long it may take."""
    return IntakeLimits(body_bytes=ResumeSettings.from_env().max_bytes + WRAPPING, body_seconds=BODY_SECONDS)


async def send_document(request: Request, resume_id: str, tenant: str | None) -> Response:
    """Answer with the file as it was handed in. It comes from strangers: it is saved, and never shown."""
    upload, data = await get_document(open_desk(request), find_tenant(request, tenant), resume_id)
    disposition = f"attachment; filename*=UTF-8''{quote(upload.name or 'resume', safe='')}"
    return Response(data, 200, {"Content-Disposition": disposition}, "application/octet-stream")
