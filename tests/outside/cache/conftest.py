"""The three places for cached pages, each with a clock that a test can move."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from redis.asyncio import Redis

from dibs.kit.clock import span_micros, utc_now
from dibs.kit.ids import new_id
from dibs.outside.cache.postgres.store import PostgresCache
from dibs.outside.cache.records import Page, Slot, Span
from dibs.outside.cache.redis.store import RedisCache
from dibs.outside.cache.sqlite.store import SqliteCache

CAP = 1_000_000
HOUR = Span(fresh=timedelta(hours=1), stale=timedelta(hours=1))


class Place:
    """A store, how to open another on the same pages, and its clock."""

    def __init__(self, make: Callable[[], Any], advance: Callable[[timedelta], Awaitable[None]]) -> None:
        self.make = make
        self.advance = advance
        self.store = make()


@pytest.fixture(params=["sqlite", "postgres", "redis"])
async def place(request, tmp_path) -> AsyncIterator[Place]:
    open_place: Any = {"sqlite": sqlite_place, "postgres": postgres_place, "redis": redis_place}[request.param]
    where = tmp_path if request.param == "sqlite" else request.getfixturevalue(f"{request.param}_url")
    async with open_place(where) as place:
        yield place


@asynccontextmanager
async def sqlite_place(folder: Path) -> AsyncIterator[Place]:
    ahead = timedelta(0)

    async def advance(span: timedelta) -> None:
        nonlocal ahead
        ahead += span

    place = Place(
        lambda: SqliteCache(str(folder / "cache.db"), max_bytes=CAP, clock=lambda: utc_now() + ahead), advance
    )
    yield place
    await place.store.close()


@asynccontextmanager
async def postgres_place(url: str) -> AsyncIterator[Place]:
    schema = f"test_{new_id().replace('-', '_')}"
    ahead = 0

    async def advance(span: timedelta) -> None:
        nonlocal ahead
        ahead += span_micros(span)
        connection = await asyncpg.connect(url)
        moved = f"SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint + {ahead}"
        await connection.execute(
            f"CREATE OR REPLACE FUNCTION {schema}_cache.now_micros() RETURNS bigint LANGUAGE sql STABLE AS '{moved}'"
        )
        await connection.close()

    place = Place(lambda: PostgresCache(f"{url}?schema={schema}", max_bytes=CAP), advance)
    yield place
    await place.store.close()
    connection = await asyncpg.connect(url)
    await connection.execute(f"DROP SCHEMA IF EXISTS {schema}_cache CASCADE")
    await connection.close()


@asynccontextmanager
async def redis_place(url: str) -> AsyncIterator[Place]:
    space = f"test-{new_id()}"
    client = Redis.from_url(url)

    async def advance(span: timedelta) -> None:
        await client.incrby(f"{{{space}-cache}}:ahead", span_micros(span))

    place = Place(lambda: RedisCache(f"{url}?namespace={space}", max_bytes=CAP), advance)
    yield place
    await place.store.close()
    keys = [key async for key in client.scan_iter(f"{{{space}-cache}}*")]
    await client.delete(*keys) if keys else None
    await client.aclose()


def slot(key: str = "k", *, source: str = "ebay", tenant: str = "default") -> Slot:
    return Slot(tenant=tenant, source=source, key=key)


def page(body: bytes = b"hello", **headers: str) -> Page:
    return Page(url="http://example.com/", status=200, headers=headers, body=body)
