"""Pages as the stores keep them, and back."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

import msgspec

from dibs.kit.clock import span_micros
from dibs.outside.cache.records import Kept, Page, Span

# What a page costs beside its body and its headers: keys, indexes, instants.
OVERHEAD_BYTES = 256
# A cap is kept up to this share of itself: summing up at every write would cost more than the write.
CHECK_SHARE = 64


def encode_headers(page: Page) -> bytes:
    """Write the headers as JSON."""
    return msgspec.json.encode(dict(page.headers))


def own_size(page: Page) -> int:
    """Count what a page takes without its body."""
    return len(page.url) + len(encode_headers(page)) + OVERHEAD_BYTES


def span_until(now: int, span: Span) -> dict[str, int]:
    """Give the instants, in microseconds, until which a page is fresh, and kept."""
    fresh_until = now + span_micros(span.fresh)
    return {"fresh_until": fresh_until, "kept_until": fresh_until + span_micros(span.stale)}


def read_kept(row: dict[str, Any], now: int) -> Kept | None:
    """Make a page of a row; None when it is not the one that was kept."""
    content = row["content"]
    if not isinstance(content, bytes) or sha256(content).hexdigest() != row["body"]:
        return None
    try:
        headers = msgspec.json.decode(row["headers"], type=dict[str, str])
    except (msgspec.DecodeError, TypeError):
        return None
    page = Page(url=row["url"], status=int(row["status"]), headers=headers, body=content)
    age, fresh_for = now - int(row["stored_at"]), int(row["fresh_until"]) - now
    return Kept(page=page, age=timedelta(microseconds=age), fresh_for=timedelta(microseconds=fresh_for))


class CapWatch:
    """Tells when so much was written that the cap should be looked at."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self._written: int | None = None

    def note(self, page: Page) -> bool:
        """Count a page that was written; the first one is always worth a look."""
        is_first = self._written is None
        self._written = (self._written or 0) + len(page.body) + own_size(page)
        if is_first or self._written >= self.cap // CHECK_SHARE:
            self._written = 0
            return True
        return False
