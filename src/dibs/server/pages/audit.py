"""The audit log, and whether its seals hold."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from dibs.access.naming import name_actors
from dibs.access.scopes import Scope
from dibs.engine.audit.actions import JobAction
from dibs.engine.store.reading import AuditEntry, AuditFilter, PageRequest
from dibs.server.actions import audit
from dibs.server.call import Asked, Call
from dibs.server.observing.finding import Wanted
from dibs.server.pages.listing import make_address, make_list_page
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.shell import Shell, render
from dibs.web.paging import LONGEST_CURSOR, read_cursor

router = make_page_router()
PAGE = 50
# How many entries a page looks through for those that fit.
REACH = 20_000


class LogQuery(BaseModel):
    """Which entries a page shows."""

    model_config = ConfigDict(extra="forbid")

    action: Wanted = None
    actor: Wanted = None
    subject: Wanted = None
    tenant: Wanted = None
    view: Literal["notable", "everything"] = "notable"
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR)

    def as_filter(self, tenant: str | None) -> AuditFilter:
        """Say which entries are meant. Most entries tell of jobs that succeeded, and would hide what matters."""
        is_told = self.view == "everything" or self.action is not None or self.subject is not None
        return AuditFilter(
            tenant=tenant,
            actor=self.actor,
            action=self.action,
            subject=self.subject,
            without=None if is_told else JobAction.SUCCEEDED.value,
        )


@router.get("/audit", **page(Scope.AUDIT_READ))
async def list_audit(call: Asked, query: Annotated[LogQuery, Query()]) -> Response:
    """List entries, newest first."""
    given = query.model_dump(exclude={"cursor", "view"}, exclude_none=True)
    shown = given if query.view == "notable" else {**given, "view": query.view}
    wanted = query.as_filter(call.find_tenant(query.tenant))
    page = PageRequest(cursor=read_cursor(query.cursor), limit=PAGE, reach=REACH if wanted.subject is None else None)
    found = await call.backend.reader.list_audit(wanted, page)
    seen = ((name, entry.tenant) for entry in found.items for name in (entry.actor, entry.subject))
    names = await name_actors(call.principal, call.directory.tables, seen)
    is_cut = found.next_cursor is not None and len(found.items) < PAGE
    return render(
        call,
        "server/audit.html",
        is_live=query.cursor is None,
        query=query,
        is_narrow=bool(given),
        is_cut=is_cut,
        tabs=_make_tabs(query, given),
        entries=found.items,
        page_of=lambda entry: _find_page(call, entry, names),
        names=names,
        way=make_list_page(
            "/audit",
            shown,
            cursor=query.cursor,
            next_cursor=found.next_cursor,
            word="Look further back" if is_cut else "",
        ),
        table=make_address("/api/v1/audit.csv", {**given, "without": wanted.without, "limit": 500}),
        now=await call.backend.reader.now(),
    )


def _find_page(call: Call, entry: AuditEntry, names: dict[str, str]) -> str:
    # Concurrency keys are called as API keys are, and have no page.
    if entry.subject.startswith("key:") and entry.subject not in names:
        return ""
    shell: Shell = call.app.state.shell
    return shell.find_page(entry.subject, entry.tenant, call.principal)


def _make_tabs(query: LogQuery, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Offer the log with and without successes, unless something else was asked for already."""
    if query.action is not None or query.subject is not None:
        return []
    views = (("all but successes", "notable"), ("everything", "everything"))
    return [
        {
            "label": label,
            "href": make_address("/audit", given if view == "notable" else {**given, "view": view}),
            "is_current": query.view == view,
            "count": None,
        }
        for label, view in views
    ]


@router.get("/audit/seals", **page(Scope.AUDIT_READ))
async def verify(call: Asked) -> Response:
    """Check every seal, now."""
    chains = await audit.verify(call, call.find_tenant())
    return render(call, "server/seals.html", chains=chains)
