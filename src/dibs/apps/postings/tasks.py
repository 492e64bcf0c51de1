"""Jobs about postings: read a board, judge claims whose agents fell silent."""

from datetime import timedelta
from importlib.metadata import version
from typing import Any

import msgspec

from dibs.access.store import list_tenants
from dibs.apps.postings.claims.reconciling import settle_lapsed
from dibs.apps.postings.crawl.crawling import CrawlOrder, Fetcher, crawl_board
from dibs.apps.postings.crawl.politeness import declare_pace, make_policies
from dibs.apps.postings.office import DEFAULT_TENANT, Office, choose_locks
from dibs.engine.schedules.schedule import Overlap
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.outside.sources.opening import make_sources
from dibs.outside.sources.sources import Sources
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

CRAWL = "POSTINGS_CRAWL"
SETTLE = "POSTINGS_SETTLE"
SETTLING = "postings-settle"
EVERY_MINUTE = timedelta(minutes=1)


def make_blueprint(*, app: Any, tables: Tables) -> Blueprint:
    """Collect the tasks of an installation."""
    sources = make_board_sources(app)
    app.closers.append(sources.close)
    return make_tasks(app, tables, sources)


def make_board_sources(app: Any) -> Sources:
    """Make the sources through which boards are read."""
    user_agent = f"dibs/{version('dibs')} (job postings)"
    return make_sources(app, user_agent=user_agent, policies=make_policies())


def make_tasks(app: Any, tables: Tables, fetcher: Fetcher) -> Blueprint:
    """Make the tasks. A source that asks for a pause snoozes a crawl, and what was read by then is kept."""
    blueprint = Blueprint()

    # What all agents of an installation left behind is judged by one job, that of the default tenant.
    blueprint.schedule(SETTLING, EVERY_MINUTE, SETTLE, overlap=Overlap.SKIP)

    async def open_office() -> Office:
        return Office(tables, locks=choose_locks(app.url, await app.backend()))

    @blueprint.task(CRAWL)
    async def crawl(
        ctx: Context, provider: str, token: str, name: str = "", company: str | None = None
    ) -> dict[str, Any]:
        await declare_pace(await app.backend(), provider)
        order = CrawlOrder(provider=provider, token=token, name=name, company=company, lease=ctx.job.lease)
        outcome = await crawl_board(await open_office(), fetcher, ctx.job.tenant, order)
        built: dict[str, Any] = msgspec.to_builtins(outcome)
        return built

    @blueprint.task(SETTLE)
    async def settle(ctx: Context) -> dict[str, int]:
        own, office = ctx.job.tenant, await open_office()
        held = {tenant: await settle_lapsed(office, tenant) for tenant in await find_tenants(tables, own)}
        # How many of others are held is nobody's business.
        return {"held": held[own]}

    return blueprint


async def find_tenants(tables: Tables, own: str) -> list[str]:
    """Name the tenants whose claims a job judges: its own, and for the default tenant's job all that there are."""
    if own != DEFAULT_TENANT:
        return [own]
    async with tables.reading(sight_of(None)) as transaction:
        return sorted({own, *(tenant.name for tenant in await list_tenants(transaction))})
