"""When a person is erased, all pages go: nobody can tell who is in them."""

from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.holding import CacheHolding
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


async def test_a_cache_that_is_off_holds_nothing():
    assert (await CacheHolding(Cache(None)).erase(ADA, ACT)).count == 0
