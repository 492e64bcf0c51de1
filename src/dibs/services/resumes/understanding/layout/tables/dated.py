"""Tables without lines whose last cell holds dates: every date begins a row, and the cells before it are read one by one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.layout.tables.cells import Cell, join_cells
from dibs.services.resumes.understanding.normal.dates import is_bare_range, is_finish, is_rest, is_unfinished, read_bare

_ALIGNED = 3.0
_FEWEST = 2
_MOST = 100
"""A page may hold thousands of dates, which would all be compared with each other; no section has so many entries."""
_CELLS = 2


class Entry(NamedTuple):
    """A row of the table: its dates, its first cell, its second one, and what runs on below both."""

    dates: Cell
    name: Cell
    text: Cell
    below: Cell


class Dated(NamedTuple):
    top: float
    bottom: float
    entries: list[Entry]


def find_dated(segments: Sequence[Segment]) -> Dated | None:
    """Find the first table of a region. Where no cell takes two lines, lines are read well as they stand."""
    for part in _part_at_headings(segments):
        starts = _find_starts(part)
        edge = _find_edge(part, starts)
        if edge is None:
            continue
        entries = list(_cut(part, starts, edge))
        if _are_rows(entries):
            top = min(s.top for s in starts) - 1
            return Dated(top, max(s.bottom for s in part), entries)
    return None


def _part_at_headings(segments: Sequence[Segment]) -> Iterator[list[Segment]]:
    part: list[Segment] = []
    for segment in sorted(segments, key=lambda s: (s.row, s.left)):
        if segment.is_heading:
            yield part
            part = []
        else:
            part.append(segment)
    yield part


def _find_starts(part: Sequence[Segment]) -> list[Segment]:
    """Give the dates that stand last on their rows and begin a cell, if they share an edge."""
    last = {s.row: s for s in part}
    dates = [s for s in part if last[s.row] is s and _is_date(s.text)]
    if len(dates) > _MOST:
        return []
    starts = [s for s in dates if not any(_goes_on(other, s) for other in dates)]
    flush = any(max(edges) - min(edges) < _ALIGNED for edges in _list_edges(starts)) if starts else False
    return starts if flush and len(starts) >= _FEWEST else []


def _list_edges(starts: Sequence[Segment]) -> Iterator[list[float]]:
    yield [s.left for s in starts]
    yield [s.right for s in starts]


def _is_date(text: str) -> bool:
    return is_bare_range(text) or is_unfinished(text) or is_finish(text) or is_rest(text) or read_bare(text) is not None


def _goes_on(above: Segment, segment: Segment) -> bool:
    """Tell whether a date is the rest of the one close above it."""
    is_below = 0 < segment.top - above.top < 2 * segment.size
    return is_below and (is_rest(segment.text) or (is_unfinished(above.text) and is_finish(segment.text)))


def _find_edge(part: Sequence[Segment], starts: Sequence[Segment]) -> float | None:
    """Give where the second cell begins: on the row of every date, two cells stand before it, at the same places."""
    firsts = [[s for s in part if s.row == start.row and s is not start] for start in starts]
    if not firsts or any(len(cells) != _CELLS for cells in firsts):
        return None
    lefts = [[cells[at].left for cells in firsts] for at in range(_CELLS)]
    return min(lefts[1]) if all(max(edges) - min(edges) < _ALIGNED for edges in lefts) else None


def _cut(part: Sequence[Segment], starts: Sequence[Segment], edge: float) -> Iterator[Entry]:
    rows = sorted(s.row for s in starts)
    last = min(s.left for s in starts)
    for first, end in zip(rows, [*rows[1:], 1 << 30], strict=True):
        own = [s for s in part if first <= s.row < end]
        across = min((s.row for s in own if s.left < edge - _ALIGNED and s.right > edge), default=end)
        below = [s for s in own if s.row >= across]
        dates = [s for s in own if s.left >= last - _ALIGNED and s not in below]
        cells = [s for s in own if s not in dates and s not in below]
        name = [s for s in cells if s.left < edge - _ALIGNED]
        yield Entry(dates, name, [s for s in cells if s not in name], below)


def _are_rows(entries: Sequence[Entry]) -> bool:
    """Tell whether a cell takes two lines, and the text goes on below a first one: else that is a column of its own."""
    broken = any(len(entry.name) > 1 or len(entry.text) > 1 for entry in entries)
    return broken and any(_get_last(entry.text + entry.below) > _get_last(entry.name) for entry in entries)


def _get_last(cell: Cell) -> int:
    return max(s.row for s in cell)


def list_cells(dated: Dated) -> list[Entry]:
    """Give the rows, lines put together that their cells broke."""
    names = join_cells([entry.name for entry in dated.entries])
    texts = join_cells([entry.text for entry in dated.entries])
    return [entry._replace(name=name, text=text) for entry, name, text in zip(dated.entries, names, texts, strict=True)]
