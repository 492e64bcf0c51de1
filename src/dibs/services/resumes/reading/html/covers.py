"""What fills an element from edge to edge without holding text, and so lies over or under its contents."""

from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.html.arrangement import NEVER
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.sheets import Rules
from dibs.services.resumes.reading.html.css.values import read_length
from dibs.services.resumes.reading.html.hiding import find_height, is_cutting
from dibs.services.resumes.reading.html.looks import Look, Veil, fill_of, find_level, is_placed, is_raised

MOST_COVERS = 200
_BENT = ("transform", "clip-path", "mask-image", "mix-blend-mode")
_ENDS = {"before": -1.0, "after": inf}


class Cover(Struct, frozen=True):
    level: int
    order: float
    """Where it stands among its neighbours."""
    color: int | None
    """None for a picture."""
    is_sure: bool
    """Text that stands before it stands on it, too: the element that it fills has the height of its contents."""


def find_covers(node: Any, rules: Rules) -> list[Cover]:
    """Give what fills an element, the lowest first."""
    found = list(islice(_covers(node, rules), MOST_COVERS + 1))
    if len(found) > MOST_COVERS:
        raise refuse(Refusal.UNSAFE, what="an element with hundreds of covers")
    return sorted(found, key=lambda cover: (cover.level, cover.order))


def _covers(node: Any, rules: Rules) -> Iterator[Cover]:
    around = rules.find(node)
    for order, part in enumerate(node.iter(include_text=True)):
        if part.tag != "-text" and part.tag not in NEVER and part.first_child is None:
            yield from _cover(part, rules.find(part), order, around, node.tag)
    for name, style in rules.find_drawn(node).items():
        yield from _cover(node, style, _ENDS[name], around, node.tag)


def _cover(node: Any, style: Declarations, order: float, around: Declarations, tag: str) -> Iterator[Cover]:
    """Give an element as a cover, if it is one: placed from edge to edge, and neither bent nor cut."""
    if not is_placed(style) or any(style.get(name, "none") not in {"none", "normal", ""} for name in _BENT):
        return
    if not all(_is_full(style, *sides) for sides in (("left", "right", "width"), ("top", "bottom", "height"))):
        return
    held = style.get("position") == "fixed" or tag == "body" or around.get("position", "static") != "static"
    whole = find_height(around, 16.0) == inf or is_cutting(around)
    for color in fill_of(node, style):
        yield Cover(find_level(style), order, color, held and whole)


def _is_full(style: Declarations, begin: str, end: str, length: str) -> bool:
    zeros = [read_length(style.get(side, "")) == 0 for side in (begin, end)]
    return all(zeros) or (any(zeros) and style.get(length) in {"100%", "100vw", "100vh"})


def see_through(look: Look, covers: list[Cover], style: Declarations, order: int) -> Look:
    """Give the look around a part of an element that has covers: they are its ground, or it may be under them."""
    level = find_level(style) if is_raised(style) else None
    for cover in covers:
        is_below = cover.level < 0 if level is None else (cover.level, cover.order) < (level, order)
        shows = cover.is_sure and not (cover.level < 0 and look.backed)
        if is_below and shows:
            look = replace(look, ground=cover.color, based=True)
        elif not is_below and cover.level >= 0 and cover.color is not None:
            needed = cover.level + (order < cover.order)
            look = replace(look, veil=Veil(needed, cover.color if shows else look.ground))
    return look
