"""Workers that are alive, and what each holds."""

from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.server.call import Asked
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.shell import render

router = make_page_router()


@router.get("/workers", **page(Scope.WORKERS_READ))
async def list_workers(call: Asked) -> Response:
    """List them, those started first first."""
    call.for_installation()
    cards = await call.backend.workers.list_workers()
    held = await call.backend.reader.find_jobs([job_id for card in cards for job_id in card.holding])
    return render(
        call.request,
        "server/workers.html",
        is_live=True,
        workers=cards,
        jobs={job.id: job for job in held if job is not None},
        slots=sum(card.slots for card in cards),
        busy=sum(card.held for card in cards),
        now=await call.backend.reader.now(),
    )
