"""Addresses of lists: filters as a query, and where the next page begins."""

from typing import Any
from urllib.parse import urlencode

import msgspec

from dibs.web.paging import show_cursor


class ListPage(msgspec.Struct, frozen=True, kw_only=True):
    """Where a list goes on; `word` says how the way on is called."""

    first: str | None = None
    next: str | None = None
    word: str = ""


def make_address(path: str, given: dict[str, Any]) -> str:
    """Write an address with what is given, and nothing for what is not."""
    pairs = [(name, one) for name, value in given.items() for one in (value if isinstance(value, list) else [value])]
    query = urlencode([(name, value) for name, value in pairs if value not in (None, "")])
    return f"{path}?{query}" if query else path


def make_list_page(
    path: str, given: dict[str, Any], *, cursor: str | None, next_cursor: int | None, word: str = ""
) -> ListPage:
    """Say where a list goes on."""
    following = None if next_cursor is None else make_address(path, {**given, "cursor": show_cursor(next_cursor)})
    return ListPage(first=make_address(path, given) if cursor else None, next=following, word=word)
