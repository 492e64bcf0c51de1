"""The text of a paragraph: its runs in order, with tabs, breaks, links and fields."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree
from msgspec import Struct

from dibs.services.resumes.reading.docx.controls import is_prompt
from dibs.services.resumes.reading.docx.names import RELATION, child, value, w
from dibs.services.resumes.reading.docx.styles import Look, ParagraphStyle, Styles
from dibs.services.resumes.reading.sheet import BULLETS, Run

SKIPPED = frozenset({w("del"), w("moveFrom"), w("instrText"), w("delText"), w("pPr"), w("rPr"), w("rt")})
BOXES = frozenset({w("drawing"), w("pict"), w("object"), "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"})  # fmt: skip  # noqa: E501
HYPERLINK = re.compile(r'HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
PAGE_FIELD = re.compile(r"^\s*(PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
TAB_STEP = 36.0
PRIVATE = 0xF000
SPACES = re.compile(r"[ \u00a0]{3,}")
"""So many spaces in a row part what stands on one line, as a tab does."""


class Text(NamedTuple):
    text: str
    look: Look
    link: str | None


class Tab(NamedTuple):
    pass


class Break(NamedTuple):
    page: bool = False


class Field(Struct):
    """A field whose begin was met: what it is, and whether its result is being read."""

    code: str = ""
    shown: bool = False


class ParagraphReader:
    """Reads the pieces of one paragraph."""

    def __init__(self, styles: Styles, links: dict[str, str]) -> None:
        self._styles = styles
        self._links = links
        self._fields: list[Field] = []

    def pieces(self, node: etree._Element, look: Look, link: str | None = None) -> Iterator[Text | Tab | Break]:
        """Give text, tabs and breaks in order."""
        for part in node:
            if part.tag in SKIPPED or part.tag in BOXES or is_prompt(part):
                continue
            if part.tag == w("r"):
                yield from self._run(part, self._styles.run(look, child(part, "rPr")), link)
            elif part.tag == w("hyperlink"):
                target = self._links.get(part.get(RELATION + "id", ""))
                yield from self.pieces(part, look, target or link)
            elif part.tag == w("fldSimple"):
                yield from self._simple_field(part, look, link)
            else:
                yield from self.pieces(part, look, link)

    def _simple_field(self, part: etree._Element, look: Look, link: str | None) -> Iterator[Text | Tab | Break]:
        code = value(part, "instr")
        if not PAGE_FIELD.match(code):
            found = HYPERLINK.search(code)
            yield from self.pieces(part, look, found[1] if found else link)

    def _run(self, node: etree._Element, look: Look, link: str | None) -> Iterator[Text | Tab | Break]:
        for part in node:
            self._follow_field(part)
            if any(PAGE_FIELD.match(field.code) or not field.shown for field in self._fields):
                continue
            target = next((found[1] for field in self._fields if (found := HYPERLINK.search(field.code))), link)
            piece = self._piece(part, look, target)
            if piece is not None:
                yield piece

    def _follow_field(self, part: etree._Element) -> None:
        if part.tag == w("fldChar"):
            kind = value(part, "fldCharType")
            if kind == "begin":
                self._fields.append(Field())
            elif self._fields and kind == "separate":
                self._fields[-1].shown = True
            elif self._fields:
                self._fields.pop()
        elif part.tag == w("instrText") and self._fields:
            self._fields[-1].code += part.text or ""

    def _piece(self, part: etree._Element, look: Look, link: str | None) -> Text | Tab | Break | None:
        if part.tag == w("t"):
            return Text(part.text or "", look, link)
        if part.tag in {w("tab"), w("ptab")}:
            return Tab()
        if part.tag in {w("br"), w("cr")}:
            return Break(page=value(part, "type") == "page")
        if part.tag == w("noBreakHyphen"):
            return Text("-", look, link)
        if part.tag == w("sym"):
            return Text(_read_symbol(value(part, "char")), look, link)
        return None


def _read_symbol(code: str) -> str:
    """Give the letter of a font of symbols, which stands where no letter of a script does."""
    try:
        return chr(PRIVATE + int(code, 16) % 0x100)
    except ValueError:
        return ""


def build_lines(pieces: list[Text | Tab | Break], style: ParagraphStyle) -> Iterator[list[Run]]:
    """Put pieces together to lines."""
    line: list[Run] = []
    tabs, apart = 0, False
    for piece in pieces:
        if isinstance(piece, Break):
            yield line
            line, tabs, apart = [], 0, False
        elif isinstance(piece, Tab):
            tabs += 1
        elif not _is_icon(piece.text, line):
            first, *others = SPACES.split(piece.text)
            line += [_as_run(piece, first, _stop(style, line, tabs) if tabs else None, apart=apart)] if first else []
            line += [_as_run(piece, text, None, apart=True) for text in others if text]
            tabs, apart = (0, False) if first else (tabs, apart)
            apart = not others[-1] if others else apart
    yield line


def _is_icon(text: str, line: list[Run]) -> bool:
    """Tell whether a symbol only adorns what follows. Behind other text it parts, and a list mark makes an item."""
    return not line and len(text) == 1 and ord(text) in range(PRIVATE, PRIVATE + 0x100) and text not in BULLETS


def _as_run(piece: Text, text: str, stop: tuple[float, bool] | None, *, apart: bool) -> Run:
    look = piece.look
    return Run(
        text,
        apart=apart and stop is None,
        size=look.size,
        bold=look.bold,
        italic=look.italic,
        color=look.color,
        font=look.font,
        link=piece.link,
        to=stop[0] if stop else None,
        ends_at=bool(stop and stop[1]),
    )


def _stop(style: ParagraphStyle, line: list[Run], tabs: int) -> tuple[float, bool]:
    """Find the tab stop that the text after some tabs is set at, and whether the text ends there."""
    across = 0.0
    for run in line:
        width = len(run.text) * run.size / 2
        across = across + width if run.to is None else max(run.to + (0.0 if run.ends_at else width), across)
    ahead = [stop for stop in style.tabs if stop[0] > across]
    if len(ahead) >= tabs:
        position, kind = ahead[tabs - 1]
        return position, kind in {"right", "end"}
    return (int(across / TAB_STEP) + tabs) * TAB_STEP, False
