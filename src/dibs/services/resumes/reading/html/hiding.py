"""How a style hides an element together with everything in it: by its place, by its edges, by how it is turned."""

import re
from math import cos, inf, pi, tan
from typing import Any

from dibs.services.resumes.reading.html.css.colors import read_color
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.values import read_length, read_number
from dibs.services.resumes.reading.screening.seeing import Reason

FAR = 900.0
FIXED_FAR = 300.0
WIDE = 1.5 * 1280.0
DEEP = 30_000.0
CLIPPED = re.compile(
    r"rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)|inset\(\s*(50|[6-9]\d|100)%|circle\(\s*0"
    r"|inset\([^)]*\b100%|polygon\((?:\s*0(?:px|%)?[\s,]*)+\)|ellipse\(\s*0"
    r"|xywh\(\s*\S+\s+\S+\s+(?:0(?:px|%)?\s|\S+\s+0(?:px|%)?[\s)])"
)
PATH = re.compile(r"path\(([^)]*)\)")
SCALES = re.compile(r"(scale|matrix)(?:3d|[xy])?\(([^)]*)\)")
LEAST_SCALE = 0.2
TURNS = re.compile(r"(rotate|skew)([xy]|3d)?\(([^)]*)\)")
ANGLE = re.compile(r"(-?\d*\.?\d+)(deg|turn|rad|grad)")
IN_FULL = {"deg": 360.0, "turn": 1.0, "rad": 2 * pi, "grad": 400.0}
EDGEWISE, SLANTED = 0.15, 5.0
MOVES = re.compile(r"translate(?:[xyz]|3d)?\(([^)]*)\)")
COLORS = re.compile(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\)|[a-z]+")
BLURRED = re.compile(r"blur\(([^)]*)\)")
LEAST_OPACITY = 0.1
INDENTED = 700.0
MOST_OVERLAP = 0.35
CUTTING = frozenset({"hidden", "clip", "auto", "scroll"})
NO_AREA = 5.0


