"""URLs that may have a password in them: read, and shown in errors, without telling it."""

import re
from urllib.parse import SplitResult, urlsplit

from dibs.errors import BadInput

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")
_LISTED = re.compile(rf"(?P<scheme>{_SCHEME.pattern})://(?P<place>[^/?#]*,[^/?#]*)(?P<rest>.*)", re.DOTALL)
_LONGEST_SHOWN = 80


def split_url(url: str) -> SplitResult:
    """Take a URL apart."""
    try:
        return split_hosts(url)
    except ValueError:
        # The cause may quote the URL, and with it the password.
        message = f"{show_url(url)!r} cannot be read as a URL. Write signs such as / or @ in a password as %2F and %40."
        raise BadInput(message) from None


def split_hosts(url: str) -> SplitResult:
    """Take a URL apart that may list several hosts, or raise a ValueError that may quote it.

    Python's own way refuses an IPv6 address behind another host, since its releases of 2025.
    """
    listed = _LISTED.fullmatch(url)
    if listed is None:
        return urlsplit(url)
    for host in listed["place"].rpartition("@")[2].split(","):
        urlsplit(f"//{host}")
    parts = urlsplit(f"//host{listed['rest']}")
    return SplitResult(listed["scheme"].lower(), listed["place"], parts.path, parts.query, parts.fragment)


def show_url(url: str) -> str:
    """Show a URL without who signs in, and without what its options say: either may be secret."""
    scheme = _SCHEME.match(url)
    front = "" if scheme is None else f"{scheme[0]}://"
    # The last one ends a password, whatever signs stand in it; behind a question mark it may stand in one.
    signed, is_signed, place = url[len(front) :].rpartition("@")
    place = "" if "?" in signed else re.split("[?#]", place)[0]
    shown = f"{front}{'…@' if is_signed else ''}{place}"
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
