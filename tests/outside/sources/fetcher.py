"""A process that fetches a page and prints how it got it: python fetcher.py CACHE URL"""

import asyncio
import sys
from datetime import timedelta
from urllib.parse import urlsplit

from dibs import open_backend
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.sources import flights
from dibs.outside.sources.request import Request, SourcePolicy
from dibs.outside.sources.sources import Sources
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.transport import Transport


async def main(file: str, url: str) -> None:
    # Who is killed shall not hold the test up for long.
    flights.LEASE, flights.RENEWED_EACH = timedelta(seconds=1), timedelta(seconds=0.2)
    cache = Cache(SqliteCache(file, max_bytes=10_000_000))
    policy = SourcePolicy(rules=Rules(allow_hosts=frozenset({urlsplit(url).netloc})), robots=False)
    backend = await open_backend("memory://")
    async with Transport() as transport:
        print("ready", flush=True)  # noqa: T201 - the test reads it
        sources = Sources(backend.sources, cache, transport, default=policy)
        response = await sources.fetch("shop", Request(url))
        print("cached" if response.is_cached else "fetched", response.text, flush=True)  # noqa: T201 - the test reads it
    await cache.close()
    await backend.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
