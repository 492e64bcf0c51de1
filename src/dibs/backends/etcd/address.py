"""What an etcd URL says."""

import ssl
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import msgspec

from dibs.errors import BadInput
from dibs.kit.links import split_hosts

DEFAULT_PORT = 2379
DEFAULT_PREFIX = "/dibs"
LONGEST_PREFIX = 100
EXAMPLES = "Use etcd://host:2379,host:2379/prefix, or etcds://user:password@host:2379/prefix?ca=/path/ca.pem for TLS."


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may stand in the URL's query. etcd itself gives up on a request after some 7 seconds."""

    timeout: float = 10.0
    connect_timeout: float = 3.0
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where the members are, how to sign in, and what our keys begin with."""

    hosts: tuple[str, ...]
    is_tls: bool
    user: str
    password: str
    prefix: str
    options: Options

    @property
    def endpoints(self) -> list[str]:
        """The base URL of each member."""
        scheme = "https" if self.is_tls else "http"
        return [f"{scheme}://{host}" for host in self.hosts]

    @property
    def shown(self) -> str:
        """The members as an error message names them, without credentials."""
        return ", ".join(self.hosts)


def parse_address(url: str) -> Address:
    """Read a URL, or say what is wrong with it."""
    try:
        return _read(split_hosts(url))
    except ValueError as cause:
        # The cause may quote the URL, and with it the password.
        is_harmless = "@" not in url or isinstance(cause, _Unusable)
        reason = f" ({cause})" if is_harmless else ""
        message = f"this etcd URL cannot be read{reason}. {EXAMPLES}"
        raise BadInput(message) from None


class _Unusable(ValueError):
    """Our own words, which quote no secret."""


def _read(parts: SplitResult) -> Address:
    if parts.scheme not in ("etcd", "etcds"):
        raise _Unusable(f"{parts.scheme!r} is no scheme of etcd")
    signed, _, listed = parts.netloc.rpartition("@")
    user, _, password = signed.partition(":")
    if bool(user) != bool(password):
        raise _Unusable("a user needs a password, and a password a user")
    return Address(
        hosts=_read_hosts(listed),
        is_tls=parts.scheme == "etcds",
        user=unquote(user),
        password=unquote(password),
        prefix=_read_prefix(unquote(parts.path)),
        options=_read_options(parts.query, is_tls=parts.scheme == "etcds"),
    )


def _read_hosts(listed: str) -> tuple[str, ...]:
    hosts = [urlsplit(f"//{one}") for one in listed.split(",") if one]
    if not hosts or not all(one.hostname for one in hosts):
        raise _Unusable("no host is named")
    return tuple(f"{_bracket(one.hostname or '')}:{one.port or DEFAULT_PORT}" for one in hosts)


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _read_prefix(path: str) -> str:
    prefix = path.rstrip("/") or DEFAULT_PREFIX
    if not prefix.isprintable() or len(prefix) > LONGEST_PREFIX:
        raise _Unusable(f"the prefix must be at most {LONGEST_PREFIX} printable characters")
    return prefix


def _read_options(query: str, *, is_tls: bool) -> Options:
    given = dict(parse_qsl(query, keep_blank_values=True))
    try:
        options = msgspec.convert(given, Options, strict=False)
    except msgspec.ValidationError as cause:
        raise _Unusable(f"an option is wrong: {cause}") from None
    if not (0 < options.timeout <= 3600 and 0 < options.connect_timeout <= 3600):  # noqa: PLR2004 - an hour
        raise _Unusable("timeout and connect_timeout must be positive, and an hour at most")
    if not is_tls and (options.ca or options.cert or options.key):
        raise _Unusable("ca, cert and key are for TLS: write etcds://")
    if bool(options.cert) != bool(options.key):
        raise _Unusable("cert and key belong together")
    return options


def make_tls(address: Address) -> ssl.SSLContext:
    """Read the certificates; without TLS, a context that trusts nobody."""
    if not address.is_tls:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    options = address.options
    try:
        context = ssl.create_default_context(cafile=options.ca)
        if options.cert and options.key:
            context.load_cert_chain(options.cert, options.key)
    except OSError as cause:
        files = ", ".join(file for file in (options.ca, options.cert, options.key) if file)
        message = f"the certificates for etcd cannot be used ({cause}). Check these files: {files}."
        raise BadInput(message) from cause
    return context
