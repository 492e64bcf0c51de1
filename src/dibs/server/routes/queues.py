"""Queues and workers."""

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.errors import RequestRefused
from dibs.server.actions import governing
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.governing import QueueList, QueueShape, WorkerList, WorkerShape
from dibs.server.shapes.writing import write_record, write_records
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
from dibs.web.shapes.parts import Name, Tenant

router = make_router("queues and workers", PREFIX)
PathName = Annotated[Name, Path(examples=["default"])]


@router.get("/queues", **door(Scope.QUEUES_READ, QueueList))
async def list_queues(call: Asked, tenant: Tenant = None) -> Response:
    """Count the unfinished jobs of each queue that has any."""
    queues = await call.backend.reader.count_queues(call.find_tenant(tenant))
    return answer({"queues": [{"name": name, "states": states} for name, states in queues.items()]})


@router.get("/queues/{name}", **door(Scope.QUEUES_READ, QueueShape, refusals=(404,)))
async def get_queue(call: Asked, name: PathName, tenant: Tenant = None) -> Response:
    """Count the jobs of one queue in every state."""
    states = await governing.count_queue(call, name, call.find_tenant(tenant))
    return answer({"name": name, "states": states})


@router.get("/workers", **door(Scope.WORKERS_READ, WorkerList))
async def list_workers(call: Asked) -> Response:
    """List the workers that are alive. Only for keys of no tenant: workers serve all."""
    call.for_installation()
    return answer(write_records("workers", await call.backend.workers.list_workers()))


@router.get("/workers/{name}", **door(Scope.WORKERS_READ, WorkerShape, refusals=(404,)))
async def get_worker(call: Asked, name: PathName) -> Response:
    """Read one worker."""
    call.for_installation()
    cards = await call.backend.workers.list_workers()
    card = next((one for one in cards if one.worker_id == name), None)
    if card is None:
        message = f"no worker {name!r} is alive. GET /api/v1/workers lists those that are."
        raise RequestRefused(message, code="worker_not_found")
    return answer(write_record(card))
