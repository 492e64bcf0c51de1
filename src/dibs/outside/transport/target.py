"""Where a URL leads, read so strictly that no second reader could take it otherwise. Pure."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote, urljoin

import idna
import msgspec

from dibs.errors import AddressRefused
from dibs.outside.transport.addresses import Address

DEFAULT_PORTS = {"http": 80, "https": 443}
MOST_PORTS = 65_535
LONGEST_URL = 8_192
LONGEST_NAME = 253

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.DOTALL)
_WAY = re.compile(r"//(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?")
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:@%]+)(?::(?P<port>[0-9]{1,5}))?")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff\\]")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where to go. `host` is a name in its ASCII form or an address; `way` is the path with the query."""

    scheme: str
    host: str
    port: int
    way: str

    @property
    def address(self) -> Address | None:
        """The address, if that is how the host was given."""
        if ":" in self.host:
            return IPv6Address(self.host)
        return IPv4Address(self.host) if _ends_in_number(self.host) else None

    @property
    def authority(self) -> str:
        """The host as the Host header names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port: what credentials belong to."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole, in its one spelling."""
        return f"{self.origin}{self.way}"


def read_target(url: str) -> Target:
    """Read a URL, or refuse it."""
    if len(url) > LONGEST_URL:
        raise _refusal(url[:80], f"it has more than {LONGEST_URL:,} characters")
    if _UNSEEN.search(url):
        raise _refusal(url, "it holds spaces, control characters or backslashes; encode them")
    whole = _URL.fullmatch(url)
    scheme = whole["scheme"].lower() if whole else ""
    if whole is None or scheme not in DEFAULT_PORTS:
        raise _refusal(url, f"its scheme is {scheme or 'missing'}; only http and https lead out")
    return _read_way(url, scheme, whole["rest"])


def join_target(here: Target, location: str) -> Target:
    """Read where a redirect leads."""
    # A space that nobody encoded has one reading here: everybody takes it for %20.
    spelt = location.strip(" \t").replace(" ", "%20")
    try:
        there = urljoin(here.url, spelt)
    except ValueError as cause:
        shown = "with credentials" if "@" in location else location[:80]
        raise _refusal(shown, f"{here.origin} redirects there, and it cannot be read") from cause
    return read_target(there)


def _read_way(url: str, scheme: str, rest: str) -> Target:
    way = _WAY.fullmatch(rest)
    if way is None or not way["authority"]:
        raise _refusal(url, "it names no host")
    if "@" in way["authority"]:
        raise _refusal("with credentials", "a user name and password do not belong there; use a header")
    authority = _AUTHORITY.fullmatch(way["authority"])
    if authority is None:
        raise _refusal(url, "its host and port cannot be read")
    port = int(authority["port"] or DEFAULT_PORTS[scheme])
    if not 0 < port <= MOST_PORTS:
        raise _refusal(url, f"{port} is no port")
    path = quote(_without_dots(way["path"] or "/"), safe=_PATH_SAFE)
    query = quote(way["query"] or "", safe=_PATH_SAFE + "?")
    return Target(scheme=scheme, host=_read_host(url, authority["host"]), port=port, way=path + query)


def _read_host(url: str, host: str) -> str:
    if host.startswith("["):
        return _read_literal_6(url, host[1:-1])
    name = _to_ascii(url, host).removesuffix(".")
    if _ends_in_number(name):
        return _read_literal_4(url, name)
    labels = name.split(".")
    if len(name) > LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refusal(url, f"{host!r} is no host name")
    return name


def _to_ascii(url: str, host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError) as cause:
        raise _refusal(url, f"{host!r} is no international name ({cause})") from cause


def _ends_in_number(name: str) -> bool:
    # A host whose last label is a number is an address to some readers, however it is spelt.
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def _read_literal_4(url: str, text: str) -> str:
    try:
        return str(IPv4Address(text))
    except AddressValueError as cause:
        raise _refusal(url, f"{text!r} is an odd spelling of an address; write it as four plain numbers") from cause


def _read_literal_6(url: str, text: str) -> str:
    try:
        return str(IPv6Address(text))
    except AddressValueError as cause:
        raise _refusal(url, f"{text!r} is no IPv6 address") from cause


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for place, segment in enumerate(segments):
        dots = segment.lower().replace("%2e", ".")
        if dots == ".." and kept:
            kept.pop()
        if dots not in (".", ".."):
            kept.append(segment)
        elif place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def _refusal(url: str, why: str) -> AddressRefused:
    return AddressRefused(f"the URL {url!r} is refused: {why}.")
