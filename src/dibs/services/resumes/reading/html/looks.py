"""How an element looks: what it inherits, what its style changes, and whether a person would see it."""

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.reading.html.css.colors import read_color
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.mixing import blend, filter_color
from dibs.services.resumes.reading.html.css.values import read_number, read_size
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
BLACK = 0
INHERITED = frozenset({"inherit", "currentcolor", "unset", "revert", "revert-layer", ""})
PAINTED = frozenset({"body", "table", "tr", "td", "th"})
"""Elements that could have a picture behind them before there were style sheets."""
LEAST_INK = 0.1
ASPECT, LEAST_ASPECT = 0.5, 0.2
"""How high small letters are for their size."""


class Veil(Struct, frozen=True):
    """Something opaque that lies over an element."""

    level: int
    """What is raised at least so far comes before it."""
    ground: int | None
    """The colour behind what comes before it."""


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
    veil: Veil | None = None
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
    parent = _lift(style, parent)
    own_ground = color if _is_filled_with_ink(style) else _ground(node, style)
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
        unseen=_is_unseen(style, parent),
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


def _lift(style: Declarations, parent: Look) -> Look:
    """Give the look around an element: one that is raised far enough comes before what lies over its parent."""
    veil = parent.veil
    if veil is None or not is_raised(style):
        return parent
    if find_level(style) >= veil.level:
        return replace(parent, veil=None, ground=veil.ground)
    # What is in a layer cannot be raised out of it.
    return replace(parent, hidden=parent.hidden or Reason.COVERED) if _is_layer(style) else parent


def reason_of(look: Look) -> Reason | None:
    """Say why a person would not see text of this look; None: it can be seen."""
    if look.hidden or look.veil:
        return look.hidden or Reason.COVERED
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


def _is_unseen(style: Declarations, parent: Look) -> bool:
    told = style.get("visibility", "inherit")
    return parent.unseen if told in INHERITED else told not in {"visible", "initial"}


def _is_bold(tag: str, style: Declarations, parent: Look) -> bool:
    weight = style.get("font-weight", "")
    if weight:
        return weight in {"bold", "bolder"} or (weight.isdigit() and int(weight) >= BOLD_WEIGHT)
    return tag in BOLD_TAGS or parent.bold


def _color(node: Any, style: Declarations, parent: Look) -> tuple[int | None, float]:
    text, filling = style.get("color") or _old_color(node), style.get("-webkit-text-fill-color", "initial")
    if filling not in INHERITED and filling != "initial":
        text = filling
    color, alpha = parent.color, parent.alpha
    if text not in INHERITED:
        color, alpha = (BLACK, 1.0) if text == "initial" else read_color(text.lower())
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


def _is_filled_with_ink(style: Declarations) -> bool:
    """Tell whether the background of an element has the colour of its letters."""
    text = style.get("background-color") or style.get("background") or ""
    return text.lower().split(" ")[0] == "currentcolor" and "-webkit-text-fill-color" not in style


def _ground(node: Any, style: Declarations) -> int | None:
    """Give the colour that an element is filled with: None where it cannot be told, `UNFILLED` where it has none."""
    text = style.get("background-color") or style.get("background") or (node.attributes.get("bgcolor") or "")
    if (image := style.get("background-image", "")) not in {"", "none", "initial", "unset"}:
        return _one_color(image)
    if node.attributes.get("background") and node.tag in PAINTED:
        return None
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


def is_raised(style: Declarations) -> bool:
    """Tell whether an element is drawn after those that just flow."""
    return style.get("position", "static") != "static" or _is_layer(style)


def find_level(style: Declarations) -> int:
    """Give how far an element is raised."""
    told = style.get("z-index", "")
    return int(told) if re.fullmatch(r"-?\d{1,10}", told) else 0


def fill_of(node: Any, style: Declarations) -> list[int | None]:
    """Give the colour that an element without text shows: one, None for a picture, or nothing at all."""
    if is_fill(node, style):
        return [look_of(node, style, Look(ground=None)).ground]
    pictured = node.tag == "img" or _ground(node, style) is None
    return [None] if pictured and look_of(node, style, Look()).hidden is None else []
