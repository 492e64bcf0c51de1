"""The Redis backend under test: a namespace of its own on a server that others may use too."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from dibs.assembly import open_backend
from dibs.backends.redis.wire.address import parse_address
from dibs.backends.redis.wire.connections import Lines
from dibs.backends.redis.wire.scripts import make_script
from dibs.engine.store.backend import Backend
from dibs.errors import NotSupported
from dibs.kit.clock import span_micros
from dibs.settings import Settings

# Everything but the schema goes, and with it the offset of the clock.
_EMPTY = make_script("""
local names = redis.call('KEYS', KEYS[1] .. ':*')
for _, name in ipairs(names) do
  if name ~= KEYS[1] .. ':schema' and name ~= KEYS[1] .. ':layout' then
    redis.call('DEL', name)
  end
end
return #names
""")


class RedisStore:
    """One namespace; every handle sees it. Its clock can be moved."""

    def __init__(self, url: str, *, namespace: str | None = None) -> None:
        joint = "&" if "?" in url else "?"
        self.url = f"{url}{joint}{urlencode({'namespace': namespace or f'test-{uuid4().hex}'})}"
        self.lines = Lines(parse_address(self.url))

    async def open(self, **settings: Any) -> Backend:
        """Open another handle, with connections of its own."""
        return await open_backend(self.url, settings=Settings(**settings))

    async def advance(self, span: timedelta) -> None:
        """Move the clock: every script adds this offset to the server's time."""
        await self.lines.ask("INCRBY", f"{self.lines.address.tag}:clock_offset", span_micros(span))

    async def reset(self) -> None:
        """Begin anew, with the schema in place."""
        await self.lines.evaluate(_EMPTY)

    async def close(self) -> None:
        """Leave nothing behind."""
        await self.lines.evaluate(_EMPTY)
        tag = self.lines.address.tag
        await self.lines.ask("DEL", f"{tag}:schema", f"{tag}:layout")
        await self.lines.close()

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Redis has none."""
        message = "the Redis backend has no transactions"
        raise NotSupported(message)
