"""The cache as something that may hold data about people: copies of pages, which can always be fetched again."""

from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.records import CachePrune

BATCH = 1_000


class CacheHolding(Untraced):
    """Nobody can tell what is in a page, so that all of them go."""

    name = "cache"

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def find(self, inquiry: Inquiry) -> list[Held]:  # noqa: ARG002 - of nobody
        """Nothing: what others publish is not ours to give out."""
        return []

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - of everybody
        """Empty it."""
        count = 0
        request = CachePrune(limit=BATCH, expired_only=False)
        while gone := await self._cache.prune(request):
            count += gone
        return Erased(count=count)
