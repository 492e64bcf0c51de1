"""Text boxes of a DOCX, and shapes that stand behind the text."""

import re
from collections.abc import Iterator

from lxml import etree
from msgspec import Struct

from dibs.services.resumes.reading.docx.names import number, w
from dibs.services.resumes.reading.docx.standing import is_outside
from dibs.services.resumes.reading.docx.styles import parse_color
from dibs.services.resumes.reading.screening.seeing import LEAST_SIZE, WHITE, Reason, is_same_color
from dibs.services.resumes.reading.sheet import HEIGHT, WIDTH

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
VML = "{urn:schemas-microsoft-com:vml}"
EMU = 12_700.0
LARGE = 72.0
LENGTH = re.compile(r"(?:^|;)\s*(margin-left|margin-top|left|top|width|height)\s*:\s*(-?[\d.]+(?=pt)|0(?=\s*(?:;|$)))")
FITTING = re.compile(r"mso-fit-shape-to-text\s*:\s*t")


class TextBox(Struct, frozen=True):
    """A box, where it stands, and what fills it."""

    content: etree._Element
    left: float = 0.0
    top: float = 0.0
    width: float = 0.0
    filled: bool = False
    fill: int | None = None
    hidden: Reason | None = None


def find_boxes(paragraph: etree._Element) -> list[TextBox]:
    """Give the boxes anchored in a paragraph, from the upper left to the lower right."""
    boxes = [_read_box(content) for content in _contents(paragraph)]
    return sorted(boxes, key=lambda box: (round(box.top / 20), box.left))


def _contents(node: etree._Element) -> Iterator[etree._Element]:
    """Give the contents of boxes, outermost only. A fallback repeats its choice for old programs."""
    for part in node:
        if part.tag == FALLBACK and part.getparent().find(CHOICE) is not None:  # type: ignore[union-attr]
            continue
        if part.tag == w("txbxContent"):
            yield part
        elif part.tag != w("tbl"):
            yield from _contents(part)


def _read_box(content: etree._Element) -> TextBox:
    for holder in content.iterancestors():
        if holder.tag in {DRAWING + "anchor", DRAWING + "inline"}:
            return _read_new_box(content, holder)
        if holder.tag.startswith(VML) and holder.get("style"):
            return _read_old_box(content, holder)
        if holder.tag == w("p"):
            break
    return TextBox(content)


def _read_new_box(content: etree._Element, holder: etree._Element) -> TextBox:
    filled, fill = _fill(content.getparent())
    left, top = _offset(holder, "positionH"), _offset(holder, "positionV")
    width, height = _extent(holder, "cx"), _extent(holder, "cy")
    vanished = any(node.get("hidden") in {"1", "true"} for node in holder.iterfind(DRAWING + "docPr"))
    grows = next(holder.iter(MAIN + "spAutoFit"), None) is not None
    told = holder.find(DRAWING + "extent") is not None
    place = (left, top, width if told else None, height if told else None)
    hidden = Reason.VANISH if vanished else _find_unseen(place, grows=grows)
    return TextBox(content, left=left, top=top, width=width, filled=filled, fill=fill, hidden=hidden)


def _find_unseen(box: tuple[float, float, float | None, float | None], *, grows: bool) -> Reason | None:
    left, top, width, height = box
    if is_outside(left, top, WIDTH if width is None else width, HEIGHT if height is None else height):
        return Reason.OFF_PAGE
    narrow, low = width is not None and width < LEAST_SIZE, height is not None and height < LEAST_SIZE
    return Reason.CLIPPED if narrow or (low and not grows) else None


def _read_old_box(content: etree._Element, holder: etree._Element) -> TextBox:
    style = holder.get("style", "")
    lengths = {name: number(length) for name, length in LENGTH.findall(style)}
    left = lengths.get("margin-left", 0.0) or lengths.get("left", 0.0)
    top = lengths.get("margin-top", 0.0) or lengths.get("top", 0.0)
    place = (left, top, lengths.get("width"), lengths.get("height"))
    vanished = "visibility:hidden" in style.replace(" ", "")
    grows = any(FITTING.search(node.get("style", "")) for node in content.iterancestors(VML + "textbox"))
    color = parse_color(holder.get("fillcolor", "").lstrip("#")[:6])
    return TextBox(
        content,
        left=left,
        top=top,
        width=lengths.get("width", 0.0),
        filled=bool(holder.get("fillcolor")) and holder.get("filled") not in {"f", "false"},
        fill=color,
        hidden=Reason.VANISH if vanished else _find_unseen(place, grows=grows),
    )


def _offset(holder: etree._Element, name: str) -> float:
    node = holder.find(f"{DRAWING}{name}/{DRAWING}posOffset")
    return number(node.text or "") / EMU if node is not None else 0.0


def _extent(holder: etree._Element, name: str) -> float:
    node = holder.find(DRAWING + "extent")
    return number(node.get(name, "")) / EMU if node is not None else 0.0


def _fill(holder: etree._Element | None) -> tuple[bool, int | None]:
    """Look what fills the shape around a box: nothing, one colour, or something else."""
    shape = holder.getparent() if holder is not None else None
    for node in shape if shape is not None else ():
        if node.tag.endswith("}spPr"):
            return _read_fill(node)
    return False, None


def _read_fill(properties: etree._Element) -> tuple[bool, int | None]:
    for node in properties:
        name = node.tag.rpartition("}")[2]
        if name == "solidFill":
            color = node.find(MAIN + "srgbClr")
            return True, parse_color(color.get("val", "")) if color is not None else None
        if name in {"gradFill", "blipFill", "pattFill"}:
            return True, None
    return False, None


def has_backdrop(node: etree._Element) -> bool:
    """Tell whether something large and dark stands behind the text, so that white letters may be meant to be read."""
    return any(_is_backdrop(anchor) for anchor in node.iter(DRAWING + "anchor"))


def _is_backdrop(anchor: etree._Element) -> bool:
    if anchor.get("behindDoc") not in {"1", "true"}:
        return False
    if min(_extent(anchor, "cx"), _extent(anchor, "cy")) < LARGE:
        return False
    for properties in anchor.iter():
        if properties.tag.endswith("}spPr"):
            filled, fill = _read_fill(properties)
            if filled and (fill is None or not is_same_color(fill, WHITE)):
                return True
    return next(anchor.iter(MAIN + "blip"), None) is not None
