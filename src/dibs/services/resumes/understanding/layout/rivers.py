"""White that runs down a page between two texts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.normal.dates import find_dates

_NARROWEST = 7.0
_SLACK = 1.5
_ALIGNED = 2
_FEWEST_ROWS = 2
_FEWEST_RAGGED = 6
_CENTRED = 6.0
_SOME = 0.3


class River(NamedTuple):
    """White to the left of `x`, from one row to another, with text on both sides."""

    x: float
    left: tuple[Segment, ...]
    right: tuple[Segment, ...]

    @property
    def overlap(self) -> float:
        """How far both sides run beside each other."""
        bottom = min(max(s.bottom for s in side) for side in (self.left, self.right))
        return bottom - max(min(s.top for s in side) for side in (self.left, self.right))

    @property
    def width(self) -> float:
        return min(s.left for s in self.right) - max(s.right for s in self.left)


def find_rivers(segments: Sequence[Segment], edges: Sequence[float] = ()) -> list[River]:
    """Find the rivers of a region, the longest first. `edges` are where drawn areas or lines suggest one."""
    parts = list(_part(_by_row(segments), _find_centred(segments)))
    found: dict[object, River] = {}
    for x in _candidates(segments, edges):
        for river in (river for part in parts for river in _runs(part, x)):
            key = (river.left, river.right)
            found.setdefault(key, river)
    return sorted(found.values(), key=_strength, reverse=True)


def _strength(river: River) -> float:
    return river.overlap * (1 + min(river.width, 60) / 120)


def _by_row(segments: Sequence[Segment]) -> list[list[Segment]]:
    rows: dict[int, list[Segment]] = {}
    for segment in segments:
        rows.setdefault(segment.row, []).append(segment)
    return [rows[number] for number in sorted(rows)]


def _candidates(segments: Sequence[Segment], edges: Sequence[float]) -> list[float]:
    """Give the left edges that several segments share, and the right banks of white that crosses everything."""
    margin = min(s.left for s in segments)
    shared = Counter(round(s.left) for s in segments if s.left > margin + _NARROWEST)
    wanted = {float(x) for x, count in shared.items() if count >= _ALIGNED}
    wanted.update(edges)
    # The items under a heading may be indented, so that it shares its edge with nothing.
    wanted.update(s.left for row in _by_row(segments) for s in sorted(row, key=lambda s: s.left)[1:] if s.is_heading)
    wanted.update(_find_ragged(segments, margin))
    reach = 0.0
    for segment in sorted(segments, key=lambda s: s.left):
        if reach and segment.left - reach > _NARROWEST:
            wanted.add(segment.left)
        reach = max(reach, segment.right)
    return sorted(wanted)


def _find_ragged(segments: Sequence[Segment], margin: float) -> Iterator[float]:
    """Give where columns begin that are pushed to the right: at the left end of their longest line. Dates are no column."""
    sides: dict[int, list[Segment]] = {}
    for segment in segments:
        if segment.left > margin + _NARROWEST:
            sides.setdefault(round(segment.right), []).append(segment)
    for side in sides.values():
        dated = sum(bool(find_dates(s.text)) for s in side) if len(side) >= _FEWEST_RAGGED else len(side)
        if dated < _SOME * len(side):
            yield min(s.left for s in side)


def _find_centred(segments: Sequence[Segment]) -> set[Segment]:
    """Give the headings that are centred over the whole text. One that begins where another does is so by chance."""
    middle = (min(s.left for s in segments) + max(s.right for s in segments)) / 2
    headings = [s for s in segments if s.is_heading]
    edges = Counter(round(s.left) for s in headings)
    return {s for s in headings if edges[round(s.left)] == 1 and abs((s.left + s.right) / 2 - middle) < _CENTRED}


def _part(rows: list[list[Segment]], centred: set[Segment]) -> Iterator[list[list[Segment]]]:
    """Part rows at centred headings: no river runs around them."""
    part: list[list[Segment]] = []
    for row in rows:
        if len(row) == 1 and row[0] in centred:
            yield part
            part = []
        else:
            part.append(row)
    yield part


def _runs(rows: list[list[Segment]], x: float) -> Iterator[River]:
    left: list[Segment] = []
    right: list[Segment] = []
    for row in rows:
        if any(s.left < x - _SLACK and s.right > x - _find_bank(row, x) for s in row):
            yield from _river(x, left, right)
            left, right = [], []
            continue
        left += [s for s in row if s.left < x - _SLACK]
        right += [s for s in row if s.left >= x - _SLACK]
    yield from _river(x, left, right)


def _find_bank(row: list[Segment], x: float) -> float:
    """A label may come close to the text that begins behind it, if it is known to be a label."""
    return _SLACK if any(abs(s.left - x) < _SLACK for s in row) else _NARROWEST


def _river(x: float, left: list[Segment], right: list[Segment]) -> Iterator[River]:
    if (len({s.row for s in left}) >= _FEWEST_ROWS and len({s.row for s in right}) >= _FEWEST_ROWS) or (
        left and right and {s.row for s in left} & {s.row for s in right}
    ):
        river = River(x, tuple(left), tuple(right))
        if river.overlap > 0:
            yield river
