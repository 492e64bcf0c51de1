"""The cache as something that may hold data about people: copies of pages, which can always be fetched again."""

from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.kit.log import get_logger
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.records import CachePrune

log = get_logger("dibs.cache")
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
        """Empty it. That its store fails keeps nobody from erasing the rest."""
        count = 0
        request = CachePrune(limit=BATCH, expired_only=False)
        try:
            while gone := await self._cache.prune(request):
                count += gone
        except Exception as error:  # noqa: BLE001 - each driver has its own
            log.warning("outside.cache.failed", during="erase", error=type(error).__name__)
            return Erased(count=count, kept=(f"the cache of pages: {type(error).__name__}. Mend it, and erase again.",))
        return Erased(count=count)
