"""A page cut along its rivers, again and again, until only single columns are left, in reading order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from dibs.services.resumes.understanding.layout.grids import cut_grid
from dibs.services.resumes.understanding.layout.judging import (
    Verdict,
    are_dated,
    are_headings,
    group,
    group_labels,
    has_items,
    is_headed,
    is_level,
    judge,
)
from dibs.services.resumes.understanding.layout.rails import Band, cut_bands
from dibs.services.resumes.understanding.layout.rivers import River, find_rivers
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.layout.tables.cells import join_cells
from dibs.services.resumes.understanding.layout.tables.dated import Dated, find_dated, list_cells
from dibs.services.resumes.understanding.layout.tables.notes import find_noted, part_notes
from dibs.services.resumes.understanding.normal.dates import is_bare_range, is_finish, is_unfinished
from dibs.services.resumes.understanding.normal.levels import is_rating

Read = Callable[[list[Segment]], Iterator["Leaf"]]
_DEEPEST = 8
_LOOKED_AT = 12
_FEWEST_LABELS = 2
_BESIDE = 0.3


class Frame(NamedTuple):
    """From where to where a column goes."""

    left: float
    right: float


class Leaf(NamedTuple):
    """A single column, or a piece of one. `label`: it is the name of what follows."""

    segments: list[Segment]
    frame: Frame
    is_label: bool = False


def read_region(segments: list[Segment], frame: Frame, edges: Sequence[float] = (), depth: int = 0) -> Iterator[Leaf]:
    """Give the leaves of a region in reading order."""
    if not segments:
        return
    river, verdict = _choose(segments, edges) if depth < _DEEPEST else (None, Verdict.JOIN)
    if depth < _DEEPEST and (dated := _find_dated(segments, river, verdict)) is not None:
        yield from _read_dated(segments, dated, frame, lambda part: read_region(part, frame, edges, depth + 1))
        return
    if river is None:
        yield Leaf(segments, frame)
        return
    river = _leave_titles(river) if verdict is Verdict.COLUMNS else river
    above, below = _parts(segments, river)
    yield from read_region(above, frame, edges, depth + 1)
    if verdict is Verdict.COLUMNS and (sections := cut_grid(_cut_at_headings(river))):
        for section in sections:
            yield from read_region(section, frame, edges, depth + 1)
    elif verdict is Verdict.COLUMNS:
        yield from read_region(list(river.left), Frame(frame.left, river.x), edges, depth + 1)
        yield from read_region(list(river.right), Frame(river.x, frame.right), edges, depth + 1)
    else:
        yield from _read_rows(river, frame, edges, depth)
    yield from read_region(below, frame, edges, depth + 1)


def _find_dated(segments: list[Segment], river: River | None, verdict: Verdict) -> Dated | None:
    """Find a table whose dates stand last, unless it stands in one of two columns."""
    dated = find_dated(segments)
    if dated is None or river is None or verdict is not Verdict.COLUMNS:
        return dated
    inside = {s for entry in dated.entries for cell in entry for s in cell}
    return dated if inside.issuperset((*river.left, *river.right)) else None


def _read_dated(segments: list[Segment], dated: Dated, frame: Frame, read: Read) -> Iterator[Leaf]:
    """Read the rows of a table whose dates stand last: the dates first, then cell by cell."""
    inside = {s for entry in dated.entries for cell in entry for s in cell}
    others = [s for s in segments if s not in inside]
    yield from read([s for s in others if s.bottom <= dated.top + 2])
    for entry in list_cells(dated):
        yield Leaf(entry.dates, frame, is_label=True)
        yield Leaf(entry.name, frame, is_label=True)
        yield from read(entry.text + entry.below)
    yield from read([s for s in others if s.bottom > dated.top + 2])


def _choose(segments: list[Segment], edges: Sequence[float]) -> tuple[River | None, Verdict]:
    rivers = find_rivers(segments, edges)[:_LOOKED_AT]
    for river in rivers:
        verdict = judge(river)
        if verdict in (Verdict.COLUMNS, Verdict.ROWS) and (rail := find_noted(river, rivers)) is not None:
            return _end_rail(rail), Verdict.ROWS
        if verdict is not Verdict.ROWS and (rail := _find_ended(river)) is not None:
            return rail, Verdict.ROWS
        if verdict is not Verdict.ROWS and (rail := _below_heading(river)) is not None:
            return _end_rail(rail), Verdict.ROWS
        if verdict in (Verdict.JOIN, Verdict.OPEN) and (rail := _under_heading(river)) is not None:
            return rail, Verdict.ROWS
        if (outer := _find_outer(river, rivers, verdict)) is not None:
            return outer, Verdict.COLUMNS
        if verdict in (Verdict.COLUMNS, Verdict.OPEN) and (rail := _from_heading(river)) is not None:
            return rail, Verdict.ROWS
        if verdict is Verdict.COLUMNS and (trimmed := _trim(_find_longer(river, rivers))) is not None:
            return _from_level(trimmed), verdict
        if verdict is Verdict.ROWS:
            return _end_rail(river), verdict
    return None, Verdict.JOIN


def _find_outer(river: River, rivers: Sequence[River], verdict: Verdict) -> River | None:
    """Find the river of columns of which one holds what this river parts."""
    if verdict not in (Verdict.COLUMNS, Verdict.ROWS):
        return None
    outer = _find_behind(river, rivers)
    return outer if outer is not None or verdict is Verdict.COLUMNS else _find_before(river, rivers)


def _find_behind(river: River, rivers: Sequence[River]) -> River | None:
    """Labels and levels belong to the text next to them, not to the column behind that, which has headings."""
    for outer in rivers:
        beside = (
            outer.x > river.x and outer.overlap >= _BESIDE * river.overlap and any(s.is_heading for s in outer.right)
        )
        inner = River(river.x, river.left, tuple(s for s in river.right if s in outer.left))
        if beside and inner.right and _hangs(inner) and judge(outer) is Verdict.COLUMNS:
            return _trim(outer)
    return None


def _find_before(river: River, rivers: Sequence[River]) -> River | None:
    """A column with headings before the labels of a text is none of them."""
    for outer in rivers:
        labels = tuple(s for s in river.left if s in outer.right)
        beside = outer.x < river.x and outer.overlap >= _BESIDE * river.overlap and len(labels) < len(river.left)
        if not beside or not labels or not any(s.is_heading for s in outer.left):
            continue
        inner = River(river.x, labels, tuple(s for s in river.right if s in outer.right))
        rail = inner.right and inner.overlap > 0 and (judge(inner) is Verdict.ROWS or _below_heading(inner) is not None)
        if rail and judge(outer) is Verdict.COLUMNS:
            return _trim(outer)
    return None


def _hangs(river: River) -> bool:
    """Labels stand before their text, levels behind the skills that they rate, and dates behind their entries."""
    return judge(river) is not Verdict.COLUMNS or all(is_rating(s.text) for s in river.right)


def _find_longer(river: River, rivers: Sequence[River]) -> River:
    """The same white may run on, narrower, beside lines that are longer than the others."""
    left, right = set(river.left), set(river.right)
    longer = [
        one for one in rivers if left <= set(one.left) and right <= set(one.right) and judge(one) is Verdict.COLUMNS
    ]
    # A column may go on below the end of the other: it does not begin anew where a heading rules the second.
    counted = river.right[0].is_heading
    return max(longer, key=lambda one: (one.overlap, counted * len(one.left)), default=river)


def _end_rail(river: River) -> River:
    """A heading below all of the text is no label of it: what it rules comes below."""
    bottom = max(s.bottom for s in river.right)
    ends = [s.row for s in river.left if s.is_heading and s.top > bottom]
    if not ends or min(ends) <= min(s.row for s in river.left):
        return river
    return River(river.x, tuple(s for s in river.left if s.row < min(ends)), river.right)


def _find_ended(river: River) -> River | None:
    """A rail ends where headings stand side by side, over columns, or where one stands below all of its text."""
    beside = [s.row for s in river.left if s.is_heading and any(o.is_heading and is_level(s, o) for o in river.right)]
    ended = _above(river, min(beside)) if beside else _end_rail(river)
    if ended is river or not ended.left or not ended.right or ended.overlap <= 0:
        return None
    if not are_dated(group_labels(ended.left, ended.right)) or any(s.is_heading for s in ended.right):
        return None
    return ended if judge(ended) is Verdict.ROWS else _below_heading(ended)


def _above(river: River, row: int) -> River:
    sides = (tuple(s for s in side if s.row < row) for side in (river.left, river.right))
    return River(river.x, *sides)


def _from_heading(river: River) -> River | None:
    """Labels may begin below something else in their margin: a rail is judged from its first heading on."""
    rows = sorted({s.row for s in river.left if s.is_heading})
    if len(rows) < _FEWEST_LABELS or rows[0] == min(s.row for s in river.left):
        return None
    sides = (tuple(s for s in side if s.row >= rows[0]) for side in (river.left, river.right))
    rail = River(river.x, *sides)
    return rail if rail.right and are_headings(rail.left) and judge(rail) is Verdict.ROWS else None


def _below_heading(river: River) -> River | None:
    """A heading over a table is no label of it: the rail is judged from the first line of its text on."""
    top = min(s.top for s in river.right)
    lead = [s for s in river.left if s.bottom <= top]
    if not any(s.is_heading for s in lead) or len(lead) == len(river.left):
        return None
    rail = River(river.x, tuple(s for s in river.left if s not in lead), river.right)
    return rail if rail.overlap > 0 and judge(rail) is Verdict.ROWS else None


def _under_heading(river: River) -> River | None:
    """One section of several may be a table: its names and dates on the left, list items on the right."""
    pieces = [_without_heading(piece) for piece in _cut_at_headings(river)]
    rails = [
        piece
        for piece in pieces
        if piece.left and piece.right and piece.overlap > 0 and has_items(piece.right) and judge(piece) is Verdict.ROWS
    ]
    return max(rails, key=lambda piece: piece.overlap, default=None)


def _trim(river: River) -> River | None:
    """Leave out sections of one column above or below the columns, whose dates only seem to stand in the second."""
    pieces = _cut_at_headings(river)
    if len(pieces) > 1 and not any(s.is_heading for s in river.right):
        return _best([_without_heading(piece) for piece in pieces])
    verdicts = [judge(piece) if piece.left and piece.right else Verdict.OPEN for piece in pieces]
    if Verdict.JOIN not in verdicts:
        return river
    runs = [
        list(run) for joined, run in groupby(range(len(pieces)), lambda i: verdicts[i] is Verdict.JOIN) if not joined
    ]
    return _best([_merge([pieces[i] for i in run]) for run in runs])


def _from_level(river: River) -> River:
    """Columns begin with the headings that stand side by side: what stands above those ends what came before."""
    first = min(river.right, key=lambda s: (s.row, s.left))
    level = [s.row for s in river.left if s.is_heading and is_level(s, first)]
    if not first.is_heading or not level:
        return river
    top = min(first.row, *level)
    return River(river.x, tuple(s for s in river.left if s.row >= top), river.right)


def _leave_titles(river: River) -> River:
    """A heading with nothing under it, below both columns, rules what comes below them."""
    last = max((*river.left, *river.right), key=lambda s: s.row)
    others = [s for s in (*river.left, *river.right) if s is not last]
    if not last.is_heading or any(s.bottom > last.top for s in others):
        return river
    sides = (tuple(s for s in side if s is not last) for side in (river.left, river.right))
    left, right = sides
    return River(river.x, left, right) if left and right else river


def _best(pieces: list[River]) -> River | None:
    good = [piece for piece in pieces if piece.left and piece.right and judge(piece) is Verdict.COLUMNS]
    return max(good, key=lambda piece: piece.overlap, default=None)


def _without_heading(piece: River) -> River:
    """The heading on the left stands over both columns when the right one has none."""
    rows = {s.row for s in piece.left if s.is_heading}
    below = max(rows, default=-1)
    return River(piece.x, tuple(s for s in piece.left if s.row > below), tuple(s for s in piece.right if s.row > below))


def _cut_at_headings(river: River) -> list[River]:
    """Cut where a heading stands on the left and no text runs past it on the right."""
    blocks = [(min(s.row for s in part), max(s.row for s in part)) for part in group(river.right)]
    rows = sorted({s.row for s in river.left if s.is_heading})
    cuts = [row for row in rows if not any(first < row <= last for first, last in blocks)]
    pieces = []
    for first, end in pairwise([-1, *cuts, 1 << 30]):
        sides = (tuple(s for s in side if first <= s.row < end) for side in (river.left, river.right))
        pieces.append(River(river.x, *sides))
    return pieces


def _merge(pieces: list[River]) -> River:
    left = tuple(s for piece in pieces for s in piece.left)
    return River(pieces[0].x, left, tuple(s for piece in pieces for s in piece.right))


def _parts(segments: list[Segment], river: River) -> tuple[list[Segment], list[Segment]]:
    inside = {*river.left, *river.right}
    first = min(s.row for s in inside)
    others = [s for s in segments if s not in inside]
    return [s for s in others if s.row < first], [s for s in others if s.row >= first]


def _part_dates(label: list[Segment]) -> list[list[Segment]]:
    """Dates may have a cell of their own, before that of a name which takes several lines."""
    dates = [s for s in label if is_bare_range(s.text) or is_unfinished(s.text) or is_finish(s.text)]
    names = [s for s in label if s not in dates]
    beside = dates and names and max(s.right for s in dates) < min(s.left for s in names)
    return [dates, names] if beside else [label]


def _read_rows(river: River, frame: Frame, edges: Sequence[float], depth: int) -> Iterator[Leaf]:
    bands = list(part_notes(_join_labels(list(cut_bands(river.left, river.right)))))
    for band in bands:
        for label in band.labels:
            for cell in _part_dates(label):
                yield Leaf(cell, frame, is_label=True)
        if band.note:
            yield Leaf(band.note, frame, is_label=True)
        inner = frame if band.labels else Frame(river.x, frame.right)
        yield from read_region(band.text, inner, edges, depth + 1)


def _join_labels(bands: list[Band]) -> list[Band]:
    """Put names together that their margin broke. Headings are put together later."""
    labels = [label for band in bands for label in band.labels if not is_headed(label)]
    joined = iter(join_cells(labels))
    return [
        band._replace(labels=[label if is_headed(label) else next(joined) for label in band.labels]) for band in bands
    ]
