"""Lists that are no lists of remarks: some set whole entries, or the lines that name one, as list items."""

import re
from collections.abc import Sequence

from dibs.services.resumes.understanding.sections.rows import Row

_MOST_WORDS = 8
_LONGEST = 12
_FEW_WORDS = 5
_MOST_ABOVE = 3
_LONG = re.compile(r"\d+\s*(?:years?|yrs?|months?|mos?|jahre?|monate?|ans?|mois|años?|meses)\b", re.IGNORECASE)


def take_off_marks(rows: Sequence[Row]) -> list[Row]:
    """Give the rows, without a list mark those that name entries: dates, what is set like them, and what leads there."""
    plain = any(not row.starts_bold for row in rows if row.bullet)
    named = {index for index, row in enumerate(rows) if row.bullet and _is_named(row)}
    named |= {index for index in range(len(rows)) if plain and _is_title(rows, index)}
    if rows and rows[0].bullet and _is_over_date(rows, 0):
        named |= {index for index, row in enumerate(rows) if row.bullet and _is_over_date(rows, index)}
    for index in sorted(named):
        if _is_bare_date(rows[index]):
            named.update(_find_above(rows, index))
    return [row.unmarked() if index in named else row for index, row in enumerate(rows)]


def _is_named(row: Row) -> bool:
    """A date by itself is no remark, nor is a date behind wide white or bold words."""
    if not row.spans or len(row.text.split()) > _LONGEST:
        return False
    ranged = any(span.is_range for span in row.spans)
    return _is_bare_date(row) or (ranged and (len(row.parts) > 1 or row.is_bold))


def _is_title(rows: Sequence[Row], index: int) -> bool:
    """A short item in bold letters, or one that begins so and stands over its dates."""
    row = rows[index]
    if not row.bullet or not row.starts_bold or len(row.text.split()) > _LONGEST:
        return False
    return row.is_bold or _is_over_date(rows, index)


def _is_over_date(rows: Sequence[Row], index: int) -> bool:
    return index + 1 < len(rows) and len(rows[index].text.split()) <= _LONGEST and _is_bare_date(rows[index + 1])


def _is_bare_date(row: Row) -> bool:
    rest = row.text
    for span in reversed(row.spans):
        rest = rest[: span.begin] + rest[span.end :]
    return bool(row.spans) and not any(char.isalnum() for char in _LONG.sub("", rest))


def _find_above(rows: Sequence[Row], index: int) -> list[int]:
    """The items between a name and its dates are lines of the head: a name, then employer and dates as a list."""
    found: list[int] = []
    while index > 0 and _is_item(rows[index - 1]) and len(found) < _MOST_ABOVE:
        index -= 1
        found.append(index)
    return found if index > 0 and not rows[index - 1].bullet else []


def _is_item(row: Row) -> bool:
    words = len(row.text.split())
    short = words <= _FEW_WORDS or (words <= _MOST_WORDS and row.text[-1:] not in ".;")
    return row.bullet and short and not row.spans
