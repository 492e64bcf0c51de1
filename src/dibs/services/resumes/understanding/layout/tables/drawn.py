"""Tables whose cells are drawn: read row by row, dates first, whatever stands on one line across the cells.

Where lines are drawn between cells, nothing has to be guessed from white. Only tables of three cells and more with a
column of dates are read here: those of two are rails, and a table without dates is no list of entries.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from dibs.services.resumes.document import Page
from dibs.services.resumes.understanding.layout.judging import has_items
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.layout.tables.cells import Cell, join_cells
from dibs.services.resumes.understanding.layout.tables.ruling import Grid, find_grids
from dibs.services.resumes.understanding.normal.dates import find_dates
from dibs.services.resumes.understanding.sections.asking import find_asked

_MOSTLY = 0.6
_LONG = 60
_PADDING = 2.0
_HEADS = 2


class Table(NamedTuple):
    """From where to where a table goes, and the cells of its rows in the order in which they are read."""

    top: float
    bottom: float
    rows: list[list[Cell]]


def find_tables(page: Page, segments: Sequence[Segment]) -> list[Table]:
    """Find the tables of a page that stand alone on their lines, from top to bottom."""
    found = []
    for grid in find_grids(page):
        level = [s for s in segments if grid.top <= _middle(s) <= grid.bottom]
        if level and all(grid.left <= s.left and s.right <= grid.right + _PADDING for s in level):
            rows = _mend([_read_row(level, grid, *band) for band in pairwise(grid.bands)], grid)
            found += [Table(grid.top, grid.bottom, rows)] if _is_dated(rows) and not _has_headings(rows) else []
    return [table._replace(rows=_in_order(table.rows)) for table in found]


def _middle(segment: Segment) -> float:
    return (segment.top + segment.bottom) / 2


def _read_row(segments: Sequence[Segment], grid: Grid, top: float, bottom: float) -> list[Cell]:
    level = [s for s in segments if top <= _middle(s) < bottom]
    sides = pairwise([grid.left, *grid.cuts, grid.right])
    return [_gather([part for s in level for part in _cut(s, *side)]) for side in sides]


def _gather(parts: Sequence[Segment]) -> Cell:
    """Give one segment a line."""
    lines = groupby(sorted(parts, key=lambda s: (s.row, s.left)), key=lambda s: s.row)
    return [Segment([word for part in line for word in part.words], row) for row, line in lines]


def _cut(segment: Segment, left: float, right: float) -> Iterator[Segment]:
    """Give what a line has in a cell: words of two cells may stand closer than those of one sentence."""
    words = [word for word in segment.words if left <= (word.box.left + word.box.right) / 2 < right]
    if len(words) == len(segment.words):
        yield segment
    elif words:
        yield Segment(words, segment.row)


def _mend(rows: list[list[Cell]], grid: Grid) -> list[list[Cell]]:
    """Put lines together that their column broke. What stands left of the text stands right of it, too."""
    sides = pairwise([grid.left, *grid.cuts, grid.right])
    mended = []
    for (left, right), column in zip(sides, zip(*rows, strict=True), strict=True):
        padding = min((s.left for cell in column for s in cell), default=left) - left
        mended.append(join_cells(column, right - left - 2 * padding))
    return [list(row) for row in zip(*mended, strict=True)]


def _columns(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    return [[cell for cell in column if cell] for column in zip(*rows, strict=True)]


def _is_dated(rows: Sequence[Sequence[Cell]]) -> bool:
    return any(_holds_dates(column) for column in _columns(rows))


def _has_headings(rows: Sequence[Sequence[Cell]]) -> bool:
    return any(s.is_heading for row in rows for cell in row[1:] for s in cell)


def _holds_dates(column: Sequence[Cell]) -> bool:
    """Tell whether most cells of a column begin with a date and say hardly more."""
    spans = [find_dates(" ".join(s.text for s in cell)) for cell in column]
    dated = sum(bool(found) and found[0].begin == 0 for found in spans)
    return dated >= max(1.0, _MOSTLY * len(column))


def _holds_text(column: Sequence[Cell]) -> bool:
    return any(has_items(cell) or sum(len(s.text) for s in cell) > _LONG for cell in column)


def _in_order(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Put dates first, then names, then what is told, alike in all rows. A row that only says what its columns hold goes."""
    columns = _columns(rows)
    order = sorted(range(len(columns)), key=lambda at: (not _holds_dates(columns[at]), _holds_text(columns[at])))
    told = (row for row in rows if sum(find_asked(s.text) is not None for cell in row for s in cell) < _HEADS)
    return [[row[at] for at in order if row[at]] for row in told]


def is_inside(segment: Segment, table: Table) -> bool:
    """Tell whether a line stands in a table."""
    return table.top <= _middle(segment) <= table.bottom
