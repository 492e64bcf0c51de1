"""Columns that go on over the page: the second page's sidebar follows the first one's."""

from typing import NamedTuple

from dibs.services.resumes.understanding.layout.regions import Frame, Leaf

_SLACK = 15.0


class Piece(NamedTuple):
    page: int
    leaf: Leaf


def join_pages(pages: list[list[Leaf]], widths: list[float]) -> list[Leaf]:
    """Put the leaves of all pages in order. A column continues only while nothing spans the page below it."""
    ordered: list[Piece] = []
    for number, (leaves, width) in enumerate(zip(pages, widths, strict=True)):
        last: Piece | None = None
        for leaf in leaves:
            spans = leaf.frame.right - leaf.frame.left >= width - 1
            nested = last is not None and not spans and _is_inside(last.leaf.frame, leaf.frame)
            at = ordered.index(last) + 1 if last and nested else _find_end(ordered, leaf.frame, width, number)
            last = Piece(number, leaf)
            ordered.insert(at, last)
    return [piece.leaf for piece in ordered]


def _find_end(ordered: list[Piece], frame: Frame, width: float, page: int) -> int:
    if frame.right - frame.left >= width - 1:
        return len(ordered)
    last = len(ordered)
    for index in range(len(ordered) - 1, -1, -1):
        piece = ordered[index]
        if _alike(piece.leaf.frame, frame):
            is_cut = piece.page == page and any(_spans(other, width) for other in ordered[index:])
            return index + 1 if piece.page >= page - 1 and not is_cut else last
        if piece.page == page:
            continue
        if _spans(piece, width):
            return last
    return last


def _is_inside(one: Frame, other: Frame) -> bool:
    """Columns inside a column, as of a list, are read before what stands below them in it."""
    within = other.left - _SLACK < one.left and one.right < other.right + _SLACK
    return within and not _alike(one, other)


def _spans(piece: Piece, width: float) -> bool:
    return piece.leaf.frame.right - piece.leaf.frame.left >= width - 1


def _alike(one: Frame, other: Frame) -> bool:
    return abs(one.left - other.left) < _SLACK and abs(one.right - other.right) < _SLACK
