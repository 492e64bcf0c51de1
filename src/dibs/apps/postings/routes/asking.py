"""What routes of postings need of a request."""

from typing import Any

import msgspec
from fastapi import Request

from dibs.access.principal import Principal
from dibs.apps.postings.office import DEFAULT_TENANT, Office, choose_locks
from dibs.apps.postings.records import By
from dibs.errors import RequestRefused


async def open_office(request: Request) -> Office:
    """Give the server's one office: those who claim stand in one line."""
    state = request.app.state
    backend = await state.engine.backend()
    if not hasattr(state, "postings_office"):
        url = getattr(state.engine, "url", "")
        state.postings_office = Office(state.tables, locks=choose_locks(url, backend), audit=backend.audit)
    office: Office = state.postings_office
    return office


def find_tenant(request: Request, named: str | None) -> str:
    """Tell whose postings are meant."""
    principal: Principal = request.state.principal
    return principal.find_tenant(named) or DEFAULT_TENANT


def find_actor(request: Request, reason: str = "") -> By:
    """Say who does something, and why."""
    return By(actor=request.state.principal.actor, reason=reason)


async def read_json(request: Request) -> Any:
    """Read a body that is judged elsewhere, all its faults at once."""
    try:
        return msgspec.json.decode(await request.body() or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError) as cause:
        message = f"the body is not JSON in UTF-8 ({cause}). Correct it and send it again; nothing was changed."
        raise RequestRefused(message, code="body_not_json") from cause
