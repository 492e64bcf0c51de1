"""Entries of a form: every row has a label that says what it is, in whatever order."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dibs.services.resumes.document import Line
from dibs.services.resumes.understanding.normal.roles import Role, find_role
from dibs.services.resumes.understanding.sections.rows import Row

_NAMING = {Role.POSITION, Role.EMPLOYER, Role.DEGREE, Role.SCHOOL}
_ORDER = (Role.POSITION, Role.DEGREE, Role.EMPLOYER, Role.SCHOOL, Role.DATES, Role.PLACE, Role.TOLD, None)
_MOST_WORDS = 7
_MOST_LINES = 3


class _Told(NamedTuple):
    role: Role | None
    row: Row


def put_in_order(rows: Sequence[Row]) -> list[Row]:
    """Give the rows of a form without their labels, each entry as most people write it: what, where, when."""
    told = list(_read_labels(rows))
    said = {one.role for one in told if one.role}
    if len(said - {Role.TOLD, Role.PLACE}) < len(("a name", "another, or dates")) or not said & _NAMING:
        return list(rows)
    return [row for entry in _cut(told) for row in _sort(entry)]


def _read_labels(rows: Sequence[Row]) -> Iterator[_Told]:
    """A label stands on a row of its own, or before what it is said of. It holds until the next one."""
    role: Role | None = None
    for row in _join_labels(rows):
        count, found = _find_label(row)
        role = found or role
        if count < len(row.words):
            yield _Told(role, _drop(row, count) if count else row)
            role = role if role is Role.TOLD or not count else None


def _join_labels(rows: Sequence[Row]) -> Iterator[Row]:
    """A narrow column breaks long labels."""
    at = 0
    while at < len(rows):
        texts = [row.text for row in rows[at : at + _MOST_LINES]]
        lines = next((count for count in range(len(texts), 1, -1) if find_role(" ".join(texts[:count]))), 1)
        line = Line(tuple(word for row in rows[at : at + lines] for word in row.words), rows[at].line.box, rows[at].gap)
        yield Row(line, starts=rows[at].starts, column=rows[at].column) if lines > 1 else rows[at]
        at += lines


def _find_label(row: Row) -> tuple[int, Role | None]:
    """Give how many words the label of a row has, and what it says."""
    if role := find_role(row.text):
        return len(row.words), role
    for count in range(1, min(_MOST_WORDS, len(row.words) - 1) + 1):
        text = " ".join(word.text for word in row.words[:count])
        apart = text.endswith(":") or len(row.parts[0].words) == count
        if apart and (role := find_role(text)):
            return count, role
    return 0, None


def _drop(row: Row, count: int) -> Row:
    return Row(Line(row.words[count:], row.line.box, row.gap, bullet=row.bullet), column=row.column)


def _cut(told: Sequence[_Told]) -> Iterator[list[_Told]]:
    """Begin an entry where something is said for the second time."""
    entry: list[_Told] = []
    for one in told:
        if one.role in (*_NAMING, Role.DATES) and any(other.role is one.role for other in entry):
            yield entry
            entry = []
        entry.append(one)
    if entry:
        yield entry


def _sort(entry: Sequence[_Told]) -> Iterator[Row]:
    ordered = sorted(entry, key=lambda one: _ORDER.index(one.role))
    for at, (_, row) in enumerate(ordered):
        line = Line(row.words, row.line.box, row.gap, bullet=row.bullet)
        yield Row(line, starts=at == 0, column=row.column)
