"""How paragraphs and runs look: direct formatting over styles over the document's defaults."""

import re

from lxml import etree
from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.reading.docx.names import OFF, child, number, value, w
from dibs.services.resumes.reading.docx.standing import find_unseen
from dibs.services.resumes.reading.screening.seeing import Reason

DEEPEST = 12
WHITE = 0xFFFFFF
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
SUBTITLE_LEVEL = 9


class Look(Struct, frozen=True):
    """The look of a run."""

    size: float = 10.0
    bold: bool = False
    italic: bool = False
    color: int = 0
    font: str = ""
    vanish: bool = False
    shade: int | None = None
    """The colour behind the letters, where there is one."""
    clear: bool = False
    """The letters have no ink."""
    stretch: float = 100.0
    tracking: float = 0.0
    """Room after each letter, in points."""
    raised: float = 0.0


class ParagraphStyle(Struct, frozen=True):
    """The look of a paragraph."""

    look: Look = Look()
    heading: int | None = None
    listed: bool = False
    indent: float = 0.0
    before: float = 0.0
    after: float = 0.0
    tabs: tuple[tuple[float, str], ...] = ()
    unseen: Reason | None = None
    """Where it stands nobody sees it."""


class Styles:
    """The style table of a document."""

    def __init__(self, tree: etree._Element | None) -> None:
        self._nodes: dict[str, etree._Element] = {}
        self._paragraphs: dict[str, ParagraphStyle] = {}
        self._default = ""
        for node in tree.iterchildren(w("style")) if tree is not None else ():
            self._nodes[value(node, "styleId")] = node
            if value(node, "type") == "paragraph" and value(node, "default") in {"1", "true"}:
                self._default = value(node, "styleId")
        defaults = child(tree, "docDefaults")
        look = apply_look(Look(), child(defaults, "rPrDefault", "rPr"))
        self._base = apply_paragraph(ParagraphStyle(look=look), child(defaults, "pPrDefault", "pPr"))

    def paragraph(self, properties: etree._Element | None) -> ParagraphStyle:
        """Give the look of a paragraph from its own properties and its style."""
        style = self._named(value(child(properties, "pStyle")) or self._default)
        return apply_paragraph(style, properties)

    def run(self, look: Look, properties: etree._Element | None) -> Look:
        """Give the look of a run in a paragraph."""
        if properties is None:
            return look
        for node in reversed(self._line(value(child(properties, "rStyle")))):
            look = apply_look(look, child(node, "rPr"))
        return apply_look(look, properties)

    def shades_table(self, style: str) -> bool:
        """Tell whether a table style colours cells: white letters may be meant to be read there."""
        return any(next(node.iter(w("shd")), None) is not None for node in self._line(style))

    def hides_table(self, style: str) -> bool:
        """Tell whether a table style hides the text in its cells."""
        return any(apply_look(Look(), child(node, "rPr")).vanish for node in self._line(style))

    def _named(self, style: str) -> ParagraphStyle:
        if style not in self._paragraphs:
            found = self._base
            for node in reversed(self._line(style)):
                found = apply_paragraph(found, child(node, "pPr"))
                found = replace(found, look=apply_look(found.look, child(node, "rPr")))
                heading = _level(value(child(node, "name")))
                found = replace(found, heading=heading) if heading is not None else found
            self._paragraphs[style] = found
        return self._paragraphs[style]

    def _line(self, style: str) -> list[etree._Element]:
        """Give a style and those it is based on, itself first."""
        line: list[etree._Element] = []
        while style in self._nodes and len(line) < DEEPEST:
            line.append(self._nodes[style])
            style = value(child(self._nodes[style], "basedOn"))
        return line


def _level(name: str) -> int | None:
    found = HEADING.match(name)
    if found:
        return int(found[1])
    return {"title": 0, "subtitle": None}.get(name.lower())


