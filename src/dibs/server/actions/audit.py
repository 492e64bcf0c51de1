"""The audit log, for a caller who may see some of it."""

from datetime import timedelta

from dibs.engine.audit.forgetting import forget_entries
from dibs.engine.audit.verifying import ChainReport, verify_chains
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import AuditEntry, AuditFilter, Page
from dibs.server.call import Call
from dibs.server.shapes.audit import AuditQuery, ForgetBody
from dibs.server.shapes.writing import read_page


async def list_entries(call: Call, query: AuditQuery) -> Page[AuditEntry]:
    """Read one page of the log."""
    named = query.model_dump(exclude={"tenant", "cursor", "limit"})
    wanted = AuditFilter(tenant=call.find_tenant(query.tenant), **named)
    return await call.backend.reader.list_audit(wanted, read_page(query))


async def verify(call: Call, tenant: str | None) -> list[ChainReport]:
    """Check the seals of one tenant, or of all."""
    return await verify_chains(call.backend, tenant, call.engine.settings)


async def forget(call: Call, body: ForgetBody) -> int:
    """Forget old sealed entries. No tenant does this to its own log."""
    call.for_installation()
    act = OperatorAct(actor=call.actor, reason=body.reason)
    return await forget_entries(call.backend, body.tenant, timedelta(seconds=body.older_than_seconds), act)
