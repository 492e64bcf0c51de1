"""Each store, and all that is in it as whoever has its disk could read it."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from dibs.backends.sqlite.threads.connections import open_for_writing
from dibs.kit.encryption.secret import Secret
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.stores.redis import RedisStore
from dibs.testing.stores.sqlite import SqliteStore

OLD, NEW, OTHER = (Secret(letter * 44) for letter in "onx")
# Nothing else in a store can look like this.
MARKER = "ada.lovelace@example.org"


@pytest_asyncio.fixture(params=["memory", "sqlite", "postgres", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    made: Any
    if request.param == "memory":
        made = MemoryStore()
    elif request.param == "sqlite":
        made = SqliteStore(tmp_path)
    elif request.param == "postgres":
        made = await PostgresStore.start(request.getfixturevalue("postgres_url"))
        await made.reset()
    else:
        made = RedisStore(request.getfixturevalue("redis_url"))
    yield made
    await made.close()


async def dump(store: Any) -> str:
    """Write out everything that a store keeps."""
    text: str = await _DUMPS[type(store)](store)
    return text


async def _dump_memory(store: MemoryStore) -> str:
    world: Any = store._parts.jobs._world  # type: ignore[attr-defined]
    return repr(vars(world))


async def _dump_sqlite(store: SqliteStore) -> str:
    with closing(open_for_writing(store.address)) as connection:
        return "\n".join(connection.iterdump())


async def _dump_postgres(store: PostgresStore) -> str:
    async with store.transaction() as connection:
        question = "SELECT tablename FROM pg_tables WHERE schemaname = $1"
        names = [row[0] for row in await connection.fetch(question, store._schema)]
        rows = [await connection.fetch(f'SELECT one::text FROM "{store._schema}"."{name}" AS one') for name in names]
    return "\n".join(row[0] for some in rows for row in some)


async def _dump_redis(store: RedisStore) -> str:
    reads = {b"hash": ("HGETALL",), b"list": ("LRANGE", 0, -1), b"zset": ("ZRANGE", 0, -1), b"set": ("SMEMBERS",)}
    reads |= {b"stream": ("XRANGE", "-", "+")}
    texts = []
    for name in await store.lines.ask("KEYS", f"{store.lines.address.tag}:*"):
        kind = await store.lines.ask("TYPE", name)
        command, *rest = reads.get(kind if isinstance(kind, bytes) else kind.encode(), ("GET",))
        texts.append(f"{name}: {await store.lines.ask(command, name, *rest)}")
    return "\n".join(texts)


_DUMPS: dict[type, Any] = {
    MemoryStore: _dump_memory,
    SqliteStore: _dump_sqlite,
    PostgresStore: _dump_postgres,
    RedisStore: _dump_redis,
}
