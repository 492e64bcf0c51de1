"""The lines of a cell, those put together that it was too narrow for."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dibs.services.resumes.understanding.layout.judging import has_items
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.normal.dates import find_dates
from dibs.services.resumes.understanding.normal.organisations import is_legal_form
from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.wrapping import DANGLING

_ADDRESS = re.compile(r"@|\w/\w|\w\.[a-z]{2,}|\d{4}")
_MOSTLY = 0.6
_SPACE = 0.2
_SURE = 0.6
_SLACK = 1.0

Cell = list[Segment]


def join_cells(cells: Sequence[Cell], room: float | None = None) -> list[Cell]:
    """Put the lines of each cell of a column together that were broken. Without `room`, the widest line tells it."""
    widths = [s.right - s.left for cell in cells for s in cell]
    if room is None:
        return [_join_lines(cell, max(widths, default=0.0), is_guessed=True) for cell in cells]
    return [_join_lines(cell, room, has_places=_has_places(cells)) for cell in cells]


def _has_places(cells: Sequence[Cell]) -> bool:
    """Tell whether most cells end with a line for the place."""
    told = [cell for cell in cells if cell]
    placed = sum(len(cell) > 1 and judge_place(cell[-1].text) >= _SURE for cell in told)
    return bool(told) and placed >= _MOSTLY * len(told)


def _join_lines(cell: Cell, room: float, *, has_places: bool = True, is_guessed: bool = False) -> Cell:
    """Put lines together up to the first item of a list. Where the room is guessed, a line that says something is kept."""
    joined = cell[:1]
    for at, (above, line) in enumerate(pairwise(cell), 2):
        is_place = has_places and line is cell[-1] and judge_place(line.text) >= _SURE
        is_place = is_place and not DANGLING.search(above.text)
        kept = is_place or (is_guessed and _says_more(above, line))
        if not kept and not has_items(cell[:at]) and _goes_on(above, line, room):
            joined[-1] = Segment([*joined[-1].words, *line.words], joined[-1].row)
        else:
            joined.append(line)
    return joined


def _goes_on(above: Segment, line: Segment, room: float) -> bool:
    """Tell whether a line goes on with the one above it: its first word found no room there."""
    last, first = above.words[-1], line.words[0]
    if (last.bold, last.size, last.italic, last.color) != (first.bold, first.size, first.italic, first.color):
        return False
    if DANGLING.search(above.text) or is_legal_form(line.text):
        return True
    return above.right - above.left + _SPACE * first.size + first.box.right - first.box.left > room - _SLACK


def _says_more(above: Segment, line: Segment) -> bool:
    """Dates and addresses stand for themselves, and so does a title, but not its last word."""
    is_title = len(line.words) > 1 and judge_title(line.text) >= 1
    return is_title or any(find_dates(s.text) or _ADDRESS.search(s.text) for s in (above, line))
