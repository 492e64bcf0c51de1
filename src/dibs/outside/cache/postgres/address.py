"""The URL of a PostgreSQL job store, read for the cache beside it."""

import re
from urllib.parse import parse_qsl, urlencode, urlunsplit

import msgspec

from dibs.errors import BadInput
from dibs.kit.links import split_hosts

# Options of the job store that the driver does not know.
_STORES_OWN = ("schema", "pool_size", "pooler", "notices", "connect_timeout", "command_timeout")
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,56}")


class CacheAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where the cache is: in a schema of its own, called after that of the jobs."""

    dsn: str
    schema: str
    is_split: bool


def read_cache_address(url: str) -> CacheAddress:
    """Take a URL apart."""
    parts = split_hosts(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    schema = options.get("schema", "dibs")
    if not _IDENTIFIER.fullmatch(schema):
        message = f"schema={schema!r} is no name for the cache's neighbour. Use up to 57 of a-z, 0-9 and _."
        raise BadInput(message)
    is_split = options.get("pooler") == "transaction"
    kept = {name: value for name, value in options.items() if name not in _STORES_OWN}
    dsn = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(kept), ""))
    return CacheAddress(dsn=dsn, schema=f"{schema}_cache", is_split=is_split)
