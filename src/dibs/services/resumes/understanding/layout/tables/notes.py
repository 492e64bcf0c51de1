"""A third cell behind the text of a rail, without drawn lines: dates, what was done, and where."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dibs.services.resumes.understanding.layout.judging import are_dated, has_items, is_level, is_marginal
from dibs.services.resumes.understanding.layout.rails import Band, cut_bands
from dibs.services.resumes.understanding.layout.rivers import River
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.layout.tables.cells import Cell, join_cells

_MOSTLY = 0.6
_FEWEST = 2
_MOST_LINES = 4
_ALIGNED = 2.0
_APART = 6.0


def part_notes(bands: Sequence[Band]) -> Iterator[Band]:
    """Part the third cell of each band from its text, where most bands have one at the same place."""
    labelled = [band for band in bands if band.labels and band.text]
    edge = _find_edge(labelled)
    if edge is None:
        yield from bands
        return
    notes = iter(join_cells([_get_behind(band, edge) for band in labelled]))
    for band in bands:
        text = [s for s in band.text if s.left < edge - _ALIGNED]
        yield band._replace(text=text, note=next(notes)) if band in labelled else band


def find_noted(river: River, rivers: Sequence[River]) -> River | None:
    """Find the rail of dates that a column is the third cell of."""
    if any(s.is_heading for s in river.right):
        return None
    for rail in (_trim(one) for one in rivers if one.x < river.x - _APART and one.overlap > 0):
        if not rail.left:
            continue
        bands = list(cut_bands(rail.left, rail.right))
        edge = _find_edge([band for band in bands if band.labels and band.text])
        dated = are_dated([label for band in bands for label in band.labels])
        if dated and edge is not None and abs(edge - river.x) < _ALIGNED:
            return rail
    return None


def _trim(rail: River) -> River:
    """Leave out what stands above the text, and from a heading below it on: those are no labels of it."""
    top, bottom = min(s.top for s in rail.right), max(s.bottom for s in rail.right)
    end = min((s.top for s in rail.left if s.is_heading and s.top >= bottom), default=float("inf"))
    return rail._replace(left=tuple(s for s in rail.left if s.bottom > top and s.top < end))


def _get_behind(band: Band, edge: float) -> Cell:
    return [s for s in band.text if s.left >= edge - _ALIGNED]


def _find_edge(bands: Sequence[Band]) -> float | None:
    """Find where the third cells begin: level with the first line of the text, apart from all of it, and no dates or places alone."""
    firsts = Counter(round(s.left) for band in bands for s in _list_level(band))
    edge, count = firsts.most_common(1)[0] if firsts else (0, 0)
    if count < max(_FEWEST, _MOSTLY * len(bands)):
        return None
    behind = [_get_behind(band, edge) for band in bands]
    text = [s for band in bands for s in band.text if s.left < edge - _ALIGNED]
    parted = all(s.right < edge - _APART for s in text) and all(map(_is_note, behind))
    names = any(not is_marginal(s.text) for cell in behind for s in cell[:1])
    return float(edge) if parted and names else None


def _list_level(band: Band) -> Iterator[Segment]:
    """Give what stands on the first line, behind its first words."""
    first = min(band.text, key=lambda s: (s.row, s.left))
    return (s for s in band.text if s is not first and s.left > first.right and is_level(s, first))


def _is_note(cell: Cell) -> bool:
    return len(cell) <= _MOST_LINES and not has_items(cell) and not any(s.is_heading for s in cell)
