"""The URL of a PostgreSQL store, with our own options taken out of it."""

import re
from urllib.parse import parse_qsl, urlencode, urlunsplit

import msgspec

from dibs.errors import BadInput
from dibs.kit.links import split_url

_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_POOLERS = ("none", "session", "transaction")
_SWITCH = ("on", "off")
_EXAMPLE = "Use postgresql://user:password@host:5432/database."


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where the store is and how to talk to it. `shown` is safe to print: it has no password."""

    dsn: str
    shown: str
    schema: str = "dibs"
    pool_size: int = 10
    pooler: str = "none"
    notices: bool = True
    connect_timeout: float = 10.0
    command_timeout: float = 30.0

    @property
    def is_split(self) -> bool:
        """Whether a pooler may give each transaction to another server session."""
        return self.pooler == "transaction"


def read_address(url: str) -> Address:
    """Take a store URL apart; an option that makes no sense is refused."""
    parts = split_url(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    try:
        host = f"{parts.hostname or 'localhost'}:{parts.port or 5432}"
    except ValueError:
        # The cause quotes what stands there, which is half of a password where a sign in it was not encoded.
        message = "the port of the PostgreSQL URL is not a number."
        raise BadInput(f"{message} {_EXAMPLE}") from None
    if "://" not in url:
        message = f"the PostgreSQL URL has no // after its colon. {_EXAMPLE}"
        raise BadInput(message)
    address = Address(
        shown=f"{options.get('host', host)}/{parts.path.lstrip('/')}",
        schema=_read_schema(options.pop("schema", "dibs")),
        pool_size=int(_read_number(options, "pool_size", 10, least=1)),
        pooler=_read_choice(options, "pooler", _POOLERS),
        notices=_read_choice(options, "notices", _SWITCH) == "on",
        connect_timeout=_read_number(options, "connect_timeout", 10.0, least=0.1),
        command_timeout=_read_number(options, "command_timeout", 30.0, least=0.1),
        dsn="",
    )
    rest = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(options), ""))
    return msgspec.structs.replace(address, dsn=rest)


def _read_schema(name: str) -> str:
    if not _IDENTIFIER.fullmatch(name) or name.startswith("pg_"):
        message = f"schema={name!r} is no schema name. Use up to 63 of a-z, 0-9 and _, and begin with a letter."
        raise BadInput(message)
    return name


def _read_number(options: dict[str, str], name: str, default: float, *, least: float) -> float:
    text = options.pop(name, None)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value < 1_000_000:  # noqa: PLR2004 - refuses infinity and NaN with the same test
        message = f"{name}={text!r} is not a usable number. Use {least:g} or more, or leave it out for {default:g}."
        raise BadInput(message)
    return value


def _read_choice(options: dict[str, str], name: str, choices: tuple[str, ...]) -> str:
    """The first choice is the default."""
    text = options.pop(name, choices[0])
    if text not in choices:
        message = f"{name}={text!r} is unknown. Use one of: {', '.join(choices)}."
        raise BadInput(message)
    return text
