"""Pages by key: a cursor says behind which item the next page begins, so that pages stay right while items come."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from dibs.errors import RequestRefused

DEFAULT_LIMIT = 50
LARGEST_LIMIT = 500
LONGEST_CURSOR = 2_400
# Stands between the parts of a key; no name can have it, because it does not print.
BETWEEN = "\x1f"
_LARGEST_POSITION = 2**53 - 1

Item = TypeVar("Item")
Limit = Annotated[int, Query(ge=1, le=LARGEST_LIMIT, description="How many items the page has at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=LONGEST_CURSOR, description="`next_cursor` of the page before; opaque.", examples=["cDQy"]),
]


class PageQuery(BaseModel):
    """Which page of a list is meant. A parameter that does not exist is refused: it would be a filter that is not."""

    model_config = ConfigDict(extra="forbid")

    cursor: str | None = Field(
        None, max_length=LONGEST_CURSOR, description="`next_cursor` of the page before; opaque.", examples=["cDQy"]
    )
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=LARGEST_LIMIT, description="How many items the page has at most.")


def show_cursor(position: int | None) -> str | None:
    """Write where the next page begins."""
    return None if position is None else urlsafe_b64encode(f"p{position}".encode()).decode().rstrip("=")


def read_cursor(text: str | None) -> int | None:
    """Read what `show_cursor` wrote."""
    if text is None:
        return None
    plain = _decode(text)
    digits = plain[1:]
    is_position = plain.startswith("p") and digits.isascii() and digits.isdecimal()
    if not is_position or int(digits) > _LARGEST_POSITION:
        raise _no_cursor(text)
    return int(digits)


def cut_page(
    items: Sequence[Item], cursor: str | None, limit: int, *, key: Callable[[Item], str]
) -> tuple[Sequence[Item], str | None]:
    """Cut a page out of items that were read whole, in the order of their keys, and tell where the next begins."""
    after = read_key_cursor(cursor)
    left = [item for item in items if after is None or key(item) > after]
    page = left[:limit]
    return page, show_key_cursor(key(page[-1])) if len(left) > limit else None


def show_key_cursor(key: str) -> str:
    """Write behind which key the next page begins."""
    return urlsafe_b64encode(f"k{key}".encode()).decode().rstrip("=")


def read_key_cursor(text: str | None) -> str | None:
    """Read what `show_key_cursor` wrote."""
    if text is None:
        return None
    plain = _decode(text)
    if not plain.startswith("k") or not plain.replace(BETWEEN, "").isprintable():
        raise _no_cursor(text)
    return plain[1:]


def _decode(text: str) -> str:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        return ""


def _no_cursor(text: str) -> RequestRefused:
    message = f"cursor {text[:40]!r} comes from no page. Use next_cursor of a page, or leave it out for the first."
    return RequestRefused(message, code="bad_cursor", field="cursor")
