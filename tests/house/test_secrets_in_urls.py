"""Whatever is wrong with a URL that has a password in it, neither an error nor its cause tells the password."""

import traceback
from collections.abc import Callable

import pytest

from dibs.assembly import Dibs
from dibs.backends.etcd.address import parse_address as read_etcd
from dibs.backends.postgres.wire.address import read_address as read_postgres
from dibs.backends.redis.wire.address import parse_address as read_redis
from dibs.backends.sqlite.address import parse_url as read_sqlite
from dibs.errors import DibsError
from dibs.kit.links import show_url
from dibs.outside.cache.opening import make_cache
from dibs.settings import Settings
from dibs.storage.database.address import read_address as read_tables

HALF = "s3cret"
# Passwords as people paste them: with signs that end something in a URL, also in full width.
PASSWORDS = [f"{HALF}{sign}{HALF}" for sign in ("", "/", "#", "?", "@", ":", "%zz", "[", "\uff0f", "\uff20", "\u2100")]
SCHEMES = ["postgresql", "postgres", "redis", "rediss", "redis+sentinel", "redis+cluster", "sqlite", "mysql", "etcd"]
FORMS = ["{}://u:{}@h:port/db", "{}:u:{}@h/db", "{}//u:{}@h/db", "{}://u:{}@[::h/db", "{}://h:port/db?password={}"]
URLS = [f"sqlite:///x.db?bogus={HALF}", f"//u:{HALF}@h", f"u:{HALF}@h"]
URLS += [form.format(scheme, password) for scheme in SCHEMES for form in FORMS for password in PASSWORDS]
BESIDE = "sqlite:///jobs.db"


def open_store(url: str) -> object:
    return Dibs(url, settings=Settings())


def name_leases(url: str) -> object:
    return Dibs(BESIDE, settings=Settings(leases_url=url))


def make_one(url: str) -> object:
    return make_cache(Settings(cache_url=url))


ANY = ("",)
READERS: list[tuple[Callable[[str], object], tuple[str, ...]]] = [
    (open_store, ANY),
    (name_leases, ANY),
    (make_one, ANY),
    (read_tables, ("postgres", "sqlite://", "//", "u:")),
    (read_postgres, ("postgres",)),
    (read_redis, ("redis",)),
    (read_etcd, ("etcd",)),
    (read_sqlite, ("sqlite://",)),
]


def find_told(read: Callable[[str], object], url: str) -> str:
    """Give what is told of a URL: what is wrong with it, or where it leads."""
    try:
        return str(getattr(read(url), "shown", ""))
    except DibsError as error:
        return "".join(traceback.format_exception(error))


@pytest.mark.parametrize(("read", "begins"), READERS)
def test_no_error_about_a_url_tells_its_password(read, begins):
    told = {url: find_told(read, url) for url in URLS if url.startswith(begins)}
    assert any("Traceback" in said for said in told.values())
    assert [url for url, said in told.items() if HALF in said] == []


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p/w@h:1/db?x=1", "postgresql://…@h:1/db"),
        ("redis://h:1/0?password=p", "redis://h:1/0"),
        ("//u:p@h", "…@h"),
        ("redis://h?password=p@w", "redis://…@"),
        ("x.db", "x.db"),
    ],
)
def test_of_a_url_the_place_is_shown(url, shown):
    assert show_url(url) == shown
