"""What a Redis URL says."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import msgspec
from redis.asyncio.connection import SSLConnection, parse_url

from dibs.errors import BadInput
from dibs.kit.links import split_hosts

DEFAULT_PORT = 6379
LONGEST_NAMESPACE = 100
DEFAULT_SENTINEL_PORT = 26379
EXAMPLES = (
    "Use redis://host:6379/0, rediss://…, redis+sentinel://host:26379,host:26379/service/0"
    " or redis+cluster://host:6379,host:6379."
)
Host = tuple[str, int]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options that are ours; they stand in the URL's query and never reach the driver."""

    namespace: str = "dibs"
    timeout: float = 30.0
    connect_timeout: float = 5.0
    max_connections: int = 32
    tls: bool = False
    sentinel_username: str | None = None
    sentinel_password: str | None = None


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where the servers are, how to sign in, and our options. `service` is there for Sentinel only."""

    kind: str
    hosts: list[Host]
    options: Options
    login: dict[str, Any]
    service: str = ""

    @property
    def tag(self) -> str:
        """What every key begins with; the braces keep a namespace in one hash slot."""
        return f"{{{self.options.namespace}}}"

    @property
    def shown(self) -> str:
        """The servers as an error message names them, without credentials."""
        return ", ".join(f"{host}:{port}" for host, port in self.hosts)


def parse_address(url: str) -> Address:
    """Read a URL, or say what is wrong with it."""
    try:
        parts = split_hosts(url)
        ours, theirs = _split_options(parts.query)
        return _BUILDERS[parts.scheme](parts, ours, theirs)
    except (ValueError, KeyError) as cause:
        # The cause may quote the URL, and with it the password.
        message = f"this Redis URL cannot be read ({type(cause).__name__}: {_harmless(cause, url)}). {EXAMPLES}"
        raise BadInput(message) from None


def _split_options(query: str) -> tuple[Options, dict[str, str]]:
    given = dict(parse_qsl(query, keep_blank_values=True))
    names = set(Options.__struct_fields__)
    try:
        options = msgspec.convert({name: given[name] for name in names & given.keys()}, Options, strict=False)
    except msgspec.ValidationError as cause:
        raise ValueError(f"an option has a wrong value: {cause}") from None
    _check_options(options)
    return options, {name: value for name, value in given.items() if name not in names}


def _check_options(options: Options) -> None:
    space = options.namespace
    if not space or not space.isprintable() or set(space) & set("{}*?[]\\ ") or len(space) > LONGEST_NAMESPACE:
        raise ValueError("namespace must be 1 to 100 printable characters without spaces and {}*?[]\\")
    if options.timeout <= 0 or options.connect_timeout <= 0 or options.max_connections < 1:
        raise ValueError("timeout, connect_timeout and max_connections must be positive")


def _single(parts: SplitResult, ours: Options, theirs: dict[str, str]) -> Address:
    database = parts.path.strip("/")
    if database and not database.isdecimal():
        # The driver would take database 0 instead, without a word.
        raise ValueError(f"the database {database!r} is no number")
    plain = parts._replace(query=urlencode(theirs)).geturl()
    login: dict[str, Any] = dict(parse_url(plain))
    host = (login.pop("host", "localhost"), login.pop("port", DEFAULT_PORT))
    tls = login.pop("connection_class", None) is SSLConnection or ours.tls
    return Address(kind="single", hosts=[host], options=msgspec.structs.replace(ours, tls=tls), login=login)


def _sentinel(parts: SplitResult, ours: Options, theirs: dict[str, str]) -> Address:
    service, _, database = parts.path.strip("/").partition("/")
    if not service:
        raise ValueError("the name of the service is missing")
    login = {**_login(parts, theirs), "db": int(database or 0)}
    hosts = _hosts(parts, DEFAULT_SENTINEL_PORT)
    return Address(kind="sentinel", hosts=hosts, options=ours, login=login, service=service)


def _cluster(parts: SplitResult, ours: Options, theirs: dict[str, str]) -> Address:
    if parts.path.strip("/") not in ("", "0"):
        raise ValueError("a cluster has no numbered databases")
    return Address(kind="cluster", hosts=_hosts(parts, DEFAULT_PORT), options=ours, login=_login(parts, theirs))


def _hosts(parts: SplitResult, default_port: int) -> list[Host]:
    listed = parts.netloc.rpartition("@")[2].split(",")
    hosts = [urlsplit(f"//{one}") for one in listed if one]
    if not hosts:
        raise ValueError("no host is named")
    return [(one.hostname or "localhost", one.port or default_port) for one in hosts]


def _login(parts: SplitResult, theirs: dict[str, str]) -> dict[str, Any]:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    driver_options: dict[str, Any] = dict(parse_url(f"redis://localhost?{urlencode(theirs)}"))
    driver_options.pop("host", None)
    signed = {"username": unquote(user), "password": unquote(password)}
    return {**driver_options, **{name: value for name, value in signed.items() if value}}


def _harmless(cause: Exception, url: str) -> str:
    # All before the last @ may be a password, also where a sign in it ends the name of the host.
    _, *parts = re.split("[:/?#@]", url.rpartition("@")[0])
    text = str(cause)
    return "see below" if any(part and part in text for part in parts) else text


_BUILDERS: dict[str, Callable[[SplitResult, Options, dict[str, str]], Address]] = {
    "redis": _single,
    "rediss": _single,
    "redis+sentinel": _sentinel,
    "redis+cluster": _cluster,
}
