"""Pages that were kept long enough are forgotten, also when nothing is fetched any more."""

from datetime import timedelta

from dibs import Dibs
from dibs.outside.cache.cache import TIDIED, Cache
from dibs.outside.cache.records import CachePrune, Page, Slot, Span
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.sources import make_sources
from dibs.testing.stores.memory import MemoryStore

HOUR = timedelta(hours=1)


def test_an_app_with_sources_has_its_workers_sweep_the_cache_once():
    app = Dibs("memory://")
    first = make_sources(app, user_agent="coins/1.0")
    make_sources(app, user_agent="coins/1.0")
    assert [(errand.name, errand.do) for errand in app.errands] == [("cache", first.cache.sweep)]


async def test_a_sweep_forgets_all_that_was_kept_long_enough_and_nothing_else():
    world = MemoryStore()
    cache = Cache(SqliteCache(":memory:", max_bytes=10_000_000, clock=world.now))
    page = Page(url="http://shop.example/", status=200, headers={}, body=b"page")
    for number in range(TIDIED.limit + 5):
        await cache.keep(Slot(tenant="t", source="shop", key=str(number)), page, Span(fresh=HOUR))
    await cache.keep(Slot(tenant="t", source="shop", key="later"), page, Span(fresh=9 * HOUR))
    await world.advance(2 * HOUR)
    assert await cache.sweep() == TIDIED.limit + 5
    assert await cache.prune(CachePrune(expired_only=False, dry_run=True)) == 1
    await cache.close()
