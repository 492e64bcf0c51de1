"""The moves of the cache, on tables."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from dibs.errors import StoreAccessDenied
from dibs.kit.clock import span_micros
from dibs.outside.cache.postgres.address import read_cache_address
from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally, Kept, Page, Slot, Span
from dibs.outside.cache.rows import CapWatch, encode_headers, own_size, read_kept
from dibs.outside.cache.scripts import read_script

MOST_CONNECTIONS = 4
CONNECT_SECONDS, COMMAND_SECONDS = 5.0, 10.0
EVICTED_AT_ONCE = 64
SWEPT_AT_ONCE = 1_000


class PostgresCache:
    """Pages in a schema beside the jobs."""

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self._address = read_cache_address(url)
        self._watch = CapWatch(max_bytes)
        self._opening = asyncio.Lock()
        self._pool: asyncpg.Pool | None = None

    async def find(self, slot: Slot) -> Kept | None:
        """Read a page."""
        row = await (await self._open()).fetchrow(self._sql("pages/find"), slot.digest)
        return read_kept(dict(row), row["now"]) if row else None

    async def put(self, slot: Slot, page: Page, span: Span) -> None:
        """Keep a page."""
        pool = await self._open()
        is_due = self._watch.note(page)
        async with pool.acquire() as connection, connection.transaction():
            before = await connection.fetchval(self._sql("pages/find_body_of"), slot.digest)
            await connection.execute(self._sql("pages/put_body"), page.digest, page.body)
            await connection.execute(self._sql("pages/put_page"), *_describe(slot, page), *_spans(span))
            await self._drop_orphans(connection, {before} - {None, page.digest})
            if is_due:
                await self._evict(connection)

    async def refresh(self, slot: Slot, page: Page, span: Span) -> None:
        """Let a page be fresh again."""
        values = (slot.digest, encode_headers(page), own_size(page), *_spans(span))
        await (await self._open()).execute(self._sql("pages/refresh"), *values)

    async def prune(self, request: CachePrune) -> int:
        """Forget pages."""
        values = (request.expired_only, request.source, request.tenant, request.limit)
        pool = await self._open_if_there()
        if pool is None:
            return 0
        if request.dry_run:
            return int(await pool.fetchval(self._sql("pages/count_prunable"), *values))
        async with pool.acquire() as connection, connection.transaction():
            dropped = await connection.fetch(self._sql("pages/prune"), *values)
            await self._drop_orphans(connection, {row["body"] for row in dropped})
            await connection.execute(self._sql("pages/sweep"), SWEPT_AT_ONCE)
            await connection.execute(self._sql("flights/prune"))
            await connection.execute(self._sql("tallies/prune"))
        return len(dropped)

    async def measure(self) -> CacheSize:
        """Tell how much is kept."""
        pool = await self._open_if_there()
        return CacheSize(pages=0, bodies=0, bytes=0) if pool is None else await self._measure(pool)

    async def add_tallies(self, tallies: Sequence[CacheTally]) -> None:
        """Add to what was counted today."""
        columns = zip(*((one.source, one.hits, one.revalidated, one.misses) for one in tallies), strict=True)
        await (await self._open()).execute(self._sql("tallies/add"), *columns)

    async def read_tallies(self) -> list[CacheTally]:
        """Tell what was counted today."""
        return [CacheTally(**dict(row)) for row in await (await self._open()).fetch(self._sql("tallies/read"))]

    async def claim(self, slot: Slot, owner: str, lease: timedelta) -> bool:
        """Be the one who fetches."""
        pool = await self._open()
        return bool(await pool.fetchval(self._sql("flights/claim"), slot.digest, owner, span_micros(lease)))

    async def release(self, slot: Slot, owner: str) -> None:
        """Let others fetch."""
        await (await self._open()).execute(self._sql("flights/release"), slot.digest, owner)

    async def grant(self, role: str) -> None:
        """Let a role of the server use the pages. Whoever may makes the place for them, if there is none."""
        quoted = '"' + role.replace('"', '""') + '"'
        try:
            await (await self._open()).execute(self._sql("schema/grant").replace("{role}", quoted))
        except asyncpg.InsufficientPrivilegeError as cause:
            where = self._address.schema
            message = (
                f"no right to the cache in the schema {where}. Grant it as its owner, or with CREATE on the database."
            )
            raise StoreAccessDenied(message) from cause

    async def close(self) -> None:
        """Close the connections."""
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    def _sql(self, name: str) -> str:
        return read_script(__package__, f"sql/{name}.sql").replace("{schema}", self._address.schema)

    async def _open(self) -> asyncpg.Pool:
        async with self._opening:
            if self._pool is None:
                self._pool = await self._connect()
            return self._pool

    async def _open_if_there(self) -> asyncpg.Pool | None:
        """Open it; None where there is no place for pages, and none can be made: then none is kept."""
        try:
            return await self._open()
        except asyncpg.InsufficientPrivilegeError:
            return None

    async def _connect(self) -> asyncpg.Pool:
        # A pooler that splits sessions knows no prepared statements.
        kept: dict[str, Any] = {"statement_cache_size": 0} if self._address.is_split else {}
        pool = await asyncpg.create_pool(
            self._address.dsn,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=CONNECT_SECONDS,
            command_timeout=COMMAND_SECONDS,
            **kept,
        )
        try:
            # Asked first: the right to create is not needed where everything is there.
            if not await self._has(pool, "flights"):
                await self._install(pool, "flights")
            # Made by the version before: whoever may not add to it goes on, and counts nothing.
            with suppress(asyncpg.InsufficientPrivilegeError):
                if not await self._has(pool, "tallies"):
                    await self._install(pool, "tallies")
        except BaseException:
            pool.terminate()
            raise
        return pool

    async def _has(self, connection: Any, table: str) -> bool:
        return bool(await connection.fetchval(self._sql("schema/look"), self._address.schema, table))

    async def _install(self, pool: asyncpg.Pool, table: str) -> None:
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute(self._sql("schema/lock"), self._address.schema)
            if not await self._has(connection, table):
                await connection.execute(self._sql("schema/create"))

    async def _evict(self, connection: PoolConnectionProxy) -> None:
        limit = 1
        while (await self._measure(connection)).bytes > self._watch.cap:
            await connection.execute(self._sql("pages/sweep"), SWEPT_AT_ONCE)
            dropped = await connection.fetch(self._sql("pages/drop_oldest"), limit)
            if not dropped:
                # Others hold all that is left, to evict it themselves.
                return
            await self._drop_orphans(connection, {row["body"] for row in dropped})
            limit = min(2 * limit, EVICTED_AT_ONCE)

    async def _measure(self, connection: Any) -> CacheSize:
        return CacheSize(**dict(await connection.fetchrow(self._sql("pages/measure"))))

    async def _drop_orphans(self, connection: PoolConnectionProxy, bodies: Iterable[str]) -> None:
        await connection.execute(self._sql("pages/drop_orphans"), list(bodies))


def _describe(slot: Slot, page: Page) -> tuple[Any, ...]:
    headers = encode_headers(page)
    named = (slot.digest, slot.tenant, slot.source)
    return (*named, page.url, page.status, headers, page.digest, own_size(page))


def _spans(span: Span) -> tuple[int, int]:
    return span_micros(span.fresh), span_micros(span.stale)
