"""Many tenants on two pooled connections, with operations cancelled at any moment: no row of another is ever seen."""

import asyncio
import random
from collections import Counter

import pytest
from sqlalchemy import delete, event, select, update

from dibs.access.tables import ACTS, KEYS
from dibs.kit.clock import utc_now
from dibs.kit.ids import new_id
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.tables import add_option

TENANTS = [f"tenant-{number}" for number in range(20)]
AT_ONCE = 16


def make_key(key_id, tenant):
    facts = dict.fromkeys(("hint", "created_by"), "-")
    return {"id": key_id, "name": tenant, "digest": key_id, "scopes": (), "created_at": utc_now(), **facts}


class Traffic:
    """Operations of random tenants, some of them cancelled somewhere on their way."""

    def __init__(self, tables, seed):
        self.tables = tables
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()

    async def plant(self):
        """One row of each tenant that nobody changes: the canary."""
        for tenant in TENANTS:
            async with self.tables.writing(sight_of(tenant)) as transaction:
                await transaction.add(KEYS, **make_key(f"canary of {tenant}", tenant))

    async def run(self, count):
        turns = asyncio.Semaphore(AT_ONCE)

        async def one():
            async with turns:
                await self._maybe_cancelled(self.chance.choice([self.read, self.write, self.erase, self.present]))

        await asyncio.gather(*(one() for _ in range(count)))

    async def _maybe_cancelled(self, operation):
        task = asyncio.create_task(operation(self.chance.choice(TENANTS)))
        if self.chance.random() < 0.3:
            for _ in range(self.chance.randrange(30)):
                await asyncio.sleep(0)
            await asyncio.sleep(self.chance.choice([0, 0, 0.001, 0.003]))
            self.counts["cancelled"] += task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled():
            task.result()
            self.counts[operation.__name__] += 1

    async def look(self, transaction, tenant):
        rows = await transaction.fetch(select(KEYS.c.id, KEYS.c.tenant, KEYS.c.name))
        assert {(row["tenant"], row["name"]) for row in rows} == {(tenant, tenant)}
        assert f"canary of {tenant}" in {row["id"] for row in rows}

    async def read(self, tenant):
        async with self.tables.reading(sight_of(tenant)) as transaction:
            await self.look(transaction, tenant)

    async def write(self, tenant):
        async with self.tables.writing(sight_of(tenant)) as transaction:
            await transaction.add(KEYS, **make_key(new_id(), tenant))
            await transaction.change(update(KEYS).values(created_by=tenant))
            await self.look(transaction, tenant)

    async def erase(self, tenant):
        async with self.tables.writing(sight_of(tenant)) as transaction:
            await transaction.change(delete(KEYS).where(KEYS.c.id.not_like("canary%")))
            await self.look(transaction, tenant)

    async def present(self, tenant):
        canary = f"canary of {tenant}"
        async with self.tables.reading(sight_of(None, presented=canary)) as transaction:
            assert [row["id"] for row in await transaction.fetch(select(KEYS.c.id))] == [canary]
            assert await transaction.fetch(select(ACTS.c.id)) == []

    async def check(self):
        """Every canary lives, and nobody wrote into another tenant's rows."""
        for tenant in TENANTS:
            async with self.tables.reading(sight_of(tenant)) as transaction:
                rows = await transaction.fetch(select(KEYS))
            assert {row["created_by"] for row in rows} <= {tenant, "-"}
            assert f"canary of {tenant}" in {row["id"] for row in rows}


async def check_mixed(url, count, seed=1):
    async with Tables.at(add_option(url, "pool_size=2")) as tables:
        traffic = Traffic(tables, seed)
        await traffic.plant()
        await traffic.run(count)
        await traffic.check()
    assert traffic.counts["cancelled"] > count / 20, "hardly any was cancelled in time"
    assert min(traffic.counts[name] for name in ("read", "write", "erase", "present")) > count / 20
    return traffic.counts


async def test_a_cancelled_operation_gives_its_connection_back(url):
    opened = []
    async with Tables.at(add_option(url, "pool_size=1")) as tables:
        event.listen(tables._engine.sync_engine, "connect", lambda *_: opened.append(1))
        traffic = Traffic(tables, seed=1)
        await traffic.plant()
        for ticks in range(60):
            task = asyncio.create_task(traffic.write(TENANTS[0]))
            for _ in range(ticks):
                await asyncio.sleep(0.0002)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await traffic.check()
    assert len(opened) == 1


async def test_no_row_of_another_tenant_is_seen_while_operations_are_cancelled(url):
    await check_mixed(url, 400)


@pytest.mark.system
async def test_no_row_of_another_tenant_is_seen_in_ten_thousand_operations(url):
    await check_mixed(url, 10_000)
