"""Entries and seals that somebody has made unreadable hide no others, and are found."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from dibs.assembly import open_backend
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.audit.verifying import verify_chain
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, PageRequest

ENTRIES = [NewEntry(action="EMAIL_SENT", subject=f"message:{number}", actor="mailer") for number in range(5)]
SPOILED = {"at": b"soon", "detail": b"{", "actor": b"\xff", "token": b"x", "others": b"zz"}


class Store:
    """A namespace whose keys a test can reach into."""

    def __init__(self, client: Any, backend: Backend, namespace: str) -> None:
        self.client, self.backend = client, backend
        self.audit = f"{{{namespace}}}:audit"
        self.seals, self.heads = f"{{{namespace}}}:seals:default", f"{{{namespace}}}:seal_heads"

    async def seal_all(self) -> None:
        await self.backend.audit.append(ENTRIES)
        entries = await self.backend.audit.list_unsealed(100)
        for seals in chain(entries, await self.backend.audit.list_heads()):
            assert await self.backend.audit.seal(seals)

    async def spoil(self, field: str, value: bytes) -> None:
        """Write the third entry anew, with something else in one of its fields; a stream has no other way."""
        rows = await self.client.xrange(self.audit)
        await self.client.delete(self.audit)
        for place, (number, facts) in enumerate(rows):
            await self.client.xadd(self.audit, {**facts, field.encode(): value} if place == 2 else facts, id=number)

    async def verify(self) -> str:
        return (await verify_chain(self.backend, "default")).fault or ""


@pytest_asyncio.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    namespace = f"t{uuid4().hex[:12]}"
    client = Redis.from_url(redis_url)
    mark = "&" if "?" in redis_url else "?"
    async with await open_backend(f"{redis_url}{mark}namespace={namespace}") as backend:
        yield Store(client, backend, namespace)
    await client.aclose()


@pytest.mark.parametrize("field", SPOILED)
async def test_verifying_names_the_entry_that_somebody_spoiled_and_the_others_are_read(store: Store, field: str):
    await store.seal_all()
    assert await store.verify() == ""
    await store.spoil(field, SPOILED[field])
    assert "position" in await store.verify()
    page = await store.backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))
    assert {entry.sequence for entry in page.items} >= {5, 4, 2, 1}
    assert msgspec.json.encode(page.items)


@pytest.mark.parametrize("seal", [b"\xff", b"3abc", b"x abc"])
async def test_verifying_names_a_seal_that_cannot_be_read(store: Store, seal: bytes):
    await store.seal_all()
    [third] = await store.client.zrange(store.seals, 2, 2)
    await store.client.zrem(store.seals, third)
    await store.client.zadd(store.seals, {seal: 3})
    assert "position 3" in await store.verify()


@pytest.mark.parametrize("head", [b"\xff", b"5", b"4 4 abc", b"9 9 abc", None])
async def test_verifying_tells_of_a_chain_whose_end_is_not_the_end_that_the_store_knows(
    store: Store, head: bytes | None
):
    await store.seal_all()
    if head is None:
        await store.client.hdel(store.heads, "default")
    else:
        await store.client.hset(store.heads, "default", head)
    assert "one of them was changed" in await store.verify()


async def test_seals_that_are_taken_away_from_the_end_are_missed(store: Store):
    await store.seal_all()
    await store.client.zremrangebyscore(store.seals, 5, 5)
    assert "one of them was changed" in await store.verify()
