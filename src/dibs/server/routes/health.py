"""Whether the server lives and can work, and its figures. Health needs no key, and tells nothing else."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.errors import DibsError
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.audit import HealthShape
from dibs.web.answers.json import answer
from dibs.web.doors import describe_problem, make_router, text_door

open_router = APIRouter(tags=["health"])
router = make_router("health", PREFIX)
PATIENCE = 2.0


@open_router.get("/health/live", response_model=HealthShape)
async def live() -> Response:
    """Tell that the process answers."""
    return answer({"status": "live"})


@open_router.get("/health/ready", response_model=HealthShape, responses={503: describe_problem(503)})
async def ready(request: Request) -> Response:
    """Tell whether the store answers, too."""
    try:
        async with asyncio.timeout(PATIENCE):
            await (await request.app.state.engine.backend()).reader.now()
    except (TimeoutError, DibsError, OSError):
        return answer({"status": "the store does not answer"}, 503)
    return answer({"status": "ready"})


@router.get("/metrics", **text_door(Scope.METRICS_READ))
async def show_metrics(call: Asked) -> Response:
    """Give the figures of this process and the counts of the store, for Prometheus. Only for keys of no tenant."""
    call.for_installation()
    return Response(await call.app.state.figures.write(call.backend), media_type="text/plain; version=0.0.4")
