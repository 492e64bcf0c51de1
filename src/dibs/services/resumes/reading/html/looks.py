"""How an element looks: what it inherits, what its style changes, and whether a person would see it."""

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.reading.html.css.colors import read_color
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.mixing import blend, filter_color
from dibs.services.resumes.reading.html.css.values import read_length, read_number, read_size
from dibs.services.resumes.reading.html.hiding import COLORS, find_hiding
from dibs.services.resumes.reading.screening.seeing import LEAST_SIZE, WHITE, Reason, is_same_color

BOLD_TAGS = frozenset({"b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6", "dt"})
ITALIC_TAGS = frozenset({"i", "em", "cite", "var"})
TAG_SIZES = {"h1": 32.0, "h2": 24.0, "h3": 18.7, "h5": 13.3, "h6": 10.7, "small": 13.3, "sub": 12.0, "sup": 12.0}
BOLD_WEIGHT = 600
FADED = re.compile(r"opacity\(\s*([^()]+)\)")
OPAQUE = 0.9
HEX = re.compile(r"[0-9a-fA-F]{6}")
UNFILLED = -1
LEAST_INK = 0.1
ASPECT, LEAST_ASPECT = 0.5, 0.2
"""How high small letters are for their size."""


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
    backed: bool = False
    """Something opaque lies behind, over all that is sent to the back."""
    based: bool = False
    """Something opaque lies behind at all: ink is mixed with that, and not with the bare page."""
    filters: str = ""
    blend: str = ""
    """How its ink is mixed with what is behind."""


def look_of(node: Any, style: Declarations, parent: Look) -> Look:
    """Give the look of an element inside another."""
    tag = node.tag
    size = (
        read_size(style["font-size"], parent=parent.size) if "font-size" in style else TAG_SIZES.get(tag, parent.size)
    )
    size *= max(_number(style.get("zoom", "1")), 0.0) * _adjust(style)
    color, alpha = _color(node, style, parent)
    own_ground = _ground(node, style)
    filled = own_ground != UNFILLED and not _is_clipped_to_text(style)
    look = replace(
        parent,
        size=size,
        bold=_is_bold(tag, style, parent),
        italic=tag in ITALIC_TAGS or style.get("font-style") in {"italic", "oblique"} or parent.italic,
        color=color,
        alpha=alpha,
        opacity=parent.opacity * _opacity(style),
        ground=own_ground if filled else parent.ground,
        link=(node.attributes.get("href") or parent.link) if tag == "a" else parent.link,
        unseen=style["visibility"] != "visible" if "visibility" in style else parent.unseen,
        based=parent.based or filled,
        backed=_is_backed(tag, style, parent, filled=filled and own_ground is not None),
        filters="" if filled else f"{parent.filters} {style.get('filter', '')}".strip(),
        blend="" if filled else style.get("mix-blend-mode", parent.blend),
    )
    if look.hidden:
        return look
    behind = parent.backed and is_sent_back(style)
    hiding = Reason.COVERED if behind else find_hiding(node, style, size=size, opacity=look.opacity)
    return replace(look, hidden=hiding)


def reason_of(look: Look) -> Reason | None:
    """Say why a person would not see text of this look; None: it can be seen."""
    if look.hidden:
        return look.hidden
    if look.unseen:
        return Reason.CSS
    if look.size * 0.75 < LEAST_SIZE:
        return Reason.TINY
    if look.alpha < LEAST_INK:
        return Reason.TRANSPARENT
    if look.color is None or look.ground is None:
        return None
    color = filter_color(look.color, look.filters)
    if look.blend and look.based:
        color = blend(look.blend, color, look.ground)
    return Reason.SAME_COLOR if is_same_color(color, look.ground) else None


def _is_bold(tag: str, style: Declarations, parent: Look) -> bool:
    weight = style.get("font-weight", "")
    if weight:
        return weight in {"bold", "bolder"} or (weight.isdigit() and int(weight) >= BOLD_WEIGHT)
    return tag in BOLD_TAGS or parent.bold


def _color(node: Any, style: Declarations, parent: Look) -> tuple[int | None, float]:
    text = style.get("-webkit-text-fill-color") or style.get("color") or _old_color(node)
    if not text or text in {"inherit", "currentcolor", "unset", "initial"}:
        color, alpha = parent.color, parent.alpha
    else:
        color, alpha = read_color(text.lower())
    if alpha < LEAST_INK and _is_clipped_to_text(style):
        ground = _ground(node, style)
        return None if ground == UNFILLED else ground, 1.0
    return color, alpha


