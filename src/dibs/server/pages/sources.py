"""Sources: whether they are well, how fast they may be asked, and pausing them."""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from pydantic import Field
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.admission.source import Source
from dibs.engine.states import WAITING
from dibs.engine.store.reading import JobFilter
from dibs.outside.cache.records import CacheTally
from dibs.server.actions import governing
from dibs.server.call import Asked, Call
from dibs.server.pages.jobs import ActForm
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Name

router = make_page_router()
FAR_AWAY = timedelta(days=3650)
# Counting what waits for each is worth it for a screenful, not for thousands.
MOST_COUNTED = 30


class SourceForm(ActForm):
    """Which source is meant."""

    name: Name


class PauseForm(SourceForm):
    """For how long to pause, and why; without a number until it is resumed."""

    minutes: Annotated[int, Field(ge=1, le=60 * 24 * 365)] | None = None


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A source, in a word and a tone."""

    source: Source
    word: str
    tone: str
    until: datetime | None
    used: int
    waiting: int | None
    tally: CacheTally


@router.get("/sources", **page(Scope.SOURCES_READ))
async def list_sources(call: Asked) -> Response:
    """List them by name."""
    call.for_installation()
    sources = await call.backend.sources.list_sources()
    now = await call.backend.reader.now()
    tallies = await call.app.state.cached.read()
    lines: list[SourceLine] = []
    for source in sources:
        is_counted = len(lines) < MOST_COUNTED
        waiting = await _count(call, source.name) if is_counted else None
        lines.append(describe(source, now, waiting, tallies.get(source.name)))
    return render(call, "server/sources.html", is_live=True, lines=lines, now=now)


async def _count(call: Call, name: str) -> int:
    return sum((await call.backend.reader.count_jobs(JobFilter(source=name, states=WAITING))).values())


def describe(source: Source, now: datetime, waiting: int | None, tally: CacheTally | None = None) -> SourceLine:
    """Say in a word how a source is."""
    word, tone, until = "well", "ok", None
    quota = source.rule.daily_quota
    if not source.rule.enabled:
        word, tone = "disabled", "off"
    elif source.paused_until is not None and source.paused_until > now:
        word, tone, until = "paused", "warn", source.paused_until
        until = None if until - now > FAR_AWAY else until
    elif source.is_broken:
        word, tone = "broken, to be probed", "bad"
    elif source.limited_until is not None and source.limited_until > now:
        word, tone, until = "asked us to wait", "warn", source.limited_until
    elif quota is not None and source.used_today(now) >= quota:
        word, tone = "quota used up", "warn"
    return SourceLine(
        source=source,
        word=word,
        tone=tone,
        until=until,
        used=source.used_today(now),
        waiting=waiting,
        tally=tally or CacheTally(source=source.name),
    )


@router.post("/sources/pause", **page(Scope.SOURCES_OPERATE))
async def pause(call: Asked) -> Response:
    """Ask a source for nothing for a while."""
    call.for_installation()
    form = await read_form(call, PauseForm)
    await governing.get_source(call, form.name)
    now = await call.backend.reader.now()
    until = None if form.minutes is None else now + timedelta(minutes=form.minutes)
    await call.backend.sources.pause(form.name, until, actor=call.actor, reason=form.reason)
    return go_to("/sources", f"Source {form.name} is paused.")


@router.post("/sources/resume", **page(Scope.SOURCES_OPERATE))
async def resume(call: Asked) -> Response:
    """Go on with a source."""
    call.for_installation()
    form = await read_form(call, SourceForm)
    await governing.get_source(call, form.name)
    await call.backend.sources.resume(form.name, actor=call.actor, reason=form.reason)
    return go_to("/sources", f"Source {form.name} goes on.")
