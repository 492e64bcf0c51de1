"""Names of groups of skills: rows that look stronger than what they stand over."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dibs.services.resumes.understanding.sections.rows import Piece, Row

_LARGER = 0.4
_MOST_WORDS = 5


def find_group_rows(rows: Sequence[Row]) -> set[int]:
    """Give the rows that name groups: first in the section, set stronger than most, each with plainer rows below."""
    if len(rows) < 2:  # noqa: PLR2004 - a name and what it names
        return set()
    sizes: Counter[tuple[float, bool]] = Counter()
    for row in rows:
        sizes[_weight(row)] += len(row.text)
    usual = sizes.most_common(1)[0][0]
    strong = {index for index, row in enumerate(rows) if _is_stronger(row, usual) and _is_name(row)}
    strong |= {index for index in range(len(rows) - 1) if _is_shallower(rows[index], rows[index + 1])}
    strong |= _find_items_over_rows(rows)
    leads = 0 in strong and len(rows) - 1 not in strong
    return strong if leads and not any(index + 1 in strong for index in strong) else set()


def _weight(row: Row) -> tuple[float, bool]:
    return round(row.size * 2) / 2, row.is_bold


def _is_stronger(row: Row, usual: tuple[float, bool]) -> bool:
    size, bold = usual
    return row.size > size + _LARGER or (row.is_bold and not bold and row.size > size - _LARGER)


def _is_shallower(row: Row, following: Row) -> bool:
    """An item over items that stand further in."""
    if not (row.bullet and following.bullet and _is_name(row)):
        return False
    return following.line.box.left - row.line.box.left > row.size


def _find_items_over_rows(rows: Sequence[Row]) -> set[int]:
    """Items whose rows below have no mark are names, if those rows are whole words and one has several."""
    items = [index for index, row in enumerate(rows) if row.bullet]
    if not items or items[0] != 0 or any(not row.bullet and not row.text[:1].isupper() for row in rows):
        return set()
    below = [end - index - 1 for index, end in pairwise([*items, len(rows)])]
    named = min(below) >= 1 and max(below) > 1 and all(_is_name(rows[index]) for index in items)
    return set(items) if named else set()


def _is_name(row: Row) -> bool:
    return all(_is_short(part) for part in row.parts)


def _is_short(part: Piece) -> bool:
    return len(part.words) <= _MOST_WORDS and "," not in part.text
