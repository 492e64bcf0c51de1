"""Whatever happens to the cache is a miss, never an error."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from functools import partial

import pytest

from dibs import BadInput, Settings, UnknownBackend
from dibs.kit.clock import utc_now
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.opening import make_cache
from dibs.outside.cache.records import CachePrune
from dibs.outside.cache.sqlite import file
from dibs.outside.cache.sqlite.store import SqliteCache
from tests.outside.cache.conftest import CAP, HOUR, page, slot

LEASE = timedelta(seconds=5)


class Broken:
    """A store that fails at everything, and counts."""

    def __init__(self):
        self.calls = 0

    def __getattr__(self, name):
        async def fail(*_):
            self.calls += 1
            raise OSError("the disk is gone")

        return fail


DAMAGES = {
    "version": "PRAGMA user_version = 99",
    "table": "DROP TABLE bodies",
    "body": "UPDATE bodies SET content = x'00'",
    "kind": "UPDATE bodies SET content = 'hello'",
    "headers": "UPDATE pages SET headers = '{'",
    "no body": "DELETE FROM bodies",
}


def damage(path, how):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(DAMAGES.get(how, "SELECT 1"))
    connection.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if how == "garbage":
        path.write_bytes(b"this is no database, but it is long enough to be one " * 100)
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:5_000])
    elif how == "pages":
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        path.write_bytes(content)


@pytest.mark.parametrize("how", [*DAMAGES, "garbage", "cut", "pages"])
async def test_a_damaged_file_is_a_miss_and_keeps_again(tmp_path, how):
    path = tmp_path / "cache.db"
    first = SqliteCache(str(path), max_bytes=CAP)
    await first.put(slot(), page(), HOUR)
    await first.close()
    damage(path, how)
    cache = Cache(SqliteCache(str(path), max_bytes=CAP))
    assert await cache.find(slot()) is None
    await cache.keep(slot(), page(), HOUR)
    found = await cache.find(slot())
    assert found is not None
    assert found.page == page()
    await cache.close()


async def test_a_file_that_is_replaced_under_us_is_opened_anew(tmp_path):
    path = tmp_path / "cache.db"
    cache = Cache(SqliteCache(str(path), max_bytes=CAP))
    await cache.keep(slot(), page(), HOUR)
    for one_file in tmp_path.iterdir():
        one_file.unlink()
    assert await cache.find(slot()) is None
    await cache.keep(slot(), page(), HOUR)
    assert await cache.find(slot()) is not None
    await cache.close()


async def test_of_two_who_see_the_damage_the_second_keeps_what_the_first_has_written(tmp_path):
    path = tmp_path / "cache.db"
    stores = [SqliteCache(str(path), max_bytes=CAP) for _ in range(2)]
    for one in stores:
        await one.put(slot(), page(), HOUR)
    for one_file in tmp_path.iterdir():
        one_file.write_bytes(b"garbage" * 2_000)
    await stores[0].put(slot("new"), page(b"new"), HOUR)
    found = await stores[1].find(slot("new"))
    assert found is not None
    assert found.page.body == b"new"
    for one in stores:
        await one.close()


async def test_a_file_that_somebody_has_replaced_in_the_very_moment_is_left_to_them(tmp_path, monkeypatch):
    path, theirs = tmp_path / "here" / "cache.db", tmp_path / "there" / "cache.db"
    prepared = SqliteCache(str(theirs), max_bytes=CAP)
    await prepared.put(slot("theirs"), page(), HOUR)
    await prepared.close()
    mine = SqliteCache(str(path), max_bytes=CAP)
    await mine.put(slot("mine"), page(), HOUR)
    transact = file._transact

    def find_damage(*_):
        monkeypatch.setattr(file, "_transact", transact)
        for old in path.parent.iterdir():
            old.unlink()
        shutil.copy(theirs, path)
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.setattr(file, "_transact", find_damage)
    assert await mine.find(slot("theirs")) is not None
    await mine.close()


async def test_a_folder_that_cannot_be_made_is_a_miss(tmp_path):
    (tmp_path / "file").touch()
    cache = Cache(SqliteCache(str(tmp_path / "file" / "cache.db"), max_bytes=CAP))
    await cache.keep(slot(), page(), HOUR)
    assert await cache.find(slot()) is None
    assert await cache.claim(slot(), "me", LEASE)
    await cache.close()


async def test_a_store_that_fails_is_left_alone_for_a_while(monkeypatch):
    store = Broken()
    cache = Cache(store)
    assert await cache.find(slot()) is None
    assert await cache.claim(slot(), "me", LEASE)
    await cache.keep(slot(), page(), HOUR)
    await cache.refresh(slot(), page(), HOUR)
    await cache.release(slot(), "me")
    assert store.calls == 1
    monkeypatch.setattr("dibs.outside.cache.cache.time.monotonic", lambda: float("inf"))
    assert await cache.find(slot()) is None
    assert store.calls == 2


async def test_whoever_writes_forgets_what_was_kept_long_enough(tmp_path, monkeypatch):
    ahead = timedelta(0)
    cache = Cache(SqliteCache(str(tmp_path / "cache.db"), max_bytes=CAP, clock=lambda: utc_now() + ahead))
    monkeypatch.setattr("dibs.outside.cache.cache.TIDIED", CachePrune(limit=3))
    for number in range(10):
        await cache.keep(slot(str(number)), page(), HOUR)
    ahead = timedelta(hours=3)
    await cache.keep(slot("a"), page(), HOUR)
    assert (await cache.measure()).pages == 11
    cache._tidy_at = 0.0
    for number in range(5):
        await cache.keep(slot("a"), page(str(number).encode()), HOUR)
    assert (await cache.measure()).pages == 1
    await cache.close()


async def test_an_operator_is_told_of_a_failure():
    with pytest.raises(OSError, match="the disk is gone"):
        await Cache(Broken()).prune(CachePrune())


async def test_a_body_over_the_limit_is_not_kept(tmp_path):
    cache = Cache(SqliteCache(str(tmp_path / "cache.db"), max_bytes=CAP), max_body_bytes=10)
    await cache.keep(slot("small"), page(b"x" * 10), HOUR)
    await cache.keep(slot("large"), page(b"x" * 11), HOUR)
    assert await cache.find(slot("small")) is not None
    assert await cache.find(slot("large")) is None
    await cache.close()


async def test_a_cache_that_is_turned_off_keeps_nothing():
    cache = make_cache(Settings.from_env({"CACHE_ENABLED": "false"}))
    await cache.keep(slot(), page(), HOUR)
    assert await cache.find(slot()) is None
    assert not cache.is_enabled
    assert (await cache.measure()).pages == 0
    await cache.close()


KILLED = """
import asyncio, sys
from datetime import timedelta
from dibs.outside.cache.sqlite import file
from dibs.outside.cache.sqlite.store import SqliteCache
from tests.outside.cache.conftest import HOUR, page, slot

