"""The audit log."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.store.reading import AuditEntry
from dibs.server.actions import audit
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.audit import AuditPage, AuditQuery, ForgetBody, ForgetShape, VerifyShape
from dibs.server.shapes.writing import write_page, write_record, write_records
from dibs.web.answers.csv import csv_answer
from dibs.web.answers.json import answer
from dibs.web.doors import csv_door, door, make_router
from dibs.web.shapes.parts import Tenant

router = make_router("audit", PREFIX)


@router.get("/audit", **door(Scope.AUDIT_READ, AuditPage))
async def list_audit(call: Asked, query: Annotated[AuditQuery, Query()]) -> Response:
    """List entries, newest first."""
    page = await audit.list_entries(call, query)
    return answer(write_page("entries", page, write_record))


@router.get("/audit.csv", **csv_door(Scope.AUDIT_READ))
async def export_audit(call: Asked, query: Annotated[AuditQuery, Query()]) -> Response:
    """Export a page of entries as a table; no cell is a formula."""
    page = await audit.list_entries(call, query)
    columns = AuditEntry.__struct_fields__
    return csv_answer("audit", columns, ([getattr(entry, name) for name in columns] for entry in page.items))


@router.get("/audit/verify", **door(Scope.AUDIT_READ, VerifyShape))
async def verify(call: Asked, tenant: Tenant = None) -> Response:
    """Check every seal of the log: a tenant's, or for keys of no tenant everybody's."""
    chains = await audit.verify(call, call.find_tenant(tenant))
    is_whole = all(chain.fault is None for chain in chains)
    return answer({"is_whole": is_whole, **write_records("chains", chains)})


@router.post("/audit/forget", **door(Scope.AUDIT_OPERATE, ForgetShape, refusals=(400,)))
async def forget(call: Asked, body: ForgetBody) -> Response:
    """Forget a tenant's old sealed entries; one entry says who did it and why. Only for keys of no tenant."""
    return answer({"forgotten": await audit.forget(call, body)})
