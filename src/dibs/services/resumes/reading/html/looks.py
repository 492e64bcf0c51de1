"""How an element looks: what it inherits, what its style changes, and whether a person would see it."""

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.reading.html.sheets import Declarations, split_declarations
from dibs.services.resumes.reading.html.values import read_color, read_length, read_size
from dibs.services.resumes.reading.screening.seeing import LEAST_SIZE, WHITE, Reason, is_same_color

BOLD_TAGS = frozenset({"b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6", "dt"})
ITALIC_TAGS = frozenset({"i", "em", "cite", "var"})
TAG_SIZES = {"h1": 32.0, "h2": 24.0, "h3": 18.7, "h5": 13.3, "h6": 10.7, "small": 13.3, "sub": 12.0, "sup": 12.0}
FAR = 900.0
BOLD_WEIGHT = 600
WIDE = 1.5 * 1280.0
DEEP = 30_000.0
CLIPPED = re.compile(
    r"rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)|inset\(\s*(50|[6-9]\d|100)%|circle\(\s*0"
    r"|inset\([^)]*\b100%|polygon\((?:\s*0(?:px|%)?[\s,]*)+\)|ellipse\(\s*0"
)
SCALES = re.compile(r"(scale|matrix)(?:3d|[xy])?\(([^)]*)\)")
LEAST_SCALE = 0.2
EDGEWISE = re.compile(r"rotate[xy]\(\s*-?(?:90|270)deg")
MOVES = re.compile(r"translate(?:[xyz]|3d)?\(([^)]*)\)")
FADED = re.compile(r"opacity\(\s*([\d.]+%?)\s*\)")
COLORS = re.compile(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\)|[a-z]+")
LEAST_OPACITY = 0.1
OPAQUE = 0.9
INDENTED = 700.0
HEX = re.compile(r"[0-9a-fA-F]{6}")
MOST_OVERLAP = 0.35


class Look(Struct, frozen=True):
    size: float = 16.0
    bold: bool = False
    italic: bool = False
    color: int | None = 0
    alpha: float = 1.0
    opacity: float = 1.0
    """What is left of the ink after all that fades the elements around."""
    ground: int | None = WHITE
    """The colour behind; None where it cannot be told."""
    link: str | None = None
    hidden: Reason | None = None
    """An ancestor hides it, and no child can undo that."""
    unseen: bool = False
    """`visibility: hidden`, which a child may undo."""


def find_style(node: Any, rules: dict[int, Declarations]) -> Declarations:
    """Give the declarations of an element: those of the sheets, and its own."""
    style = dict(rules.get(node.mem_id, {}))
    own = node.attributes.get("style")
    if own:
        plain, strong = split_declarations(own)
        # Those with variables were filled in together with the sheets.
        style.update({name: text for name, text in (plain | strong).items() if "var(" not in text})
    return style


def look_of(node: Any, style: Declarations, parent: Look) -> Look:
    """Give the look of an element inside another."""
    tag = node.tag
    size = (
        read_size(style["font-size"], parent=parent.size) if "font-size" in style else TAG_SIZES.get(tag, parent.size)
    )
    size *= max(_number(style.get("zoom", "1")), 0.0)
    color, alpha = _color(node, style, parent)
    look = replace(
        parent,
        size=size,
        bold=_is_bold(tag, style, parent),
        italic=tag in ITALIC_TAGS or style.get("font-style") in {"italic", "oblique"} or parent.italic,
        color=color,
        alpha=alpha,
        opacity=parent.opacity * _opacity(style),
        ground=_ground(node, style, parent),
        link=(node.attributes.get("href") or parent.link) if tag == "a" else parent.link,
        unseen=style["visibility"] != "visible" if "visibility" in style else parent.unseen,
    )
    return look if look.hidden else replace(look, hidden=_find_hiding(node, style, look))


def reason_of(look: Look) -> Reason | None:
    """Say why a person would not see text of this look; None: it can be seen."""
    if look.hidden:
        return look.hidden
    if look.unseen:
        return Reason.CSS
    if look.size * 0.75 < LEAST_SIZE:
        return Reason.TINY
    if look.alpha < 0.1:  # noqa: PLR2004 - a tenth of the ink
        return Reason.TRANSPARENT
    known = look.color is not None and look.ground is not None
    return Reason.SAME_COLOR if known and is_same_color(look.color or 0, look.ground or 0) else None


def _is_bold(tag: str, style: Declarations, parent: Look) -> bool:
    weight = style.get("font-weight", "")
    if weight:
        return weight in {"bold", "bolder"} or (weight.isdigit() and int(weight) >= BOLD_WEIGHT)
    return tag in BOLD_TAGS or parent.bold


def _color(node: Any, style: Declarations, parent: Look) -> tuple[int | None, float]:
    text = style.get("-webkit-text-fill-color") or style.get("color") or _old_color(node)
    if not text or text in {"inherit", "currentcolor", "unset", "initial"}:
        return parent.color, parent.alpha
    color, alpha = read_color(text.lower())
    return color, alpha


def _old_color(node: Any) -> str:
    name = {"font": "color", "body": "text"}.get(node.tag)
    text = (node.attributes.get(name) or "") if name else ""
    return f"#{text}" if HEX.fullmatch(text) else text


