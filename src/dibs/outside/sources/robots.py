"""What sites ask of crawlers in their robots.txt (RFC 9309)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
from msgspec.structs import replace
from protego import Protego

from dibs.errors import RobotsRefused
from dibs.outside.cache.freshness import CacheRules
from dibs.outside.sources.request import Errand, Request
from dibs.outside.sources.response import Shown
from dibs.outside.transport.target import read_target

KEPT_FOR = timedelta(hours=24)
REMEMBERED_SECONDS = 3600.0
# The standard lets a crawler stop here.
MOST_BYTES = 512 * 1024
_MOST_REMEMBERED = 1_000
_FIRST_GOOD, _FIRST_OTHER = 200, 300
_NOT_THERE = Protego.parse("")
Fetch = Callable[[Errand], Awaitable[Shown]]


class Remembered(msgspec.Struct, frozen=True):
    """A site's wishes, and until when they are not read again."""

    wishes: Protego
    until: float


class Robots:
    """Asks each origin of a source once a day, through the source's own limiter, and remembers for an hour."""

    def __init__(self, fetch: Fetch, agent: str) -> None:
        self._fetch = fetch
        self._agent = agent
        self._remembered: dict[tuple[str, str], Remembered] = {}

    async def check(self, errand: Errand) -> timedelta:
        """Refuse a page that its site keeps crawlers from; else tell how far apart it wants fetches to be."""
        if not errand.policy.robots:
            return timedelta(0)
        wishes = await self._find_wishes(errand)
        if not wishes.can_fetch(errand.target.url, self._agent):
            message = (
                f"robots.txt of {errand.target.origin} keeps {self._agent} away from {errand.target.way}."
                " If you may ask all the same, as with an interface for programs, set robots=False for the source."
            )
            raise RobotsRefused(message)
        return _find_pace(wishes, self._agent)

    async def _find_wishes(self, errand: Errand) -> Protego:
        place = errand.source, errand.target.origin
        known = self._remembered.get(place)
        if known is not None and time.monotonic() < known.until:
            return known.wishes
        wishes = await self._read_wishes(errand)
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[place] = Remembered(wishes, time.monotonic() + REMEMBERED_SECONDS)
        return wishes

    async def _read_wishes(self, errand: Errand) -> Protego:
        page = (await self._fetch(_ask_for_robots(errand))).page
        # Whatever else a site answers below 500 means that it has no wishes; above, the fetch has failed.
        if not _FIRST_GOOD <= page.status < _FIRST_OTHER:
            return _NOT_THERE
        text = page.body[:MOST_BYTES].decode("utf-8", "replace")
        # Half a megabyte takes seconds to read: not on the event loop.
        return await asyncio.to_thread(Protego.parse, text)


def _ask_for_robots(errand: Errand) -> Errand:
    url = f"{errand.target.origin}/robots.txt"
    rules = CacheRules(ttl=KEPT_FOR, gone_ttl=KEPT_FOR, respect_no_store=False, respect_private=False)
    policy = replace(errand.policy, robots=False, cache=replace(rules, enabled=errand.policy.cache.enabled))
    # It is the same for all tenants, and no place for anybody's credentials.
    return replace(errand, request=Request(url, tenant="", ttl=KEPT_FOR), policy=policy, target=read_target(url))


def _find_pace(wishes: Protego, agent: str) -> timedelta:
    delay = wishes.crawl_delay(agent) or 0.0
    rate = wishes.request_rate(agent)
    spread = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
    seconds = max(delay, spread)
    return timedelta(seconds=seconds) if 0 < seconds < KEPT_FOR.total_seconds() else timedelta(0)
