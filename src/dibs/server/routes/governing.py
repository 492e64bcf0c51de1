"""Sources, gates, limits and budgets."""

from typing import Annotated, Any

from fastapi import Path
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.admission.rules import KeyRule, QueueRule
from dibs.server.actions import governing
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.governing import (
    BudgetBody,
    BudgetList,
    BudgetShape,
    GateBody,
    GateList,
    GateShape,
    KeyLimitBody,
    KeyLimitShape,
    LimitList,
    PauseBody,
    QueueLimitBody,
    QueueLimitShape,
    SourceBody,
    SourceList,
    SourceShape,
)
from dibs.server.shapes.jobs import ActBody
from dibs.server.shapes.writing import write_rule, write_source
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import IfMatch, Name

router = make_router("admission", PREFIX)
PathName = Annotated[Name, Path(examples=["default"])]


@router.get("/sources", **door(Scope.SOURCES_READ, SourceList))
async def list_sources(call: Asked) -> Response:
    """List the sources that were declared or reported on. Only for keys of no tenant, like all about sources."""
    call.for_installation()
    return answer({"sources": [write_source(one) for one in await call.backend.sources.list_sources()]})


@router.get("/sources/{name}", **door(Scope.SOURCES_READ, SourceShape, refusals=(404,)))
async def get_source(call: Asked, name: PathName) -> Response:
    """Read one source."""
    call.for_installation()
    return _tagged(write_source(await governing.get_source(call, name)))


@router.put("/sources/{name}", **door(Scope.SOURCES_OPERATE, SourceShape, refusals=(400, 412)))
async def declare_source(call: Asked, name: PathName, body: SourceBody, if_match: IfMatch = None) -> Response:
    """Declare a source, or change what was declared; with If-Match, only if it is still what you have read."""
    call.for_installation()
    return _tagged(write_source(await governing.declare_source(call, name, body, if_match)))


@router.post("/sources/{name}/pause", **door(Scope.SOURCES_OPERATE, SourceShape, refusals=(400, 404)))
async def pause_source(call: Asked, name: PathName, body: PauseBody) -> Response:
    """Ask a source for nothing, until an instant or until it is resumed."""
    call.for_installation()
    await governing.get_source(call, name)
    await governing.check_ahead(call, body.until, "until")
    return answer(
        write_source(await call.backend.sources.pause(name, body.until, actor=call.actor, reason=body.reason))
    )


@router.post("/sources/{name}/resume", **door(Scope.SOURCES_OPERATE, SourceShape, refusals=(400, 404)))
async def resume_source(call: Asked, name: PathName, body: ActBody) -> Response:
    """Go on with a source: its pause and its wait end, its breaker is closed."""
    call.for_installation()
    await governing.get_source(call, name)
    return answer(write_source(await call.backend.sources.resume(name, actor=call.actor, reason=body.reason)))


@router.get("/gate", **door(Scope.GATE_READ, GateList))
async def list_gates(call: Asked) -> Response:
    """List the gates that are shut; a tenant's key sees that of its tenant."""
    return answer({"gates": [write_rule(gate) for gate in await governing.list_gates(call)]})


@router.put("/gate", **door(Scope.GATE_OPERATE, GateShape, refusals=(400, 412)))
async def set_gate(call: Asked, body: GateBody, if_match: IfMatch = None) -> Response:
    """Shut a gate (closed, drain) or open it; a tenant's key only that of its tenant."""
    return _tagged(write_rule(await governing.set_gate(call, body, if_match)))


@router.get("/limits", **door(Scope.BUDGETS_READ, LimitList))
async def list_limits(call: Asked) -> Response:
    """List the rules of queues and concurrency keys. Only for keys of no tenant."""
    return answer(await governing.list_limits(call))


@router.put("/limits/queues/{name}", **door(Scope.BUDGETS_WRITE, QueueLimitShape, refusals=(400, 412)))
async def limit_queue(call: Asked, name: PathName, body: QueueLimitBody, if_match: IfMatch = None) -> Response:
    """Let the tenants of a queue take turns, or not."""
    rule = QueueRule(name=name, fair=body.fair)
    return _tagged(await governing.set_limit(call, rule, body.reason, if_match))


@router.put("/limits/keys/{name}", **door(Scope.BUDGETS_WRITE, KeyLimitShape, refusals=(400, 412)))
async def limit_key(call: Asked, name: PathName, body: KeyLimitBody, if_match: IfMatch = None) -> Response:
    """Set how many jobs with a concurrency key may run at once."""
    rule = KeyRule(name=name, max_running=body.max_running)
    return _tagged(await governing.set_limit(call, rule, body.reason, if_match))


@router.get("/budgets", **door(Scope.BUDGETS_READ, BudgetList))
async def list_budgets(call: Asked) -> Response:
    """List what tenants may have; a tenant's key sees its own."""
    return answer({"budgets": await governing.list_budgets(call)})


@router.get("/budgets/{name}", **door(Scope.BUDGETS_READ, BudgetShape, refusals=(404,)))
async def get_budget(call: Asked, name: PathName) -> Response:
    """Read what one tenant may have."""
    return _tagged(await governing.get_budget(call, name))


@router.put("/budgets/{name}", **door(Scope.BUDGETS_WRITE, BudgetShape, refusals=(400, 412)))
async def set_budget(call: Asked, name: PathName, body: BudgetBody, if_match: IfMatch = None) -> Response:
    """Set how much a tenant may have, all of it at once. Only for keys of no tenant."""
    return _tagged(await governing.set_budget(call, name, body, if_match))


def _tagged(shown: dict[str, Any]) -> Response:
    return answer(shown, version=shown["version"])
