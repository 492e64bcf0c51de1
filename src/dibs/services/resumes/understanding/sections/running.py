"""Names and dates of an entry that are set as one line with marks between them, which a narrow column broke."""

import re
from collections.abc import Callable, Sequence

from dibs.services.resumes.document import Word
from dibs.services.resumes.understanding.normal.dates import find_dates
from dibs.services.resumes.understanding.sections.rows import Row

HasRoom = Callable[[Row, Row], bool]
_MARK = re.compile(r"\s(?:[|•·–—@/-])(?=\s|$)")
_OPEN = re.compile(r"\s[|•·–—@/-]$")
_OPENING = re.compile(r"[|@/]\s")
_BEFORE_DATES = re.compile(r"(?:[|•·–—,/-]\s*|\()$")
MOST_LINES = 5
_CLOSE = 0.4
_ALIGNED = 3.0


def count_running(rows: Sequence[Row], has_room: HasRoom) -> int:
    """Count the rows at the beginning of `rows` that are one line: each goes on with the last, and dates end it."""
    for count in range(1, min(len(rows), MOST_LINES) + 1):
        if count > 1 and not _goes_on(rows[count - 2], rows[count - 1], has_room):
            return 1
        if rows[count - 1].spans:
            return count if count > 1 and _is_running(rows[:count]) else 1
    return 1


def _goes_on(above: Row, row: Row, has_room: HasRoom) -> bool:
    if above.bullet or row.bullet or row.starts or above.column != row.column or len(above.parts) > 1:
        return False
    if not _is_below(above, row):
        return False
    if _OPEN.search(above.text) or _OPENING.match(row.text) or _is_bracketed(row):
        return True
    return _looks(above.words[-1]) == _looks(row.words[0]) and not has_room(above, row)


def _is_below(above: Row, row: Row) -> bool:
    """Close below, and flush with it. The first word of a broken date was taken along from the line above."""
    one, two = ([word.box for word in piece.words] for piece in (above, row))
    close = row.line.box.top - max(box.bottom for box in one) < _CLOSE * row.size
    left = abs(min(box.left for box in one) - min(box.left for box in two)) < _ALIGNED
    return close and (left or abs(max(box.right for box in one) - max(box.right for box in two)) < _ALIGNED)


def _is_bracketed(row: Row) -> bool:
    span = next(iter(row.spans), None)
    return span is not None and row.text[: span.begin].strip() == "(" and row.text[span.end :].strip() == ")"


def _looks(word: Word) -> tuple[float, bool, bool, int]:
    return word.size, word.bold, word.italic, word.color


def _is_running(rows: Sequence[Row]) -> bool:
    """Marks part the names from each other and from the dates, and a line ends in the midst of what they part."""
    text = " ".join(row.text for row in rows)
    dates = find_dates(text)
    names = text[: dates[0].begin].rstrip() if dates else ""
    if len(dates) != 1 or not _BEFORE_DATES.search(names) or not any(char.isalpha() for char in names):
        return False
    begun = _MARK.search(rows[0].text) or _OPENING.match(rows[1].text) or _is_mixed(rows[1])
    return bool(begun) and bool(_MARK.search(_BEFORE_DATES.sub("", names)))


def _is_mixed(row: Row) -> bool:
    return _looks(row.words[0]) != _looks(row.words[-1])