def _old_color(node: Any) -> str:
    name = {"font": "color", "body": "text"}.get(node.tag)
    text = (node.attributes.get(name) or "") if name else ""
    return f"#{text}" if HEX.fullmatch(text) else text


def _opacity(style: Declarations) -> float:
    faded = FADED.search(style.get("filter", ""))
    return max(_number(style.get("opacity", "1")), 0.0) * (_number(faded[1]) if faded else 1.0)


def _adjust(style: Declarations) -> float:
    """Give by how much letters are made smaller after their size was told."""
    told = read_number(style.get("font-size-adjust", ""))
    return told / ASPECT if told is not None and told < LEAST_ASPECT else 1.0


def _is_clipped_to_text(style: Declarations) -> bool:
    """Tell whether the background shows in the letters alone: a heading in many colours."""
    return "text" in style.get("background-clip", "") or bool(re.search(r"\btext\b", style.get("background", "")))


def _ground(node: Any, style: Declarations) -> int | None:
    """Give the colour that an element is filled with: None where it cannot be told, `UNFILLED` where it has none."""
    text = style.get("background-color") or style.get("background") or (node.attributes.get("bgcolor") or "")
    image = style.get("background-image", "none") != "none" or "url(" in text or "gradient(" in text
    if image:
        return _one_color(text if "gradient(" in text else style.get("background-image", ""))
    if not text or text.split()[0] in {"none", "transparent", "inherit", "initial", "unset"}:
        return UNFILLED
    color, alpha = read_color(text.lower())
    if alpha == 0:
        return UNFILLED
    return color if alpha > 0.9 else None  # noqa: PLR2004 - what shows through changes the colour


def _is_backed(tag: str, style: Declarations, parent: Look, *, filled: bool) -> bool:
    """A page's own background lies behind all; a layer of its own begins anew."""
    if tag == "html" or _is_layer(style):
        return False
    return parent.backed or (filled and (tag != "body" or parent.based))


def _is_layer(style: Declarations) -> bool:
    """Tell whether what an element sends to its back stays before its own background."""
    if style.get("position") in {"fixed", "sticky"} or style.get("isolation") == "isolate":
        return True
    raised = style.get("position") in {"absolute", "relative"} and style.get("z-index", "auto") != "auto"
    return raised or any(style.get(name, "none") not in {"none", "1"} for name in ("transform", "filter", "opacity"))


def is_sent_back(style: Declarations) -> bool:
    """Tell whether an element is drawn behind those around it."""
    placed = style.get("position", "static") != "static"
    return placed and style.get("z-index", "").startswith("-") and style["z-index"].strip("-0") != ""


def _one_color(text: str) -> int | None:
    """Give the colour of a gradient that only pretends to be one; None for pictures and real ones."""
    if "url(" in text:
        return None
    found = [color for word in COLORS.findall(text) if (color := read_color(word)[0]) is not None]
    return found[0] if found and all(is_same_color(color, found[0]) for color in found) else None


def _number(text: str) -> float:
    number = read_number(text)
    return 1.0 if number is None else number


def is_placed(style: Declarations) -> bool:
    """Tell whether an element is taken out of the flow and drawn over it."""
    return style.get("position") in {"absolute", "fixed"}


def is_fill(node: Any, style: Declarations) -> bool:
    """Tell whether an element is drawn with an opaque background."""
    look = look_of(node, style, Look(ground=None))
    return look.ground is not None and look.hidden is None and not look.unseen and look.opacity > OPAQUE


def is_cover(node: Any, style: Declarations) -> bool:
    """Tell whether an element lies over all that is beside it, and lets nothing through."""
    if not is_placed(style) or style.get("z-index", "").startswith("-"):
        return False
    lies = all(_is_full(style, *sides) for sides in (("left", "right", "width"), ("top", "bottom", "height")))
    return lies and is_fill(node, style)


def _is_full(style: Declarations, begin: str, end: str, length: str) -> bool:
    zeros = [read_length(style.get(side, "")) == 0 for side in (begin, end)]
    return all(zeros) or (any(zeros) and style.get(length) in {"100%", "100vw", "100vh"})
