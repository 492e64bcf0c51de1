"""What the demo finds when it starts: tenants with limits, sources in all conditions, a gate, and a first batch."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from dibs.access.actions import create_key, create_tenant
from dibs.access.directory import Directory
from dibs.access.model import NewKey, by_system
from dibs.access.scopes import Scope
from dibs.assembly import fill_demo
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, TenantRule
from dibs.engine.admission.source import FetchVerdict, SourceRule
from dibs.engine.app import App
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
from dibs.errors import BadInput, NameTaken
from dibs.kit.money import to_microcents
from dibs.outside.cache.tallying import Answer
from dibs.server.demo.sites import Sites
from dibs.server.demo.tasks import TENANTS, invent

ACTOR, REASON = "demo", "made up for the demo"
# Made-up work would go on among real work for as long as the demo runs, and stay there.
USED = "this store is in use, and made-up work would get among what is there. Name an empty folder with --data."
FIRST_JOBS = 60
# How often each source was asked today, and how often the cache had the answer.
PAST = (("boards.example", 6, 14), ("prices.example", 14, 6), ("archive.example", 31, 9))
KEYS = (
    ("letters of the shop", (Scope.JOBS_READ, Scope.JOBS_WRITE)),
    ("dashboard on the wall", (Scope.JOBS_READ, Scope.QUEUES_READ, Scope.WORKERS_READ)),
)


@asynccontextmanager
async def filled(app: App, directory: Directory) -> AsyncIterator[None]:
    """Fill a fresh store, and while it is used already the tables of what is installed, which takes longer."""
    if not await seed(app, directory):
        yield
        return
    filling = asyncio.create_task(fill_demo(app, directory))
    try:
        yield
    finally:
        filling.cancel()
        with suppress(asyncio.CancelledError):
            await filling


async def seed(app: App, directory: Directory) -> bool:
    """Fill a fresh store; one that was filled before is left as it is, and False is given. Any other is refused."""
    backend = await app.backend()
    if await _was_filled(backend):
        return False
    if (await backend.reader.list_jobs(JobFilter(), PageRequest(limit=1))).items:
        raise BadInput(USED)
    await _make_tenants(directory)
    await _set_rules(backend)
    await _declare_sources(backend, Sites(app))
    await _store_first(app)
    await _make_accounts(directory)
    return True


async def _was_filled(backend: Backend) -> bool:
    found = await backend.reader.list_audit(AuditFilter(actor=ACTOR), PageRequest(limit=1))
    return bool(found.items)


async def _make_tenants(directory: Directory) -> None:
    try:
        for name, _ in TENANTS:
            await create_tenant(directory, name, by_system(ACTOR, REASON))
    except NameTaken as cause:
        raise BadInput(USED) from cause


async def _set_rules(backend: Backend) -> None:
    rules = (
        TenantRule(name="acme", weight=3, daily_budget_microcents=to_microcents(25_000)),
        TenantRule(
            name="globex",
            max_running=6,
            weight=2,
            daily_budget_microcents=to_microcents(400),
            monthly_budget_microcents=to_microcents(9_000),
        ),
        TenantRule(name="initech", max_running=2),
        QueueRule(name="documents", fair=True),
        KeyRule(name="opening:", max_running=2),
    )
    for rule in rules:
        await backend.admission.set_rule(rule, actor=ACTOR, reason=REASON)
    gate = Gate(scope=GateScope.JOB_TYPE, name="BUILD_REPORT", mode=GateMode.DRAIN)
    await backend.admission.set_rule(gate, actor=ACTOR, reason="the report server is being moved")


async def _declare_sources(backend: Backend, sites: Sites) -> None:
    for name, asked, cached in PAST:
        # Before anything is declared: nobody waits a minute for a past that is made up.
        for _ in range(asked):
            await sites.ask(name)
        await sites.count(name, Answer.MISS, asked)
        await sites.count(name, Answer.HIT, cached)
    declared = (
        SourceRule(name="boards.example", rate_limit_per_minute=60, burst=5),
        SourceRule(name="prices.example", rate_limit_per_minute=30, daily_quota=2_000, pause=timedelta(minutes=30)),
        SourceRule(name="archive.example", rate_limit_per_minute=12, daily_quota=200),
    )
    for rule in declared:
        await backend.sources.declare(rule, actor=ACTOR, reason=REASON)
        await sites.report(rule.name, FetchVerdict.OK)
    for _ in range(5):
        await sites.report("prices.example", FetchVerdict.PROVIDER_FAULT)
    await backend.sources.pause("archive.example", actor=ACTOR, reason="they asked us to stay away until Monday")


async def _make_accounts(directory: Directory) -> None:
    """Keys whose secrets nobody was shown, so that nobody can come in by them."""
    by = by_system(ACTOR, REASON)
    for name, scopes in KEYS:
        await create_key(directory, NewKey(tenant=None, name=name, scopes=frozenset(scopes)), by)


async def _store_first(app: App) -> None:
    chance = random.Random(7)  # noqa: S311 - it decides about made-up work
    for _ in range(FIRST_JOBS):
        job_type, given, options = invent(chance)
        await app.enqueue(job_type, given, **options)
