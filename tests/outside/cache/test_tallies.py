"""How often the cache has answered is counted by source and day, and costs next to nothing."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from urllib.parse import urlsplit

import asyncpg
import pytest

from dibs.kit.ids import new_id
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.postgres.store import PostgresCache
from dibs.outside.cache.records import CachePrune, CacheTally
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.cache.tallying import WRITE_SECONDS, Answer, Tallying
from tests.outside.cache.conftest import CAP, HOUR, page, postgres_place, slot


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


async def test_counts_of_all_processes_add_up(place):
    other = place.make()
    await place.store.add_tallies([CacheTally(source="b", misses=2), CacheTally(source="a:b", hits=1)])
    await other.add_tallies([CacheTally(source="a:b", hits=2, revalidated=4)])
    assert await place.store.read_tallies() == [
        CacheTally(source="a:b", hits=3, revalidated=4),
        CacheTally(source="b", misses=2),
    ]
    await other.close()


async def test_a_new_day_begins_at_nothing_and_the_day_before_is_forgotten(place):
    await place.store.add_tallies([CacheTally(source="a", hits=1)])
    await place.advance(timedelta(days=1))
    assert await place.store.read_tallies() == []
    await place.store.prune(CachePrune())
    await place.store.add_tallies([CacheTally(source="a", hits=5)])
    assert [tally.hits for tally in await place.store.read_tallies()] == [5]


def test_the_first_answer_is_due_at_once_and_the_next_ones_together():
    clock = Clock()
    tallying = Tallying(clock)
    seen = [tallying.is_due]
    tallying.note("a", Answer.MISS)
    seen.append(tallying.is_due)
    assert tallying.take() == [CacheTally(source="a", misses=1)]
    for answer in (Answer.HIT, Answer.HIT, Answer.REVALIDATED):
        tallying.note("a", answer)
    seen.append(tallying.is_due)
    clock.now += WRITE_SECONDS
    assert [*seen, tallying.is_due] == [False, True, False, True]
    assert tallying.take() == [CacheTally(source="a", hits=2, revalidated=1)]


async def test_what_was_counted_last_is_written_when_the_cache_is_closed(tmp_path):
    path = str(tmp_path / "cache.db")
    cache = Cache(SqliteCache(path, max_bytes=CAP))
    for _ in range(3):
        await cache.note("a", Answer.HIT)
    assert [tally.hits for tally in await cache.read_tallies()] == [1]
    await cache.close()
    again = Cache(SqliteCache(path, max_bytes=CAP))
    assert [tally.hits for tally in await again.read_tallies()] == [3]
    await again.close()


async def test_a_cache_without_a_store_counts_nothing():
    cache = Cache(None)
    await cache.note("a", Answer.HIT)
    assert await cache.read_tallies() == []
    await cache.close()


async def test_a_file_from_before_is_counted_in_and_keeps_its_pages(tmp_path):
    path = str(tmp_path / "cache.db")
    first = SqliteCache(path, max_bytes=CAP)
    await first.put(slot(), page(), HOUR)
    await first.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE tallies")
    connection.close()
    second = SqliteCache(path, max_bytes=CAP)
    await second.add_tallies([CacheTally(source="a", hits=1)])
    assert await second.find(slot()) is not None
    assert len(await second.read_tallies()) == 1
    await second.close()


async def test_a_schema_from_before_is_counted_in_and_keeps_its_pages(postgres_url):
    async with postgres_place(postgres_url) as place:
        await place.store.put(slot(), page(), HOUR)
        connection = await asyncpg.connect(postgres_url)
        schema = place.store._address.schema
        await connection.execute(f"DROP TABLE {schema}.tallies")
        await connection.close()
        other = place.make()
        await other.add_tallies([CacheTally(source="a", hits=1)])
        assert await other.find(slot()) is not None
        assert len(await other.read_tallies()) == 1
        await other.close()


async def test_who_may_not_count_still_has_the_cache(postgres_url):
    async with postgres_place(postgres_url) as place:
        await place.store.put(slot(), page(), HOUR)
        schema, role = place.store._address.schema, f"reader_{new_id().replace('-', '_')}"
        connection = await asyncpg.connect(postgres_url)
        for statement in (
            f"DROP TABLE {schema}.tallies",
            f"CREATE ROLE {role} LOGIN",
            f"GRANT USAGE ON SCHEMA {schema} TO {role}",
            f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {role}",
        ):
            await connection.execute(statement)
        parts = urlsplit(postgres_url)
        theirs = parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()
        cache = Cache(PostgresCache(f"{theirs}?schema={schema.removesuffix('_cache')}", max_bytes=CAP))
        await cache.note("a", Answer.HIT)
        assert await cache.read_tallies() == []
        assert await cache.find(slot()) is not None
        await cache.close()
        await connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
        await connection.close()


@pytest.mark.parametrize("tally", [CacheTally(source="a"), CacheTally(source="a", hits=1, revalidated=2, misses=3)])
def test_all_answers_are_the_sum_of_their_kinds(tally):
    assert tally.answers == tally.hits + tally.revalidated + tally.misses
