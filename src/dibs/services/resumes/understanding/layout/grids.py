"""Sections over the whole width whose text stands in two columns: read section by section, not column by column."""

from collections.abc import Sequence

from dibs.services.resumes.understanding.layout.judging import is_level
from dibs.services.resumes.understanding.layout.rivers import River
from dibs.services.resumes.understanding.layout.segments import Segment

_FEWEST = 2
_MOST = 0.75


def cut_grid(pieces: Sequence[River]) -> list[list[Segment]]:
    """Give the sections of a river that its headings on the left cut, or nothing where they rule their side only.

    They rule both sides where the text on the right begins level with what they stand over, and has no heading itself.
    """
    both = [piece for piece in pieces if piece.left and piece.right]
    headed = [piece for piece in both if piece.left[0].is_heading]
    ruling = [piece for piece in headed if not any(s.is_heading for s in piece.right)]
    titles = sum(s.is_heading for piece in pieces for s in piece.left)
    if len(ruling) < _FEWEST or titles != sum(bool(piece.left) and piece.left[0].is_heading for piece in pieces):
        return []
    if sum(map(_is_even, headed)) < _MOST * len(both):
        return []
    return [sorted([*piece.left, *piece.right], key=lambda s: (s.row, s.left)) for piece in pieces]


def _is_even(piece: River) -> bool:
    """The right side begins on the row of the heading, or of the first line under it."""
    first = min(piece.right, key=lambda s: (s.row, s.left))
    return any(is_level(first, other) for other in piece.left[:2])
