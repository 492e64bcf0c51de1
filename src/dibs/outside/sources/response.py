"""An answer, and where it came from."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import msgspec

from dibs.kit.codec import decode_json
from dibs.outside.cache.records import Kept, Page

_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
_FIRST_GOOD, _FIRST_OTHER = 200, 300


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A page that is about to be shown. `is_cached`: nobody was asked for it; `is_stale`: its time is over."""

    page: Page
    is_cached: bool = False
    is_stale: bool = False
    is_revalidated: bool = False
    age: timedelta = timedelta(0)


def show_kept(kept: Kept, *, is_stale: bool = False) -> Shown:
    """Show what the cache has."""
    return Shown(page=kept.page, is_cached=True, is_stale=is_stale, age=kept.age)


class Response:
    """What a source answered. `is_stale` marks a page that is shown only because its source is broken."""

    def __init__(self, shown: Shown, report_fault: Callable[[], Awaitable[None]]) -> None:
        self._shown = shown
        self._report_fault = report_fault

    def __repr__(self) -> str:
        kind = "stale" if self.is_stale else "cached" if self.is_cached else "fetched"
        return f"<Response {self.status} {kind} {self.url}>"

    @property
    def url(self) -> str:
        """Where the last redirect led."""
        return self._shown.page.url

    @property
    def status(self) -> int:
        """The status: 2xx, a redirect without a place, or a 4xx. What is worse was raised."""
        return self._shown.page.status

    @property
    def is_good(self) -> bool:
        """Whether the status is a 2xx."""
        return _FIRST_GOOD <= self.status < _FIRST_OTHER

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by their names in lower case."""
        return self._shown.page.headers

    @property
    def body(self) -> bytes:
        """The body, unpacked."""
        return self._shown.page.body

    @property
    def digest(self) -> str:
        """The SHA-256 of the body: by it a page can be told from an earlier one."""
        return self._shown.page.digest

    @property
    def is_cached(self) -> bool:
        """Whether it was there already, and cost no permit."""
        return self._shown.is_cached

    @property
    def is_stale(self) -> bool:
        """Whether its time is over, and it is shown because the source's breaker is open."""
        return self._shown.is_stale

    @property
    def is_revalidated(self) -> bool:
        """Whether the source was asked and said that it has not changed."""
        return self._shown.is_revalidated

    @property
    def age(self) -> timedelta:
        """How long ago the source said so."""
        return self._shown.age

    @property
    def text(self) -> str:
        """The body as text, by the charset that the source names; what cannot be read is replaced."""
        named = _CHARSET.search(self.headers.get("content-type", ""))
        try:
            return self.body.decode(named[1] if named else "utf-8", "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body, read as JSON."""
        return decode_json(self.body)

    async def report_parser_fault(self) -> None:
        """Note that the page could not be made sense of: counted apart from the faults of the provider."""
        await self._report_fault()

    @asynccontextmanager
    async def parsing(self) -> AsyncIterator[None]:
        """Parse in this block; an error that comes out of it is noted as a parser's fault and goes on."""
        try:
            yield
        except Exception:
            await self.report_parser_fault()
            raise
