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
CLIPPED = re.compile(
    r"rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)|inset\(\s*(50|[6-9]\d|100)%|circle\(\s*0"
)
SHRUNK = re.compile(r"scale[xy]?\(\s*0(\.0+)?\s*[,)]")
MOVED = re.compile(r"translate[xy3d]*\(\s*(-?[\d.]+(?:px|em|rem|%|vw)?)")


class Look(Struct, frozen=True):
    size: float = 16.0
    bold: bool = False
    italic: bool = False
    color: int | None = 0
    alpha: float = 1.0
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
        style.update(plain)
        style.update(strong)
    return style


def look_of(node: Any, style: Declarations, parent: Look) -> Look:
    """Give the look of an element inside another."""
    tag = node.tag
    size = (
        read_size(style["font-size"], parent=parent.size) if "font-size" in style else TAG_SIZES.get(tag, parent.size)
    )
    color, alpha = _color(node, style, parent)
    look = replace(
        parent,
        size=size,
        bold=_is_bold(tag, style, parent),
        italic=tag in ITALIC_TAGS or style.get("font-style") in {"italic", "oblique"} or parent.italic,
        color=color,
        alpha=alpha,
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
    text = style.get("color") or (node.attributes.get("color") or "" if node.tag == "font" else "")
    if not text or text in {"inherit", "currentcolor", "unset", "initial"}:
        return parent.color, parent.alpha
    color, alpha = read_color(text.lower())
    return color, alpha


def _ground(node: Any, style: Declarations, parent: Look) -> int | None:
    text = style.get("background-color") or style.get("background") or (node.attributes.get("bgcolor") or "")
    image = style.get("background-image", "none") != "none" or "url(" in text or "gradient(" in text
    if image:
        return None
    if not text or text.split()[0] in {"none", "transparent", "inherit", "initial", "unset"}:
        return parent.ground
    color, alpha = read_color(text.lower())
    if alpha == 0:
        return parent.ground
    return color if alpha > 0.9 else None  # noqa: PLR2004 - what shows through changes the colour


def _find_hiding(node: Any, style: Declarations, look: Look) -> Reason | None:
    """Say how an element is hidden together with everything in it."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Reason.CSS
    if "hidden" in node.attributes and "display" not in style:
        return Reason.CSS
    if _number(style.get("opacity", "1")) < 0.1 or "opacity(0" in style.get("filter", ""):  # noqa: PLR2004
        return Reason.TRANSPARENT
    if _is_far(style, look.size):
        return Reason.OFF_PAGE
    return Reason.CLIPPED if _is_clipped(style, look.size) else None


def _number(text: str) -> float:
    try:
        return float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return 1.0


def _is_far(style: Declarations, em: float) -> bool:
    if style.get("position") in {"absolute", "fixed", "relative"}:
        for side in ("left", "top", "right"):
            moved = read_length(style.get(side, ""), em=em)
            if moved is not None and (moved <= -FAR or (side != "top" and moved > 4 * FAR)):
                return True
    moves = [style.get("text-indent", ""), style.get("margin-left", ""), *MOVED.findall(style.get("transform", ""))]
    return any((length := read_length(text, em=em)) is not None and length <= -FAR for text in moves)


def _is_clipped(style: Declarations, em: float) -> bool:
    if CLIPPED.search(style.get("clip", "") + " " + style.get("clip-path", "")):
        return True
    if SHRUNK.search(style.get("transform", "")):
        return True
    if style.get("overflow", "").split(" ")[0] not in {"hidden", "clip"}:
        return False
    for side in ("width", "height", "max-height", "max-width"):
        length = read_length(style.get(side, ""), em=em)
        if length is not None and length <= 1:
            return True
    return False
