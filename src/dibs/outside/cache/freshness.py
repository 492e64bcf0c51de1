"""Which answers may be kept, and for how long. Pure.

The caller's time decides how long a page is fresh. Of RFC 9111 remains what the other side forbids, unless the caller
says that it need not be asked: `no-store`, `private`, and a `Vary` that no second request can meet.
"""

import re
from collections.abc import Mapping
from datetime import timedelta

import msgspec

from dibs.outside.cache.records import Span

DEFAULT_TTL = timedelta(seconds=3600)
KEPT_STATUSES = frozenset({200, 203})
GONE_STATUSES = frozenset({404, 410})
_DIRECTIVE = re.compile(r'([!#$%&\'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,]*))?')


class CacheRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the answers of a source are kept.

    `ttl` is for pages, `gone_ttl` for 404 and 410. After that a page is kept for `stale` longer: to be asked about with
    its validators, and to be shown, marked, while the source's breaker is open.
    """

    enabled: bool = True
    ttl: timedelta | None = None
    gone_ttl: timedelta = timedelta(minutes=10)
    stale: timedelta = timedelta(days=7)
    respect_no_store: bool = True
    respect_private: bool = True


def find_span(status: int, headers: Mapping[str, str], rules: CacheRules, ttl: timedelta) -> Span | None:
    """Say for how long an answer is kept; None: not at all. `ttl` is what the caller wants for a page."""
    is_gone = status in GONE_STATUSES
    if not rules.enabled or not (is_gone or status in KEPT_STATUSES) or _is_forbidden(headers, rules):
        return None
    # A page that is gone has nothing to show once it is stale.
    return Span(fresh=min(rules.gone_ttl, ttl)) if is_gone else Span(fresh=ttl, stale=rules.stale)


def find_validators(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers that ask whether a page has changed since it was kept."""
    validators = {"If-None-Match": headers.get("etag"), "If-Modified-Since": headers.get("last-modified")}
    # One in other letters came in, but nobody can send it back.
    return {name: value for name, value in validators.items() if value and value.isascii()}


def read_directives(text: str) -> dict[str, str]:
    """Take a Cache-Control header apart."""
    return {name.lower(): value.strip('"') for name, value in _DIRECTIVE.findall(text)}


def _is_forbidden(headers: Mapping[str, str], rules: CacheRules) -> bool:
    directives = read_directives(headers.get("cache-control", ""))
    return (
        (rules.respect_no_store and "no-store" in directives)
        or (rules.respect_private and "private" in directives)
        or any(name.strip() == "*" for name in headers.get("vary", "").split(","))
    )
