"""When a person is erased, all pages go: nobody can tell who is in them."""

from typing import Any

import pytest
from msgspec.structs import replace

from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.holding import CacheHolding
from dibs.outside.cache.opening import make_cache, make_kept_cache
from dibs.settings import Settings
from tests.outside.cache.conftest import HOUR, page, slot

ADA = Inquiry("acme", ["ada@example.com"])
ACT = OperatorAct(actor="ann", reason="asked")


async def test_fresh_pages_of_every_tenant_go(place):
    for tenant in ("acme", "default"):
        await place.store.put(slot(tenant=tenant), page(b"ada@example.com"), HOUR)
    holding = CacheHolding(Cache(place.store))
    assert await holding.find(ADA) == []
    assert (await holding.erase(ADA, ACT)).count == 2
    assert (await place.store.measure()).bodies == 0


async def test_a_cache_whose_store_fails_is_told_and_keeps_nobody_from_erasing_the_rest():
    class Broken:
        async def prune(self, _):
            raise OSError

    store: Any = Broken()
    erased = await CacheHolding(Cache(store)).erase(ADA, ACT)
    assert (erased.count, erased.kept) == (0, ("the cache of pages: OSError. Mend it, and erase again.",))


async def test_a_cache_that_is_off_holds_nothing():
    assert (await CacheHolding(Cache(None)).erase(ADA, ACT)).count == 0


@pytest.mark.parametrize("is_enabled", [True, False])
async def test_pages_in_a_file_are_looked_at_also_where_no_more_are_kept_and_no_file_is_made(tmp_path, is_enabled):
    settings = Settings(url=f"sqlite:///{tmp_path}/jobs.db", cache_enabled=is_enabled)
    kept = make_cache(replace(settings, cache_enabled=True))
    await CacheHolding(make_kept_cache(settings)).erase(ADA, ACT)
    assert list(tmp_path.iterdir()) == []
    await kept.keep(slot(), page(b"ada@example.com"), HOUR)
    await kept.close()
    cache = make_kept_cache(settings)
    assert (await CacheHolding(cache).erase(ADA, ACT)).count == 1
    await cache.close()
