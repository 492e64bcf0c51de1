"""The gate: what is shut, by whom and why; shutting and opening."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, Field
from starlette.responses import Response

from dibs.access.naming import name_actors
from dibs.access.scopes import Scope
from dibs.engine.admission.gate import GateMode, GateScope
from dibs.server.actions import governing
from dibs.server.call import Asked
from dibs.server.shapes.governing import GateBody
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Reason

router = make_page_router()


class GateForm(BaseModel):
    """Which gate, how far to shut it, for how long, and why."""

    scope: GateScope
    mode: GateMode
    reason: Reason
    name: Annotated[str, Field(max_length=200)] = ""
    minutes: Annotated[int, Field(ge=1, le=60 * 24 * 365)] | None = None


@router.get("/gate", **page(Scope.GATE_READ))
async def list_gates(call: Asked) -> Response:
    """List the gates that are shut."""
    gates = await governing.list_gates(call)
    scopes = list(GateScope) if call.principal.tenant is None else [GateScope.TENANT]
    return render(
        call,
        "server/gate.html",
        is_live=True,
        gates=gates,
        names=await name_actors(call.principal, call.directory.tables, ((gate.actor, None) for gate in gates)),
        scopes=scopes,
        own=call.principal.tenant or "",
        modes=[mode for mode in GateMode if mode is not GateMode.OPEN],
        now=await call.backend.reader.now(),
    )


@router.post("/gate", **page(Scope.GATE_OPERATE))
async def set_gate(call: Asked) -> Response:
    """Shut a gate, or open it."""
    form = await read_form(call, GateForm)
    name = "" if form.scope is GateScope.GLOBAL else form.name or call.principal.tenant or ""
    now = await call.backend.reader.now()
    expires_at = None if form.minutes is None else now + timedelta(minutes=form.minutes)
    body = GateBody.model_construct(
        scope=form.scope, mode=form.mode, reason=form.reason, name=name, expires_at=expires_at
    )
    await governing.set_gate(call, body)
    done = "is open" if form.mode is GateMode.OPEN else f"is shut ({form.mode})"
    return go_to("/gate", f"The gate {form.scope.replace('_', ' ')} {name} {done}.".replace("  ", " "))