async def main():
    store = SqliteCache(sys.argv[1], max_bytes=10**9)
    await store.claim(slot(), "killed", timedelta(seconds=0.5))
    for number in range(10**9):
        await store.put(slot(str(number % 50)), page(bytes(5_000) + str(number).encode()), HOUR)
        if number == 100:
            print("going", flush=True)

asyncio.run(main())
"""


async def test_a_process_that_is_killed_in_the_middle_leaves_whole_pages_and_a_claim_that_lapses(tmp_path):
    path = str(tmp_path / "cache.db")
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, path, stdout=subprocess.PIPE)
    assert killed.stdout is not None
    await killed.stdout.readline()
    killed.kill()
    await killed.communicate()
    store = SqliteCache(path, max_bytes=10**9)
    found = [await store.find(slot(str(number))) for number in range(50)]
    assert all(one is not None and one.page.body.startswith(bytes(5_000)) for one in found)
    async with asyncio.timeout(60):
        while not await store.claim(slot(), "next", LEASE):
            await asyncio.sleep(0.02)
    size = await store.measure()
    assert (size.pages, size.bodies) == (50, 50)
    await store.close()


@pytest.mark.parametrize(
    ("url", "cache_url", "file"),
    [
        ("sqlite:///jobs.db", "", "jobs-cache.db"),
        ("sqlite:////var/lib/jobs.db?synchronous=normal", "", "/var/lib/jobs-cache.db"),
        ("memory://", "", ":memory:"),
        ("postgresql://h/d", "sqlite:///pages.db", "pages.db"),
    ],
)
def test_the_cache_of_one_machine_is_a_file_beside_the_jobs(url, cache_url, file):
    cache = make_cache(Settings(url=url, cache_url=cache_url))
    assert cache._store._file._path == file  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://h/d?schema=jobs&pool_size=3", "PostgresCache"),
        ("redis://h:1/2?namespace=x", "RedisCache"),
        ("rediss://:secret@h", "RedisCache"),
        ("redis+sentinel://u:p@a:1,b:2/primary/3?sentinel_password=s", "RedisCache"),
        ("redis+cluster://a:1,b:2?tls=true", "RedisCache"),
    ],
)
async def test_the_cache_of_many_machines_is_where_their_jobs_are(url, kind):
    assert type(make_cache(Settings(url=url))._store).__name__ == kind


def test_a_cache_url_that_names_nothing_is_refused():
    with pytest.raises(UnknownBackend):
        make_cache(Settings(cache_url="ftp://x"))


@pytest.mark.parametrize(
    "env", [{"CACHE_ENABLED": "maybe"}, {"CACHE_TTL_SECONDS": "-1"}, {"DIBS_CACHE_MAX_BYTES": "lots"}]
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(env):
    with pytest.raises(BadInput, match=next(iter(env))):
        Settings.from_env(env)


class Contested(sqlite3.Connection):
    """Answers as SQLite does when two change the journal of a new file at the same moment: at once, and with no."""

    refusals = 2

    def execute(self, *given):
        if "journal_mode" in given[0] and Contested.refusals:
            Contested.refusals -= 1
            message = "database is locked"
            raise sqlite3.OperationalError(message)
        return super().execute(*given)


async def test_a_file_that_others_open_for_the_first_time_too_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr("dibs.outside.cache.sqlite.file.sqlite3.connect", partial(sqlite3.connect, factory=Contested))
    opened = file.CacheFile(str(tmp_path / "cache.db"))
    assert await opened.read(lambda _: "read") == "read"
    assert Contested.refusals == 0
    await opened.close()


@pytest.mark.parametrize(
    "url", ["redis://ada:s3cret@h:port", "redis+cluster://ada:s3cret@h:port", "redis://ada:s3cret@[", "sqlite:///a%00b"]
)
def test_a_url_that_cannot_be_read_is_refused_before_anything_is_asked_of_the_cache(url):
    with pytest.raises(BadInput, match=r"cannot be read|names no file") as refused:
        make_cache(Settings(cache_url=url))
    assert "s3cret" not in str(refused.value)
