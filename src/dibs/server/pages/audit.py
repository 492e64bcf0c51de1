"""The audit log, and whether its seals hold."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.server.actions import audit
from dibs.server.call import Asked
from dibs.server.observing.finding import Wanted
from dibs.server.observing.naming import name_actors
from dibs.server.pages.listing import make_address, make_list_page
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.shell import render
from dibs.web.paging import LONGEST_CURSOR, read_cursor

router = make_page_router()
PAGE = 50


class LogQuery(BaseModel):
    """Which entries a page shows."""

    model_config = ConfigDict(extra="forbid")

    action: Wanted = None
    actor: Wanted = None
    subject: Wanted = None
    tenant: Wanted = None
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR)


@router.get("/audit", **page(Scope.AUDIT_READ))
async def list_audit(call: Asked, query: Annotated[LogQuery, Query()]) -> Response:
    """List entries, newest first."""
    given = query.model_dump(exclude={"cursor"}, exclude_none=True)
    wanted = AuditFilter(**{**given, "tenant": call.find_tenant(query.tenant)})
    found = await call.backend.reader.list_audit(wanted, PageRequest(cursor=read_cursor(query.cursor), limit=PAGE))
    return render(
        call,
        "server/audit.html",
        is_live=query.cursor is None,
        query=query,
        entries=found.items,
        names=await name_actors(
            call, ((name, entry.tenant) for entry in found.items for name in (entry.actor, entry.subject))
        ),
        way=make_list_page("/audit", given, cursor=query.cursor, next_cursor=found.next_cursor),
        table=make_address("/api/v1/audit.csv", {**given, "limit": 500}),
        now=await call.backend.reader.now(),
    )


@router.get("/audit/seals", **page(Scope.AUDIT_READ))
async def verify(call: Asked) -> Response:
    """Check every seal, now."""
    chains = await audit.verify(call, call.find_tenant())
    return render(call, "server/seals.html", chains=chains)
