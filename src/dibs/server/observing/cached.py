"""What the response cache of the workers has counted, for those who look."""

from dibs.engine.app import App
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.opening import find_cache_file, make_cache
from dibs.outside.cache.records import CacheTally


class Cached:
    """Reads the cache that goes with an app's store; nothing is opened, or made, before somebody looks."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._cache: Cache | None = None

    async def read(self) -> dict[str, CacheTally]:
        """Give the counts of today by source; none where there is no cache, or it does not answer."""
        url: str | None = getattr(self._app, "url", None)
        file = find_cache_file(self._app.settings, url)
        if file is not None and not file.exists():
            return {}
        self._cache = self._cache or make_cache(self._app.settings, url)
        return {tally.source: tally for tally in await self._cache.read_tallies()}

    async def close(self) -> None:
        """Let go of the cache."""
        if self._cache is not None:
            await self._cache.close()
            self._cache = None
