"""JSON of any shape, asked for what is expected in it. What is of another kind counts as absent."""

import html
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from dibs.apps.postings.reading.encodings import mend_misread, unescape_rest
from dibs.kit.text import printable

LONGEST_LINE = 500
LONGEST_URL = 2_000
MOST_ITEMS = 1_000
_BLANKS = re.compile(r"\s+")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u00ad]")
_MARKUP = re.compile(r"</?(?:b|i|u|em|strong|span|p|br|div|font|small|sup|sub)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/")
_GROUPED = re.compile(r"(\d{1,3})((?:[.,'’ \u00a0\u202f]\d{3})+)([.,]\d{1,2})?")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LARGEST = Decimal(10) ** 12


def find_record(value: Any, *path: str) -> dict[str, Any]:
    """Follow a path to an object; an empty one if there is none."""
    found = find(value, *path)
    return found if isinstance(found, dict) else {}


def find_list(value: Any, *path: str) -> list[Any]:
    """Follow a path to a list; an empty one if there is none. Nobody means more than a thousand entries."""
    found = find(value, *path)
    return found[:MOST_ITEMS] if isinstance(found, list) else []


def find_records(value: Any, *path: str) -> Iterator[dict[str, Any]]:
    """Follow a path to a list, and give the objects in it."""
    return (item for item in find_list(value, *path) if isinstance(item, dict))


def find(value: Any, *path: str) -> Any:
    """Follow a path through objects; None if it ends somewhere."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def find_line(value: Any, *path: str) -> str | None:
    """Follow a path to a short text or a number, in one line without entities; None if there is nothing in it."""
    found = find(value, *path)
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        # Programs in between write whole numbers with a point.
        found = str(int(found) if isinstance(found, float) and found.is_integer() else found)
    if not isinstance(found, str):
        return None
    return clean_line(found) or None


def clean_line(text: str) -> str:
    """Bring a text into one line, without entities, markup and invisible characters, as long as a line may be."""
    plain = _MARKUP.sub(" ", unescape_rest(html.unescape(mend_misread(text[: LONGEST_LINE * 10]))))
    return printable(_BLANKS.sub(" ", _INVISIBLE.sub("", plain)).strip(), LONGEST_LINE)


def drop_invisible(text: str) -> str:
    """Take out what a person does not see and a program may stumble over."""
    return _INVISIBLE.sub("", text)


def find_text(value: Any, *path: str) -> str:
    """Follow a path to a text; an empty one if there is none."""
    found = find(value, *path)
    return found if isinstance(found, str) else ""


def find_flag(value: Any, *path: str) -> bool | None:
    """Follow a path to true or false, also written as a word; None if it says neither."""
    found = find(value, *path)
    if isinstance(found, str):
        return _FLAGS.get(found.strip().lower())
    if isinstance(found, int):
        return {0: False, 1: True}.get(found)
    return None


def find_number(value: Any, *path: str) -> Decimal | None:
    """Follow a path to a number that can be an amount, also written as a text (`60,000`); None if there is none."""
    found = find(value, *path)
    if isinstance(found, bool) or not isinstance(found, (int, float, str)):
        return None
    try:
        number = Decimal(_ungroup(str(found).strip()[:40]))
    except (InvalidOperation, ValueError):
        return None
    return tidy_number(number) if number.is_finite() and 0 <= number <= _LARGEST else None


def _ungroup(text: str) -> str:
    """Take the marks between thousands out; before exactly three digits there are no decimals."""
    grouped = _GROUPED.fullmatch(text)
    if grouped is None:
        return text
    return grouped[1] + re.sub(r"\D", "", grouped[2]) + (grouped[3] or "").replace(",", ".")


def tidy_number(number: Decimal) -> Decimal:
    """Write a number without needless zeros and without an exponent."""
    whole = number.to_integral_value()
    return whole if whole == number else number.normalize()


def find_count(value: Any, *path: str) -> int | None:
    """Follow a path to a number of things; None if there is none."""
    found = find_number(value, *path)
    return int(found) if found is not None and found == found.to_integral_value() else None


def find_url(value: Any, *path: str) -> str | None:
    """Follow a path to an address of the web; None if it is none, such as `javascript:`."""
    line = find_line(value, *path)
    if line is None or len(line) > LONGEST_URL:
        return None
    line = line.replace(" ", "%20")
    # Some boards leave the scheme to the reader.
    line = f"https:{line}" if line.startswith("//") else f"https://{line}" if _HOST.match(line) else line
    try:
        parts = urlsplit(line)
    except ValueError:
        return None
    return line if parts.scheme in ("http", "https") and parts.netloc else None


def first(candidates: Iterable[str | None]) -> str | None:
    """Give the first that says something."""
    return next((one for one in candidates if one), None)
