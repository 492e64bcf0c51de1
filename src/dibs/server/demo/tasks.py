"""The tasks of the demo. They wait, count and sometimes fail, as real ones do."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from dibs.engine.admission.source import FetchVerdict
from dibs.engine.retry import RetryPolicy
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.errors import Permanent, Retryable
from dibs.outside.cache.tallying import Answer
from dibs.server.demo.sites import Sites

FEED = "DEMO_FEED"
SOON = RetryPolicy(base=timedelta(seconds=8), factor=2)
COMPANIES = ("Birch & Co", "Northwind Press", "Lumen Labs", "Harbour Foods", "Quill Studio", "Atlas Rail")
PEOPLE = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Radia", "Tim", "Hedy")
# How likely each kind of work is, for whom, and with what.
WORK: tuple[tuple[str, int], ...] = (
    ("PARSE_DOCUMENT", 6),
    ("SCORE_MATCH", 5),
    ("FETCH_PAGE", 6),
    ("SEND_LETTER", 3),
    ("BUILD_REPORT", 1),
)
TENANTS: tuple[tuple[str, int], ...] = (("acme", 5), ("globex", 3), ("initech", 2))
MOST_WAITING = 150
# What part of the pages the cache has.
CACHED = 0.4
STUCK_TYPES, STUCK_SOURCES = ("BUILD_REPORT",), ("prices.example", "archive.example")
# Its budget of a day lasts for a quarter of an hour or so.
STUCK_TENANTS = ("globex",)
SOURCES = ("boards.example", "boards.example", "prices.example", "archive.example")


CountWaiting = Callable[[], Awaitable[int]]


async def _none_waits() -> int:
    return 0


def make_demo(
    sites: Sites, chance: random.Random | None = None, count_waiting: CountWaiting = _none_waits
) -> Blueprint:
    """Collect the tasks and schedules of the demo. `count_waiting` tells how much there is to do already."""
    blueprint = Blueprint()
    chance = chance or random.Random()  # noqa: S311 - it decides about made-up work
    _add_reading(blueprint, chance)
    _add_fetching(blueprint, chance, sites)
    _add_sending(blueprint, chance)
    _add_feeding(blueprint, chance, count_waiting)
    blueprint.schedule("demo feed", timedelta(seconds=4), FEED, tenant="demo")
    blueprint.schedule("nightly report", "0 3 * * *", "BUILD_REPORT", timezone="Europe/Berlin", tenant="acme")
    blueprint.schedule("monday digest", "30 8 * * 1", "SEND_LETTER", tenant="globex", input={"to": "everybody"})
    blueprint.schedule("look at the boards", timedelta(hours=6), "FETCH_PAGE", tenant="acme")
    return blueprint


def _add_reading(blueprint: Blueprint, chance: random.Random) -> None:
    @blueprint.task("PARSE_DOCUMENT", queue="documents", retry=SOON)
    async def parse(ctx: Context, document: str = "cv-1.pdf", pages: int = 2) -> dict[str, Any]:
        for page in range(1, pages + 1):
            await ctx.report_progress({"page": page, "of": pages})
            await asyncio.sleep(chance.uniform(0.1, 0.5))
        if chance.random() < 0.06:  # noqa: PLR2004 - now and then
            message = f"{document} is encrypted, and nobody gave a password"
            raise Permanent(message)
        ctx.add_cost(0.4 * pages)
        return {"document": document, "pages": pages, "fields": chance.randint(8, 30)}

    @blueprint.task("SCORE_MATCH", queue="scoring", concurrency_key="opening:{opening}", max_cost=2)
    async def score(ctx: Context, person: str = "Ada", opening: int = 1) -> dict[str, Any]:
        await asyncio.sleep(chance.uniform(0.2, 1.2))
        ctx.add_cost(1.2)
        return {"person": person, "opening": opening, "score": round(chance.uniform(0.2, 0.98), 2)}


def _add_fetching(blueprint: Blueprint, chance: random.Random, sites: Sites) -> None:
    @blueprint.task("FETCH_PAGE", queue="fetching", retry=SOON, max_retries=2)
    async def fetch(ctx: Context, site: str = "boards.example", number: int = 1) -> dict[str, Any]:
        page = {"site": site, "page": number, "bytes": chance.randint(4_000, 90_000)}
        if chance.random() < CACHED:
            await sites.count(site, Answer.HIT)
            return {**page, "from": "cache"}
        token = await sites.ask(site, ctx.job.lease)
        await sites.count(site, Answer.MISS)
        await asyncio.sleep(chance.uniform(0.1, 0.7))
        if chance.random() < 0.2:  # noqa: PLR2004 - sites are like that
            await sites.report(site, FetchVerdict.PROVIDER_FAULT, token)
            message = f"{site} answered 503"
            raise Retryable(message)
        await sites.report(site, FetchVerdict.OK, token)
        return page


def _add_sending(blueprint: Blueprint, chance: random.Random) -> None:
    @blueprint.task("SEND_LETTER", queue="letters", retry=SOON)
    async def send(ctx: Context, to: str = "Ada", about: str = "an interview") -> dict[str, Any]:
        await asyncio.sleep(chance.uniform(0.1, 0.4))
        if ctx.attempt == 1 and chance.random() < 0.2:  # noqa: PLR2004 - the first try often fails
            message = "the mail server is busy: 451 try again later"
            raise Retryable(message)
        return {"to": to, "about": about, "sent": True}

    @blueprint.task("BUILD_REPORT", queue="reports")
    async def build(ctx: Context, company: str = "Birch & Co", chapters: int = 6) -> dict[str, Any]:
        for chapter in range(1, chapters + 1):
            await ctx.report_progress({"chapter": chapter, "of": chapters})
            await asyncio.sleep(chance.uniform(0.5, 1.5))
        ctx.add_cost(12)
        return {"company": company, "chapters": chapters}


def _add_feeding(blueprint: Blueprint, chance: random.Random, count_waiting: CountWaiting) -> None:
    @blueprint.task(FEED, queue="demo", max_retries=0, keep=timedelta(hours=1))
    async def feed(ctx: Context, jobs: int = 9) -> dict[str, int]:
        invented = [invent(chance) for _ in range(chance.randint(jobs // 2, jobs))]
        if await count_waiting() > MOST_WAITING:
            # Behind a gate or a broken source they would pile up for as long as the demo runs.
            invented = [one for one in invented if not _is_stuck(*one)]
        for job_type, given, options in invented:
            await ctx.enqueue(job_type, given, **options)
        return {"stored": len(invented)}


def _is_stuck(job_type: str, _: dict[str, Any], options: dict[str, Any]) -> bool:
    return job_type in STUCK_TYPES or options.get("source") in STUCK_SOURCES or options["tenant"] in STUCK_TENANTS


def invent(chance: random.Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Make up one piece of work: its type, its input, and for whom it is."""
    job_type = _draw(WORK, chance)
    options: dict[str, Any] = {"tenant": _draw(TENANTS, chance)}
    if job_type == "FETCH_PAGE":
        site = chance.choice(SOURCES)
        return job_type, {"site": site, "number": chance.randint(1, 400)}, {**options, "source": site}
    given: dict[str, dict[str, Any]] = {
        "PARSE_DOCUMENT": {"document": f"cv-{chance.randint(100, 999)}.pdf", "pages": chance.randint(1, 4)},
        "SCORE_MATCH": {"person": chance.choice(PEOPLE), "opening": chance.randint(1, 6)},
        "SEND_LETTER": {"to": chance.choice(PEOPLE), "about": chance.choice(("an interview", "an offer", "a date"))},
        "BUILD_REPORT": {"company": chance.choice(COMPANIES), "chapters": chance.randint(3, 8)},
    }
    return job_type, given[job_type], options


def _draw(weighted: tuple[tuple[str, int], ...], chance: random.Random) -> str:
    names, weights = zip(*weighted, strict=True)
    return str(chance.choices(names, weights)[0])
