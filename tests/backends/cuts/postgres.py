"""PostgreSQL behind a wire that breaks."""

import asyncio
from typing import Any, Self
from urllib.parse import urlsplit

from dibs.assembly import open_backend
from dibs.backends.postgres.wire.address import read_address
from dibs.engine.store.backend import Backend
from dibs.settings import Settings
from dibs.testing.machine import Cut
from dibs.testing.stores.postgres import PostgresStore
from tests.backends.cuts.proxy import Proxy


class CuttablePostgres(PostgresStore):
    """Its handles go through the proxy; the tests' own hands do not."""

    proxy: Proxy

    @classmethod
    async def start(cls, url: str) -> Self:
        store = await super().start(url)
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        store.proxy = await Proxy(parts.hostname, parts.port, mark=f'"{read_address(url).schema}".').start()
        return store

    async def open(self, **settings: Any) -> Backend:
        url = self.url.replace(f":{urlsplit(self.url).port}", f":{self.proxy.port}")
        return await open_backend(url, settings=Settings(url=url, **settings))

    def arm(self, cut: Cut) -> None:
        self.proxy.cut, self.proxy.is_broken = cut, False

    async def disarm(self) -> bool:
        self.proxy.cut = None
        if self.proxy.is_broken:
            async with asyncio.timeout(60):
                await self.proxy.settled.wait()
        return self.proxy.is_broken

    async def close(self) -> None:
        await self.proxy.stop()
        await super().close()
