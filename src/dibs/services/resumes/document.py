"""What a reader makes of a file: words where they stand, in one form for every format.

A PDF and a scan give pages of words with true positions, and the layout finds blocks in them. DOCX, HTML and plain
text have an order of their own: their readers give blocks at once, on a page drawn up for them (an indent is an x, a
line a y), so that everything after reading meets the same records and every field can show where it came from.
"""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    PDF = "pdf"
    DOCX = "docx"
    HTML = "html"
    TEXT = "text"
    IMAGE = "image"


class Box(Struct, frozen=True):
    """A place on a page, in points from its upper left corner. Pages count from 1."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


class Word(Struct, frozen=True):
    text: str
    box: Box
    size: float = 10.0
    bold: bool = False
    italic: bool = False
    color: int = 0x000000
    font: str = ""
    link: str | None = None
    confidence: float = 1.0


class Shape(Struct, frozen=True):
    """A drawn line or a filled area: it may part columns, frame a box or stand behind a sidebar."""

    box: Box
    fill: int | None = None


class Link(Struct, frozen=True):
    """A place that can be clicked, also where an icon stands instead of words."""

    target: str
    box: Box


class Page(Struct, frozen=True):
    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    shapes: tuple[Shape, ...] = ()
    scanned: bool = False
    links: tuple[Link, ...] = ()


class Line(Struct, frozen=True):
    """Words read as one line. `gap` is the white above it; `bullet`: a list mark was cut off its front."""

    words: tuple[Word, ...]
    box: Box
    gap: float = 0.0
    bullet: bool = False

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


class Block(Struct, frozen=True):
    """Lines that belong together, in reading order. `column` tells neighbours apart; `heading` is a style's level."""

    lines: tuple[Line, ...]
    column: int = 0
    heading: int | None = None
    cells: bool = False
    """The lines are the cells of one row of a table."""


class Hidden(Struct, frozen=True):
    """Text that a person would not see. It is shown to a reviewer, and to nothing else."""

    text: str
    reason: str
    box: Box | None = None


class Flag(Struct, frozen=True):
    """Something about the document that a person should know: a stable code and a sentence."""

    code: str
    message: str


class Document(Struct, frozen=True):
    kind: Kind
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] | None = None
    """Given by formats with an order of their own; None where the layout has to find it."""
    hidden: tuple[Hidden, ...] = ()
    flags: tuple[Flag, ...] = ()
    page_count: int = 1
