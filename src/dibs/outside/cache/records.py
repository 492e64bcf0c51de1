"""What a response cache keeps, and what is asked of it."""

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256

import msgspec


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """The place of one answer: whose it is, where it came from, and what the caller calls it."""

    tenant: str
    source: str
    key: str

    @property
    def digest(self) -> str:
        """A name of one length, different for different slots."""
        parts = (part.encode("utf-8", "surrogatepass") for part in (self.tenant, self.source, self.key))
        return sha256(b"".join(len(part).to_bytes(8) + part for part in parts)).hexdigest()


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it is kept."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def digest(self) -> str:
        """The name of its body: equal bodies are kept once."""
        return sha256(self.body).hexdigest()


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """For how long a page is fresh, and for how much longer it is kept, to be shown stale or revalidated."""

    fresh: timedelta
    stale: timedelta = timedelta(0)


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was found; `fresh_for` is negative once it is stale. Both by the cache's own clock."""

    page: Page
    age: timedelta
    fresh_for: timedelta

    @property
    def is_fresh(self) -> bool:
        """Whether it may be shown without asking anybody."""
        return self.fresh_for > timedelta(0)


class CachePrune(msgspec.Struct, frozen=True, kw_only=True):
    """Forget at most `limit` pages, the oldest first: of one source or tenant, or of all; expired ones only, or any."""

    limit: int = 1_000
    source: str | None = None
    tenant: str | None = None
    expired_only: bool = True
    dry_run: bool = False


class CacheTally(msgspec.Struct, frozen=True, kw_only=True):
    """How often answers of a source came out of the cache, were unchanged when it was asked, or were fetched."""

    source: str
    hits: int = 0
    revalidated: int = 0
    misses: int = 0

    @property
    def answers(self) -> int:
        """All of them."""
        return self.hits + self.revalidated + self.misses


class CacheSize(msgspec.Struct, frozen=True, kw_only=True):
    """How much is kept. `bytes` counts bodies once, however many pages share them, and the rest of each page."""

    pages: int
    bodies: int
    bytes: int
