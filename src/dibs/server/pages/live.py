"""Telling open pages that something has happened; they ask for what has changed themselves."""

from collections.abc import AsyncIterator

from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.server.call import Asked
from dibs.server.observing.nudges import Nudges
from dibs.web.answers.streams import StreamEvent, stream_answer
from dibs.web.pages.doors import make_page_router, page

router = make_page_router()


@router.get("/live", **page(Scope.JOBS_READ))
async def follow(call: Asked) -> Response:
    """Stream one event whenever something has changed, without saying what: pages ask for what is theirs to see."""
    nudges: Nudges = call.app.state.nudges
    nudges.check_room()
    return stream_answer(_tell(nudges))


async def _tell(nudges: Nudges) -> AsyncIterator[StreamEvent]:
    async for _ in nudges.follow():
        yield StreamEvent(event="news", data={})
