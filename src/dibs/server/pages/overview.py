"""The overview: what happens, what waits, and what is held back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from starlette.responses import Response

from dibs.access.naming import name_actors
from dibs.access.scopes import Scope
from dibs.engine.job import Job
from dibs.engine.schedules.firing import unique_key_of
from dibs.engine.states import UNFINISHED
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.server.actions import governing
from dibs.server.call import Asked, Call
from dibs.server.observing import drawing
from dibs.server.observing.chronicle import Chronicle
from dibs.server.observing.holdups import Holdups
from dibs.server.observing.sample import FAILED, SUCCEEDED, Sample
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.shell import render
from dibs.web.shapes.parts import Tenant

router = make_page_router()
NEWEST = 6
# Counts that are older than this say how old they are.
RECENT = timedelta(seconds=10)
# Beyond so many, somebody has been here for long.
MOST_FIRED = 200


@router.get("/", **page(Scope.QUEUES_READ))
async def show_overview(call: Asked, tenant: Tenant = None) -> Response:
    """Show how things stand, for a tenant or for all."""
    meant = call.find_tenant(tenant)
    chronicle: Chronicle = call.app.state.chronicle
    holdups: Holdups = call.app.state.holdups
    samples = await chronicle.read()
    newest = await call.backend.reader.list_jobs(JobFilter(tenant=meant), PageRequest(limit=NEWEST))
    held = await holdups.find(meant)
    charts, gates = drawing.thin(samples), await governing.list_gates(call)
    now = await call.backend.reader.now()
    return render(
        call,
        "server/overview.html",
        is_live=True,
        tenant=meant,
        now=now,
        counted_at=_find_age(samples, now) if meant is None else None,
        newest=newest.items,
        is_fresh=await _is_fresh(call, newest.items, meant),
        place=str(call.base_url).rstrip("/"),
        samples=samples,
        rate=drawing.find_rate(samples, SUCCEEDED, meant),
        failed=drawing.count_all(samples, FAILED, meant),
        counts=await _count(call, meant),
        rates=drawing.draw_rates(charts, meant),
        latencies=drawing.draw_latencies(charts, meant),
        queues=drawing.draw_queues(charts) if meant is None else None,
        tenants=drawing.draw_tenants(charts, meant),
        holdups=held,
        blocking={one.source for one in held},
        gates=gates,
        names=await name_actors(call.principal, call.directory.tables, ((gate.actor, None) for gate in gates)),
        **await _find_house(call),
    )


async def _is_fresh(call: Call, newest: list[Job], tenant: str | None) -> bool:
    """Whether nobody has stored a job yet: what the house does by itself, by its schedules, is not counted."""
    if not all(map(_is_fired, newest)):
        return False
    found = await call.backend.reader.list_jobs(JobFilter(tenant=tenant), PageRequest(limit=MOST_FIRED))
    return found.next_cursor is None and all(map(_is_fired, found.items))


def _is_fired(job: Job) -> bool:
    return (job.unique_key or "").startswith(unique_key_of(""))


async def _count(call: Call, tenant: str | None) -> dict[str, int]:
    """Count what waits and what runs: for all from the last sample, for a tenant by asking."""
    chronicle: Chronicle = call.app.state.chronicle
    if tenant is None:
        samples = await chronicle.read()
        last = samples[-1] if samples else None
        return {"waiting": last.waiting, "running": last.running} if last is not None else {"waiting": 0, "running": 0}
    counts = await call.backend.reader.count_jobs(JobFilter(tenant=tenant, states=UNFINISHED))
    running = counts[next(state for state in counts if state == "running")]
    return {"waiting": sum(counts.values()) - running, "running": running}


def _find_age(samples: Sequence[Sample], now: datetime) -> datetime | None:
    """Say of when the last counts are, if that is worth saying."""
    counted_at = samples[-1].counted_at if samples else None
    return counted_at if counted_at is not None and now - counted_at > RECENT else None


async def _find_house(call: Call) -> dict[str, Any]:
    """Read what belongs to nobody in particular, for those who may see it."""
    if call.principal.tenant is not None:
        return {"workers": None, "ill": []}
    scopes = call.principal.scopes
    workers = await call.backend.workers.list_workers() if Scope.WORKERS_READ in scopes else None
    sources = await call.backend.sources.list_sources() if Scope.SOURCES_READ in scopes else []
    now = await call.backend.reader.now()
    ill = [one for one in sources if one.is_broken or (one.paused_until is not None and one.paused_until > now)]
    return {"workers": workers, "ill": ill}
