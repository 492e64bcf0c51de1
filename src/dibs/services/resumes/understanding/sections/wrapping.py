"""Lines that a narrow column broke: names, items of lists, and cells beside a date."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dibs.services.resumes.document import Line, Word
from dibs.services.resumes.understanding.normal.dates import find_dates, is_bare_range
from dibs.services.resumes.understanding.normal.degrees import find_degree, is_subject
from dibs.services.resumes.understanding.normal.organisations import is_legal_form, judge_school
from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.sections.rows import Row
from dibs.services.resumes.understanding.sections.running import MOST_LINES, count_running
from dibs.services.resumes.understanding.sections.wording import Kind

Joins = Callable[[Row, Row], Row | None]
_CLOSE = 0.4
_ALIGNED = 3.0
_SPACE = 0.2
DANGLING = re.compile(r"(?:\s(?:of|in|and|for|de|du|des|der|und|für|et|y|en|del|of the|de la)|\s[&–—-])$")
_LISTED = {Kind.CERTIFICATES, Kind.AWARDS, Kind.PUBLICATIONS}
_PARTED = {Kind.SKILLS, Kind.INTERESTS}
_FEW_WORDS = 4
_TAIL = 2
_NAMED = {Kind.WORK, Kind.EDUCATION, Kind.VOLUNTEER}


class Reach(NamedTuple):
    """From where to where the lines of a column go."""

    left: float
    right: float


def find_edges(rows: Iterable[Row]) -> dict[int, Reach]:
    """Give how far the lines of each column reach."""
    edges: dict[int, Reach] = {}
    for row in rows:
        box = row.line.box
        known = edges.get(row.column, Reach(box.left, box.right))
        edges[row.column] = Reach(min(known.left, box.left), max(known.right, box.right))
    return edges


def join_wrapped(rows: Sequence[Row], kind: Kind, edges: dict[int, Reach]) -> list[Row]:
    """Put lines together of which the second goes on with what the first says."""
    if kind in _LISTED:
        return list(_join(rows, lambda above, row: _join_item(above, row, edges[row.column])))
    if kind in _PARTED:
        return list(_join(rows, lambda above, row: _join_list(above, row, edges[row.column])))
    if kind in _NAMED:
        carried = _carry_names(_join_running(rows, edges), edges)
        return list(_join(carried, lambda above, row: _join_name(above, row) or _join_subject(above, row, edges)))
    return list(rows)


def _join(rows: Sequence[Row], joins: Joins) -> Iterator[Row]:
    last: Row | None = None
    for row in rows:
        joined = joins(last, row) if last is not None and _is_next(last, row) else None
        if last is not None and joined is None:
            yield last
        last = joined or row
    if last is not None:
        yield last


def _is_next(above: Row, row: Row) -> bool:
    """Close below, flush with it and alike. In a page of HTML nothing is, since its lines have no places."""
    if row.bullet or row.starts or above.column != row.column or not _is_alike(above, row):
        return False
    flush = abs(_left(above) - _left(row)) < _ALIGNED or _is_pushed(above.words, row)
    return 0 != _white(above, row) < _CLOSE * row.size and flush


def _is_pushed(words: Sequence[Word], row: Row) -> bool:
    """Tell whether two lines end at one place and begin at two: their column is pushed to the right."""
    ends = abs(_get_right(words, row) - row.words[-1].box.right) < _ALIGNED
    return ends and not row.bullet and abs(_get_last_line(words, row)[0].box.left - _left(row)) > _ALIGNED


def _is_alike(above: Row, row: Row) -> bool:
    """A line goes on as it began, or as it ended: behind a bold title the name of the employer is plain."""
    last, first = above.words[-1], row.words[0]
    as_ended = (last.size, last.bold, last.color, last.italic) == (first.size, first.bold, first.color, first.italic)
    return above.style == row.style or (as_ended and above.heading == row.heading)


def _white(above: Row, row: Row) -> float:
    return row.line.box.top - max(word.box.bottom for word in above.words)


def _left(row: Row) -> float:
    return row.words[0].box.left


def _join_item(above: Row, row: Row, edge: Reach) -> Row | None:
    """An item goes on where the next word found no room beside it; another line under it may say who issued it."""
    return (
        _joined(above, [*above.words, *row.words]) if above.bullet and not _has_room(above.words, row, edge) else None
    )


def _join_list(above: Row, row: Row, edge: Reach) -> Row | None:
    """A list that commas part goes on below with the rest of its last item, where that found no room."""
    parted = above.text.count(",") > 1 and not above.text.endswith(",") and ":" not in row.text
    return _joined(above, [*above.words, *row.words]) if parted and not _has_room(above.words, row, edge) else None


def _join_running(rows: Sequence[Row], edges: dict[int, Reach]) -> list[Row]:
    """Put entries together that are one line each."""
    kept: list[Row] = []
    at = 0
    while at < len(rows):
        count = count_running(
            rows[at : at + MOST_LINES], lambda above, row: _has_room(above.words, row, edges[row.column])
        )
        own = rows[at : at + count]
        kept.append(_joined(own[0], [word for row in own for word in row.words]) if count > 1 else own[0])
        at += count
    return kept


def _carry_names(rows: Sequence[Row], edges: dict[int, Reach]) -> list[Row]:
    """Give a line back the end of a name that found no room on it."""
    kept: list[Row] = []
    for row in rows:
        above = kept[-1] if kept else None
        count = _count_carried(above, row, edges[row.column]) if above is not None and _is_next(above, row) else 0
        if above is not None and count:
            kept[-1] = _joined(above, [*above.words, *row.words[:count]])
        if count < len(row.words):
            kept.append(row.without(count) if count else row)
    return kept


def _count_carried(above: Row, row: Row, edge: Reach) -> int:
    """Count the words that go on with the plain name behind a bold title; dates may stand behind them."""
    name, *others = row.parts
    mixed = above.words[0].bold and not above.words[-1].bold and not row.words[0].bold
    if not mixed or above.bullet or above.spans or len(above.parts) > 1 or _has_room(above.words, row, edge):
        return 0
    # "Master en Informatique" is at its end; the line below names the school.
    if is_subject(" ".join(word.text for word in above.words if not word.bold)):
        return 0
    dated = all(is_bare_range(other.text) for other in others)
    short = len(name.words) <= _FEW_WORDS and not find_dates(name.text) and judge_place(name.text) <= 0
    return len(name.words) if dated and short else 0


def _join_name(above: Row, row: Row) -> Row | None:
    """A name ends with no "of", and one beside a date goes on below where it found no room."""
    if above.bullet or row.spans or len(row.parts) > 1:
        return None
    if above.style != row.style:
        return _join_plain_name(above, row)
    if len(above.parts) == 1:
        is_open = DANGLING.search(above.text) or is_legal_form(row.text)
        return _joined(above, [*above.words, *row.words]) if is_open else None
    first, second = above.parts[:2]
    if not row.is_bold or not all(word.bold for word in first.words) or not above.spans:
        return None
    if _has_room(first.words, row, Reach(0.0, second.words[0].box.left - row.size)):
        return None
    return _joined(above, [*first.words, *row.words, *above.words[len(first.words) :]])


def _join_plain_name(above: Row, row: Row) -> Row | None:
    """The plain name behind a bold title goes on below, where dates beside it left no room."""
    first, *others = above.parts
    mixed = first.words[0].bold and not first.words[-1].bold and not row.words[0].bold
    if not mixed or not others or not above.spans or len(row.words) > _FEW_WORDS or judge_place(row.text) > 0:
        return None
    if is_subject(" ".join(word.text for word in first.words if not word.bold)):
        return None
    if _has_room(first.words, row, Reach(0.0, others[0].words[0].box.left - row.size)):
        return None
    return _joined(above, [*first.words, *row.words, *above.words[len(first.words) :]])


def _join_subject(above: Row, row: Row, edges: dict[int, Reach]) -> Row | None:
    """The subject of a degree, or the last word of a bold name, goes on below where it found no room."""
    if (
        above.bullet
        or above.spans
        or row.spans
        or len(above.parts) > 1
        or _has_room(above.words, row, edges[row.column])
    ):
        return None
    whole = f"{above.text} {row.text}"
    degree, both_bold = find_degree(above.text) is not None, above.is_bold and row.is_bold
    told = degree and (is_subject(whole) or both_bold)
    is_school = judge_school(above.text) > 0
    if not degree and len(row.words) == 1 and judge_school(row.text) > 0:
        return _joined(above, [*above.words, *row.words])
    named = both_bold and (is_school or row.text[0].islower())
    named = named or (is_school and len(row.words) <= _TAIL and row.text[0].isupper() and judge_place(row.text) <= 0)
    return _joined(above, [*above.words, *row.words]) if (told or named) and not _is_name(row.text) else None


def _is_name(text: str) -> bool:
    """Tell whether a line says something by itself: another degree, a school."""
    return find_degree(text) is not None or judge_school(text) > 0


def _has_room(words: Sequence[Word], row: Row, edge: Reach) -> bool:
    box = row.words[0].box
    needed = _SPACE * row.size + box.right - box.left
    if _is_pushed(words, row):
        return _get_last_line(words, row)[0].box.left - needed >= edge.left
    return _get_right(words, row) + needed <= edge.right


def _get_last_line(words: Sequence[Word], row: Row) -> list[Word]:
    last = max(word.box.bottom for word in words)
    return [word for word in words if word.box.bottom > last - _CLOSE * row.size]


def _get_right(words: Sequence[Word], row: Row) -> float:
    """Give how far the last line of some words goes."""
    return max(word.box.right for word in _get_last_line(words, row))


def _joined(above: Row, words: Sequence[Word]) -> Row:
    line = Line(tuple(words), above.line.box, above.gap, bullet=above.bullet)
    return Row(line, starts=above.starts, column=above.column, heading=above.heading)
