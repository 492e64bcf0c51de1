"""Telling open pages that something has happened; they ask for what has changed themselves."""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.server.call import Asked, Call
from dibs.server.hub import News
from dibs.web.pages.doors import make_page_router, page
from dibs.web.streams import StreamEvent, stream_answer

router = make_page_router()
# At most one event in so many seconds, and one in so many even if nothing was heard of: time itself changes pages.
PAUSE, LONGEST_PAUSE = 1.0, 5.0


@router.get("/live", **page(Scope.JOBS_READ))
async def follow(call: Asked) -> Response:
    """Stream one event whenever something of the caller's changed."""
    call.hub.check_room()
    return stream_answer(tell_news(call))


async def tell_news(call: Call, pause: float = PAUSE, longest: float = LONGEST_PAUSE) -> AsyncIterator[StreamEvent]:
    """Tell that there are news, without saying which."""
    own = call.principal.tenant

    def fits(news: News) -> bool:
        return own is None or news.tenant == own

    async with call.hub.watch(fits) as watcher:
        while not call.hub.is_closed:
            try:
                async with asyncio.timeout(longest):
                    if await watcher.queue.get() is None:
                        return
            except TimeoutError:
                pass
            while not watcher.queue.empty():
                if watcher.queue.get_nowait() is None:
                    return
            yield StreamEvent(event="news", data={})
            await asyncio.sleep(pause)
