"""What most adapters have in common."""

import re
from abc import ABC, abstractmethod
from typing import Any

from dibs.apps.postings.boards.board import BoardRequest, Step
from dibs.apps.postings.model import Pay, Place, Posting
from dibs.apps.postings.reading.cleaning import clean_html
from dibs.apps.postings.reading.currencies import guess_country, name_currency
from dibs.apps.postings.reading.fields import find_line, find_number, tidy_number
from dibs.apps.postings.reading.pay import find_pay, name_years
from dibs.apps.postings.reading.payloads import read_json
from dibs.apps.postings.reading.periods import read_interval
from dibs.errors import BadInput

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
_TOKENS = {parts: re.compile("/".join([_NAME] * parts)) for parts in (1, 2)}
_PART = re.compile(r"[A-Za-z0-9._-]{1,100}")


class PlainBoard(ABC):
    """A board that answers with JSON, all at once."""

    name = ""
    page_size: int | None = None
    cap: int | None = None
    has_details = False
    id_field = "id"
    title_field = "title"

    @abstractmethod
    def ask_page(self, token: str, step: Step) -> BoardRequest:
        """Ask for a page of the listing."""

    def ask_detail(self, token: str, posting: Posting) -> BoardRequest | None:  # noqa: ARG002 - the protocol's signature
        """Ask for all that the board tells about one posting; None: the listing tells it."""
        return None

    def decode(self, payload: bytes) -> Any:
        """Read the bytes; raises ValueError."""
        return read_json(payload)

    def identify(self, row: dict[str, Any]) -> str | None:
        """Find the id of a row."""
        return find_line(row, self.id_field)

    def find_title(self, row: dict[str, Any]) -> str | None:
        """Find the title of a row."""
        return find_line(row, self.title_field)


def check_token(token: str, board: str, *, like: str = "acme") -> str:
    """Refuse a token that has not as many parts as the example, or could lead a request elsewhere."""
    if not _TOKENS[like.count("/") + 1].fullmatch(token) or ".." in token:
        message = (
            f"{token[:80]!r} is no token of a {board} board. Use the company's name in its address, such as {like!r}."
        )
        raise BadInput(message)
    return token


def is_plain_part(part: str | None) -> bool:
    """Tell whether a part of an address is nothing but that."""
    return part is not None and _PART.fullmatch(part) is not None and part.strip(".") != ""


def join_texts(*parts: str) -> str:
    """Clean pieces of HTML, and put a blank line between them."""
    return "\n\n".join(text for text in map(clean_html, parts) if text)


def settle_pay(structured: Pay | None, text: str, places: tuple[Place, ...], *also: str) -> Pay | None:
    """Give the pay that the board has fields for, else what its own words about pay say, else what the text says."""
    if structured is not None:
        return name_years(structured)
    country = guess_country(*(place.country for place in places), *(place.name for place in places))
    found = (find_pay(said, country=country) for said in (*also, text) if said)
    return next((pay for pay in found if pay is not None), None)


def make_pay(record: dict[str, Any], ends: tuple[str, str], currency: str | None, interval: str | None) -> Pay | None:
    """Make pay out of a board's own fields, for one period each; None without an amount."""
    period, count = read_interval(interval)
    found = range_of(find_number(record, ends[0]), find_number(record, ends[1]))
    if found is None:
        return None
    low, high = (None if end is None else tidy_number(round(end / count, 2)) for end in found)
    return Pay(min=low, max=high, currency=name_currency(currency), period=period, is_structured=True)


def range_of(low: Any, high: Any) -> tuple[Any, Any] | None:
    """Order the ends of a range; None without any, or with zeros only."""
    ends = [end for end in (low, high) if end]
    if not ends:
        return None
    if low and high and low > high:
        low, high = high, low
    return (low or None, high or None)
