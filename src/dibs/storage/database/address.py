"""Where the tables are: the URL of a SQLite file or of a PostgreSQL database, taken apart."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlunsplit

import msgspec

from dibs.errors import BadInput, UnknownBackend
from dibs.kit.links import show_url, split_url
from dibs.settings import Settings

# Options of a job store's URL that only its backend knows; the tables may be in the same store.
_STORES_OWN = ("schema", "pool_size", "pooler", "notices", "connect_timeout", "command_timeout")
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,49}")
# Several hosts may be named, each with a port of digits: whatever else stands there may be half of a password.
_HOSTS = re.compile(r"(?:(?:\[[^\]]*\]|[^:,\[\]]*)(?::[0-9]*)?(?:,|$))*")
_POSTGRES = ("postgresql", "postgres")
MOST_CONNECTIONS = 1_000
# Python refuses to read numbers of thousands of digits.
_MOST_DIGITS = 100


class TablesAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Which store. `shown` is safe to print; `schema` and `is_split` mean something on PostgreSQL only."""

    is_postgres: bool
    target: str
    shown: str
    pool_size: int = 5
    family: str = "dibs"
    is_split: bool = False

    @property
    def schema(self) -> str:
        """The schema of the tables, called after that of the jobs."""
        return f"{self.family}_tables"


def find_tables_url(settings: Settings, url: str | None = None) -> str:
    """Say where the tables are, for jobs at `url`: as set, else beside the jobs, else in a file of their own."""
    if settings.tables_url:
        return settings.tables_url
    jobs_url = url or settings.url
    if split_url(jobs_url).scheme in ("sqlite", *_POSTGRES):
        return jobs_url
    return f"sqlite:///{quote(str(Path(settings.data or '.') / 'dibs-tables.db'))}"


def read_address(url: str) -> TablesAddress:
    """Take a URL apart; what cannot hold tables is refused."""
    scheme = split_url(url).scheme
    if scheme == "sqlite":
        return _read_file(url)
    if scheme in _POSTGRES:
        return _read_server(url)
    message = f"no tables in {scheme or show_url(url)!r}. Set DIBS_TABLES_URL to sqlite:///file.db or postgresql://…"
    raise UnknownBackend(message)


def _read_file(url: str) -> TablesAddress:
    parts = split_url(url)
    path = unquote(parts.path)[1:]
    if parts.netloc or not path or path == ":memory:" or "\0" in path:
        message = (
            f"{show_url(url)!r} names no file for the tables. Use sqlite:///relative.db or sqlite:////absolute/path.db."
        )
        raise BadInput(message)
    file = Path(path).resolve()
    options = dict(parse_qsl(parts.query))
    return TablesAddress(is_postgres=False, target=str(file), shown=str(file), pool_size=_read_size(options))


def _read_server(url: str) -> TablesAddress:
    parts = split_url(url)
    hosts = parts.netloc.rpartition("@")[2]
    if not _HOSTS.fullmatch(hosts) or "://" not in url:
        message = f"{show_url(url)!r} cannot be read. Use postgresql://user:password@host:5432/database for the tables."
        raise BadInput(message)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    family = options.get("schema", "dibs")
    if not _IDENTIFIER.fullmatch(family) or family.startswith("pg_"):
        message = f"schema={family!r} is no name for schema and roles. Use up to 50 of a-z, 0-9 and _."
        raise BadInput(message)
    kept = {name: value for name, value in options.items() if name not in _STORES_OWN}
    return TablesAddress(
        is_postgres=True,
        target=urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(kept), "")),
        shown=f"{hosts or options.get('host', 'localhost')}{parts.path}",
        pool_size=_read_size(options),
        family=family,
        is_split=options.get("pooler") == "transaction",
    )


def _read_size(options: dict[str, str]) -> int:
    text = options.get("pool_size", "5")
    if not text.isdecimal() or len(text) > _MOST_DIGITS or not 1 <= int(text) <= MOST_CONNECTIONS:
        message = f"pool_size={text!r} is not a usable number. Use 1 to {MOST_CONNECTIONS}."
        raise BadInput(message)
    return int(text)