def _opacity(style: Declarations) -> float:
    faded = FADED.search(style.get("filter", ""))
    return max(_number(style.get("opacity", "1")), 0.0) * (_number(faded[1]) if faded else 1.0)


def _ground(node: Any, style: Declarations, parent: Look) -> int | None:
    text = style.get("background-color") or style.get("background") or (node.attributes.get("bgcolor") or "")
    image = style.get("background-image", "none") != "none" or "url(" in text or "gradient(" in text
    if image:
        return _one_color(text if "gradient(" in text else style.get("background-image", ""))
    if not text or text.split()[0] in {"none", "transparent", "inherit", "initial", "unset"}:
        return parent.ground
    color, alpha = read_color(text.lower())
    if alpha == 0:
        return parent.ground
    return color if alpha > 0.9 else None  # noqa: PLR2004 - what shows through changes the colour


def _one_color(text: str) -> int | None:
    """Give the colour of a gradient that only pretends to be one; None for pictures and real ones."""
    if "url(" in text:
        return None
    found = [color for word in COLORS.findall(text) if (color := read_color(word)[0]) is not None]
    return found[0] if found and all(is_same_color(color, found[0]) for color in found) else None


def _find_hiding(node: Any, style: Declarations, look: Look) -> Reason | None:
    """Say how an element is hidden together with everything in it."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Reason.CSS
    if "hidden" in node.attributes and "display" not in style:
        return Reason.CSS
    if look.opacity < LEAST_OPACITY or _is_masked(style.get("mask-image", "")):
        return Reason.TRANSPARENT
    if _is_far(style, look.size):
        return Reason.OFF_PAGE
    return Reason.CLIPPED if _is_clipped(style, look.size) else None


def _is_masked(mask: str) -> bool:
    """Tell whether a mask lets nothing through: a gradient of nothing but clear ink."""
    found = [
        read_color(word) for word in COLORS.findall(mask) if word == "transparent" or read_color(word)[0] is not None
    ]
    return bool(found) and all(alpha < LEAST_OPACITY for _, alpha in found)


def _number(text: str) -> float:
    try:
        return float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return 1.0


def is_placed(style: Declarations) -> bool:
    """Tell whether an element is taken out of the flow and drawn over it."""
    return style.get("position") in {"absolute", "fixed"}


def is_cover(node: Any, style: Declarations) -> bool:
    """Tell whether an element lies over all that is beside it, and lets nothing through."""
    if not is_placed(style) or style.get("z-index", "").startswith("-"):
        return False
    look = look_of(node, style, Look(ground=None))
    lies = all(_is_full(style, *sides) for sides in (("left", "right", "width"), ("top", "bottom", "height")))
    return lies and look.ground is not None and look.hidden is None and not look.unseen and look.opacity > OPAQUE


def _is_full(style: Declarations, begin: str, end: str, length: str) -> bool:
    zeros = [read_length(style.get(side, "")) == 0 for side in (begin, end)]
    return all(zeros) or (any(zeros) and style.get(length) in {"100%", "100vw", "100vh"})


def _is_far(style: Declarations, em: float) -> bool:
    if style.get("position") in {"absolute", "fixed", "relative"}:
        for side in ("left", "top", "right", "bottom"):
            moved = read_length(style.get(side, ""), em=em)
            most = WIDE if side in {"left", "right"} else DEEP
            if moved is not None and (moved <= -FAR or moved > most):
                return True
    moves = [style.get(name, "") for name in ("text-indent", "margin-left", "margin-top")]
    moves += [part for inside in MOVES.findall(style.get("transform", "")) for part in re.split(r"[,\s]+", inside)]
    lengths = [length for text in moves if (length := read_length(text, em=em)) is not None]
    return any(length <= -FAR or length > DEEP for length in lengths)


def _is_clipped(style: Declarations, em: float) -> bool:
    if CLIPPED.search(style.get("clip", "") + " " + style.get("clip-path", "")):
        return True
    transform = style.get("transform", "")
    if EDGEWISE.search(transform) or any(_is_shrunk(name, inside) for name, inside in SCALES.findall(transform)):
        return True
    spacing = read_length(style.get("letter-spacing", ""), em=em)
    if spacing is not None and spacing < -MOST_OVERLAP * em:
        return True
    if style.get("overflow", "").split(" ")[0] not in {"hidden", "clip", "auto", "scroll"}:
        return False
    sides = ("width", "height", "max-height", "max-width")
    lengths = [read_length(style.get(side, ""), em=em) for side in sides]
    indent = read_length(style.get("text-indent", "")) or 0.0
    # A line height without a unit is a multiple of the size of the letters.
    line = read_length(style.get("line-height", ""), em=em)
    flat = line is not None and line < 0.1  # noqa: PLR2004
    return flat or indent >= INDENTED or any(length is not None and length <= 1 for length in lengths)


def _is_shrunk(name: str, inside: str) -> bool:
    numbers = [abs(_number(part)) for part in re.split(r"[,\s]+", inside.strip())]
    if name == "matrix" and len(numbers) == len("abcdef"):
        numbers = [numbers[0] + numbers[1], numbers[2] + numbers[3]]
    elif name == "matrix":
        return False
    return min(numbers) < LEAST_SCALE
