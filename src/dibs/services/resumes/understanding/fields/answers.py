"""Entries that are filled in forms: each part stands behind the words that ask for it, so nothing has to be guessed."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dibs.services.resumes.understanding.normal.dates import Span
from dibs.services.resumes.understanding.normal.organisations import has_form
from dibs.services.resumes.understanding.normal.places import has_street, judge_place
from dibs.services.resumes.understanding.sections.asking import Asked, find_asked
from dibs.services.resumes.understanding.sections.rows import Piece, Row, as_row, join_pieces

_LONGEST = 3
_NAMES = {Asked.POSITION, Asked.EMPLOYER, Asked.DEGREE, Asked.SCHOOL}
_FEWEST = 2
_PLACE = 0.5
_TOWN_WORDS = 2
_MOST_DEGREE = 3
_COLON = re.compile(r"\s*:\s+")
ANSWERED = 0.9
Answers = dict[Asked, list[Row]]


class Told(NamedTuple):
    """A question, and the rows that answer it."""

    asked: Asked
    rows: list[Row]


def read_answers(rows: Sequence[Row]) -> list[Answers]:
    """Give the entries of a form; none where the rows are no form."""
    told = list(_pair(rows))
    known = {one.asked for one in told if one.rows}
    if not rows or not _find_question(rows)[0] or len(known) < _FEWEST or not known & _NAMES:
        return []
    entries: list[Answers] = []
    for asked, found in told:
        if not entries or asked is told[0].asked or (asked in entries[-1] and asked is not Asked.DUTIES):
            entries.append({})
        entries[-1].setdefault(asked, []).extend(found)
    return [] if any(map(_is_column, entries)) else [entry for entry in entries if entry.keys() & _NAMES]


def _is_column(answers: Answers) -> bool:
    """Tell whether what follows a question is a column of a table, with an answer for each of several entries."""
    return len(list_dates(answers)) > 1 or len(answers.get(Asked.DEGREE, [])) > _MOST_DEGREE


def drop_heads(rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out the first row of a table, which says what its columns hold: one line of parts, or a row for each cell."""
    if not rows:
        return rows
    level = next((at for at, row in enumerate(rows) if row.line.box.top != rows[0].line.box.top), len(rows))
    parts = [part.text for row in rows[:level] for part in row.parts]
    return rows[level:] if len(parts) >= _FEWEST and all(map(find_asked, parts)) else rows


def _pair(rows: Sequence[Row]) -> Iterator[Told]:
    """Give each question with what follows it up to the next one."""
    told: Told | None = None
    at = 0
    while at < len(rows):
        count, asked, rest = _find_question(rows[at:])
        if asked is not None:
            if told is not None:
                yield told
            told = Told(asked, [rest] if rest else [])
        elif told is not None:
            told.rows.append(rows[at])
        at += max(count, 1)
    if told is not None:
        yield told


def _find_question(rows: Sequence[Row]) -> tuple[int, Asked | None, Row | None]:
    """Find a question that begins with the first row: how many rows it takes, what it asks, and what answers it there."""
    for count in range(min(_LONGEST, len(rows)), 0, -1):
        if asked := find_asked(" ".join(row.text for row in rows[:count])):
            return count, asked, None
    first, *others = rows[0].parts
    if others and (asked := find_asked(first.text)):
        return 1, asked, as_row(join_pieces(others), rows[0])
    match = _COLON.search(rows[0].text)
    if match and (asked := find_asked(rows[0].text[: match.start()])):
        return 1, asked, as_row(rows[0].cut(match.end(), len(rows[0].text)), rows[0])
    return 0, None, None


def get_piece(answers: Answers, asked: Asked) -> Piece | None:
    """Give the words of an answer."""
    rows = answers.get(asked)
    return join_pieces(rows) if rows else None


def list_dates(answers: Answers) -> list[tuple[Row, Span]]:
    return [(row, span) for row in answers.get(Asked.DATES, []) for span in row.spans]


def part_address(piece: Piece | None) -> tuple[Piece | None, Piece | None]:
    """Part the name of an employer or a school from the address behind it."""
    if piece is None:
        return None, None
    for match in re.finditer(r",\s+", piece.text):
        head, tail = piece.text[: match.start()], piece.text[match.end() :]
        ended = has_form(head) and len(tail.split()) <= _TOWN_WORDS
        if not has_form(tail) and (judge_place(tail) >= _PLACE or has_street(tail) or ended):
            return piece.cut(0, match.start()), piece.cut(match.end(), len(piece.text))
    return piece, None