def apply_look(look: Look, properties: etree._Element | None) -> Look:
    """Put run properties over a look."""
    if properties is None:
        return look
    changes: dict[str, object] = {}
    for node in properties:
        name = node.tag.rpartition("}")[2]
        if name in TOGGLES:
            changes[TOGGLES[name]] = value(node) not in OFF
        elif name == "sz":
            changes["size"] = number(value(node), 20) / 2
        elif name == "color":
            changes["color"] = _color(node)
        elif name == "rFonts":
            changes["font"] = value(node, "ascii") or value(node, "hAnsi") or look.font
        elif name == "shd":
            changes["shade"] = read_shade(node)
        elif name == "highlight":
            changes["shade"] = HIGHLIGHTS.get(value(node))
        elif name in MEASURES:
            field, unit = MEASURES[name]
            changes[field] = number(value(node), 0.0 if unit < 1 else 100.0) * unit
    # What newer programs paint letters with stands beside their colour, and wins.
    return replace(look, **changes | _read_ink(properties))


def _read_ink(properties: etree._Element) -> dict[str, object]:
    fill = properties.find(NEWER + "textFill")
    if fill is None:
        return {}
    color = next(fill.iter(NEWER + "srgbClr"), None)
    scheme = next(fill.iter(NEWER + "schemeClr"), None)
    faded = max((number(node.get(NEWER + "val", "")) for node in fill.iter(NEWER + "alpha")), default=0.0)
    ink: dict[str, object] = {"clear": fill.find(NEWER + "noFill") is not None or faded > FADED}
    if fill.find(NEWER + "solidFill") is None:
        return ink
    if color is not None:
        ink["color"] = parse_color(color.get(NEWER + "val", "")) or 0
    elif scheme is not None and scheme.get(NEWER + "val") in SCHEME:
        ink["color"] = SCHEME[scheme.get(NEWER + "val", "")]
    return ink


TOGGLES = {"b": "bold", "i": "italic", "vanish": "vanish", "specVanish": "vanish"}
MEASURES = {"w": ("stretch", 1.0), "spacing": ("tracking", 0.05), "position": ("raised", 0.5)}
NEWER = "{http://schemas.microsoft.com/office/word/2010/wordml}"
FADED = 90_000
SCHEME = {"bg1": WHITE, "lt1": WHITE, "bg2": 0xEEEEEE, "lt2": 0xEEEEEE, "tx1": 0, "dk1": 0}
HIGHLIGHTS = {
    "white": WHITE, "black": 0, "yellow": 0xFFFF00, "green": 0xFF00, "cyan": 0xFFFF, "magenta": 0xFF00FF, "blue": 0xFF,
    "red": 0xFF0000, "darkBlue": 0x80, "darkCyan": 0x8080, "darkGreen": 0x8000, "darkMagenta": 0x800080,
    "darkRed": 0x800000, "darkYellow": 0x808000, "darkGray": 0x808080, "lightGray": 0xC0C0C0,
}  # fmt: skip


def _color(node: etree._Element) -> int:
    return parse_color(value(node)) or 0


def parse_color(text: str) -> int | None:
    """Read a colour of six digits; "auto" and nonsense are None."""
    try:
        return int(text, 16) if len(text) == len("RRGGBB") else None
    except ValueError:
        return None


def read_shade(node: etree._Element | None) -> int | None:
    """Give the colour of a shading, None where it has none."""
    if node is None or value(node) == "nil":
        return None
    return parse_color(value(node, "fill"))


def apply_paragraph(style: ParagraphStyle, properties: etree._Element | None) -> ParagraphStyle:
    """Put paragraph properties over a style."""
    if properties is None:
        return style
    changes: dict[str, object] = {}
    spacing, indent = child(properties, "spacing"), child(properties, "ind")
    if spacing is not None:
        changes["before"] = number(value(spacing, "before"), style.before * 20) / 20
        changes["after"] = number(value(spacing, "after"), style.after * 20) / 20
    if indent is not None:
        changes["indent"] = max(number(value(indent, "left") or value(indent, "start")) / 20, 0.0)
    listing = child(properties, "numPr", "numId")
    if listing is not None:
        changes["listed"] = value(listing) != "0"
    outline = child(properties, "outlineLvl")
    if outline is not None and value(outline).isdigit():
        changes["heading"] = int(value(outline)) + 1 if int(value(outline)) < SUBTITLE_LEVEL else None
    stops = child(properties, "tabs")
    if stops is not None:
        changes["tabs"] = tuple(sorted((number(value(stop, "pos")) / 20, value(stop)) for stop in stops))
    shade = child(properties, "shd")
    if shade is not None:
        changes["look"] = replace(style.look, shade=read_shade(shade))
    return replace(style, unseen=find_unseen(properties) or style.unseen, **changes)
