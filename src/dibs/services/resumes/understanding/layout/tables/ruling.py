"""Lines that are drawn around the cells of a table."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from dibs.services.resumes.document import Page

_THIN = 3.0
_SHORTEST = 8.0
_NEAR = 2.5
_FEWEST_CUTS = 2


class Rule(NamedTuple):
    """A straight line: where it lies, and from where to where it goes."""

    at: float
    begin: float
    end: float


class Grid(NamedTuple):
    """A table's outer sides, the lines between its columns, and those above, between and below its rows."""

    left: float
    right: float
    cuts: tuple[float, ...]
    bands: tuple[float, ...]

    @property
    def top(self) -> float:
        return self.bands[0]

    @property
    def bottom(self) -> float:
        return self.bands[-1]


def find_grids(page: Page) -> list[Grid]:
    """Find rows of three cells and more that stand under each other, cut alike."""
    upright = _merge(_list_upright(page))
    if len(upright) < _FEWEST_CUTS:
        return []
    level = sorted([*_merge(_list_level(page)), *_close(upright)])
    rows = [grid for one, other in pairwise(_stack(level)) for grid in _find_row(one, other, upright)]
    return list(_join(rows))


def _list_upright(page: Page) -> Iterator[Rule]:
    for box in (shape.box for shape in page.shapes):
        width, height = box.right - box.left, box.bottom - box.top
        if height > _SHORTEST and width < _THIN:
            yield Rule((box.left + box.right) / 2, box.top, box.bottom)


def _list_level(page: Page) -> Iterator[Rule]:
    for box in (shape.box for shape in page.shapes):
        width, height = box.right - box.left, box.bottom - box.top
        if width > _SHORTEST and height < _THIN:
            yield Rule((box.top + box.bottom) / 2, box.left, box.right)


def _merge(rules: Iterable[Rule]) -> list[Rule]:
    """Put pieces of one line together: programs draw the sides of each cell by themselves."""
    merged: list[Rule] = []
    for rule in sorted(rules, key=lambda one: (round(one.at / _NEAR), one.begin)):
        last = merged[-1] if merged else None
        if last and abs(last.at - rule.at) < _NEAR and rule.begin < last.end + _NEAR:
            merged[-1] = Rule(last.at, last.begin, max(last.end, rule.end))
        else:
            merged.append(rule)
    return merged


def _close(upright: Sequence[Rule]) -> Iterator[Rule]:
    """Give the line that is missing where the end of a page cuts a row: it goes from the first of its sides to the last."""
    ends = sorted((end, rule.at) for rule in upright for end in (rule.begin, rule.end))
    for _, group in groupby(ends, key=lambda one: round(one[0] / _NEAR)):
        places = list(group)
        if len(places) > _FEWEST_CUTS:
            yield Rule(places[0][0], min(at for _, at in places), max(at for _, at in places))


def _stack(level: Sequence[Rule]) -> list[Rule]:
    """Leave out lines that lie upon each other."""
    kept: list[Rule] = []
    for rule in level:
        if kept and rule.at - kept[-1].at < _THIN:
            kept[-1] = max(kept[-1], rule, key=lambda one: one.end - one.begin)
        else:
            kept.append(rule)
    return kept


def _find_row(above: Rule, below: Rule, upright: Sequence[Rule]) -> Iterator[Grid]:
    left, right = max(above.begin, below.begin), min(above.end, below.end)
    if abs(above.begin - below.begin) > _NEAR or abs(above.end - below.end) > _NEAR:
        return
    cuts = tuple(
        rule.at
        for rule in upright
        if left + _SHORTEST < rule.at < right - _SHORTEST
        and rule.begin < above.at + _THIN
        and rule.end > below.at - _THIN
    )
    if len(cuts) >= _FEWEST_CUTS:
        yield Grid(left, right, tuple(sorted(cuts)), (above.at, below.at))


def _join(rows: Sequence[Grid]) -> Iterator[Grid]:
    last: Grid | None = None
    for row in rows:
        if last and _is_next(last, row):
            last = last._replace(bands=(*last.bands, row.bottom))
            continue
        if last:
            yield last
        last = row
    if last:
        yield last


def _is_next(last: Grid, row: Grid) -> bool:
    alike = len(last.cuts) == len(row.cuts) and abs(last.bottom - row.top) < _THIN
    return alike and all(abs(one - other) < _NEAR for one, other in zip(last.cuts, row.cuts, strict=True))