def find_hiding(node: Any, style: Declarations, *, size: float, opacity: float) -> Reason | None:
    """Say how an element is hidden together with everything in it; None: it is not."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Reason.CSS
    if "display" not in style and ("hidden" in node.attributes or "popover" in node.attributes):
        return Reason.CSS
    if "url(" in style.get("content", ""):
        return Reason.CSS
    if opacity < LEAST_OPACITY or _is_masked(style) or _is_blurred(style, size):
        return Reason.TRANSPARENT
    if _is_far(style, size):
        return Reason.OFF_PAGE
    return Reason.CLIPPED if _is_clipped(style, size) or _is_turned_away(style) else None


def is_cutting(style: Declarations) -> bool:
    """Tell whether an element cuts off what is larger than itself, with no way to see the rest."""
    contained = re.search(r"\b(?:paint|strict|content)\b", style.get("contain", ""))
    return bool(contained) or style.get("overflow", "").split(" ")[0] in {"hidden", "clip"}


def _is_masked(style: Declarations) -> bool:
    """Tell whether a mask lets nothing through: a gradient of nothing but clear ink, or a mask without size."""
    mask = style.get("mask-image", "")
    if mask not in {"", "none"} and re.match(r"\s*0(?:px|%)?(?:\s|$)", style.get("mask-size", "")):
        return True
    found = [
        read_color(word) for word in COLORS.findall(mask) if word == "transparent" or read_color(word)[0] is not None
    ]
    return bool(found) and all(alpha < LEAST_OPACITY for _, alpha in found)


def _is_blurred(style: Declarations, size: float) -> bool:
    radius = BLURRED.search(style.get("filter", ""))
    return radius is not None and (read_length(radius[1], em=size) or 0.0) > size / 2


def _is_far(style: Declarations, em: float) -> bool:
    if style.get("position") in {"absolute", "fixed", "relative", "sticky"}:
        for side in ("left", "top", "right", "bottom"):
            moved = read_length(style.get(side, ""), em=em)
            least, most = (FAR, WIDE) if side in {"left", "right"} else (_reach(style), DEEP)
            if moved is not None and (moved <= -least or moved > most):
                return True
    moves = [style.get(name, "") for name in ("text-indent", "margin-left", "margin-top")]
    moves += [part for inside in MOVES.findall(style.get("transform", "")) for part in re.split(r"[,\s]+", inside)]
    lengths = [length for text in moves if (length := read_length(text, em=em)) is not None]
    return any(length <= -FAR or length > DEEP for length in lengths)


def _reach(style: Declarations) -> float:
    """Give how far above the page nothing is seen: what is fixed is never moved into it again."""
    return FIXED_FAR if style.get("position") == "fixed" else FAR


def _is_clipped(style: Declarations, em: float) -> bool:
    path = style.get("clip-path", "")
    if CLIPPED.search(style.get("clip", "") + " " + path) or any(_has_no_area(inside) for inside in PATH.findall(path)):
        return True
    spacing = read_length(style.get("letter-spacing", ""), em=em)
    if spacing is not None and spacing < -MOST_OVERLAP * em:
        return True
    if not is_cutting(style) and style.get("overflow", "").split(" ")[0] not in CUTTING:
        return False
    sides = ("width", "height", "max-height", "max-width")
    lengths = [read_length(style.get(side, ""), em=em) for side in sides]
    if re.search(r"\b(?:size|strict)\b", style.get("contain", "")) and "height" not in style:
        lengths.append(0.0)
    return _hides_line(style, em) or any(length is not None and length <= 1 for length in lengths)


def _hides_line(style: Declarations, em: float) -> bool:
    """Tell whether the first line of a box that cuts stands outside of it."""
    indent = read_length(style.get("text-indent", ""), em=em) or 0.0
    width = read_length(style.get("width", ""), em=em) or inf
    # A line height without a unit is a multiple of the size of the letters.
    line = read_length(style.get("line-height", ""), em=em)
    height = find_height(style, em)
    flat = line is not None and (line < 0.1 or (line - em) / 2 > height)  # noqa: PLR2004
    return flat or indent >= min(INDENTED, width)


def find_height(style: Declarations, em: float) -> float:
    """Give the most that an element's own height can be."""
    lengths = [read_length(style.get(side, ""), em=em) for side in ("height", "max-height")]
    # A share of a height that is not known is no height.
    told = [
        length
        for side, length in zip(("height", "max-height"), lengths, strict=True)
        if length is not None and not style[side].endswith("%")
    ]
    return min(told, default=inf)


def _has_no_area(path: str) -> bool:
    return all(abs(float(number)) < NO_AREA for number in re.findall(r"\d+(?:\.\d+)?", path))


def _is_turned_away(style: Declarations) -> bool:
    transform = style.get("transform", "")
    if any(_is_shrunk(name, inside) for name, inside in SCALES.findall(transform)):
        return True
    from_behind = style.get("backface-visibility") == "hidden"
    return any(_is_edgewise(*found, from_behind=from_behind) for found in TURNS.findall(transform))


def _is_edgewise(name: str, axis: str, inside: str, *, from_behind: bool) -> bool:
    told = ANGLE.search(inside)
    angle = float(told[1]) / IN_FULL[told[2]] * 2 * pi if told else 0.0
    if name == "skew":
        return abs(tan(angle)) > SLANTED
    about_depth = axis == "3d" and not re.match(r"[^,]*,[^,]*,\s*-?0?\.?0*\s*,", inside)
    by_word = not axis and re.search(r"\b[xy]\b", inside)
    if about_depth or (not axis and not by_word):
        return False
    return abs(cos(angle)) < EDGEWISE or (from_behind and cos(angle) < 0)


def _is_shrunk(name: str, inside: str) -> bool:
    numbers = [abs(number) for part in re.split(r"[,\s]+", inside.strip()) if (number := read_number(part)) is not None]
    if name == "matrix" and len(numbers) == len("abcdef"):
        numbers = [numbers[0] + numbers[1], numbers[2] + numbers[3]]
    elif name == "matrix":
        return False
    return min(numbers, default=1.0) < LEAST_SCALE
