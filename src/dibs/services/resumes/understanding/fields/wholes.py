"""Commas inside names: "VP, People & Culture" is one title where other entries have a title without a comma there."""

from collections.abc import Callable, Sequence

from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.sections.rows import Piece

Place = tuple[int, int]
_SURE = 0.5
_ENOUGH = 2


def find_whole(heads: Sequence[Sequence[list[Piece]]], cut: Callable[[Piece], list[Piece]]) -> set[Place]:
    """Give the places where some entry has one name, and another name elsewhere: there, commas part nothing.

    Where a comma parts a place from a name in any entry, it does so in the others.
    """
    whole: set[Place] = set()
    parted: set[Place] = set()
    for lines in heads:
        full = [cuts for cuts in lines if cuts]
        enough = len(_names([piece for cuts in full for piece in cuts])) >= _ENOUGH
        for line, cuts in enumerate(full):
            for turn, pieces in enumerate(cut(piece) for piece in cuts):
                if len(pieces) == 1 and enough:
                    whole.add((line, turn))
                elif len(_names(pieces)) < len(pieces):
                    parted.add((line, turn))
    return whole - parted


def join_names(piece: Piece, cuts: list[Piece]) -> list[Piece]:
    """Put the names back together that a comma cut apart."""
    return [piece] if len(cuts) > 1 else cuts


def _names(cuts: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in cuts if judge_place(piece.text) < _SURE]
