"""The characters of a PDF page, each with its place and the style of the text object that draws it."""

import ctypes
import sys
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from math import hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from dibs.services.resumes.reading.pdf.frame import Frame

BOLD_WEIGHT = 600
ITALIC_FLAG, FORCE_BOLD_FLAG = 1 << 6, 1 << 18
BOLD_NAMES = ("bold", "black", "heavy", "demi")
ITALIC_NAMES = ("italic", "oblique", "slanted")
HYPHEN_MARK = 0x02
CONTROLS = range(0x21)
LINE_ENDS = frozenset(b"\r\n")
SURROGATES = range(0xD800, 0xE000)
NO_LETTERS = frozenset({0xFFFE, 0xFFFF})


class Style(NamedTuple):
    font: str
    size: float
    bold: bool
    italic: bool
    color: int
    alpha: int
    mode: int
    upright: bool
    drawn: int
    """The address of the text object: its place in the order of drawing is looked up by it."""


class Glyph(NamedTuple):
    """One character. `left`, `top`, `right`, `bottom` enclose its advance, so that neighbours in a word touch."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style


class Break(Enum):
    """What stands between two characters. Lines are ended by the library, which may be wrong."""

    SPACE = " "
    LINE = "\n"


def read_glyphs(text_page: Any, frame: Frame, *, most: int) -> Iterator[Glyph | Break]:
    """Give the characters in the order of the file, and what parts them."""
    styles: dict[int, Style] = {}
    rect = pdfium.FS_RECTF()
    for index in range(min(pdfium.FPDFText_CountChars(text_page), most)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        text = "-" if code == HYPHEN_MARK else _as_text(code)
        # What the library adds by itself is white space, so nothing else has to be asked whether it was drawn.
        if text is None:
            yield Break.LINE if code in LINE_ENDS else Break.SPACE
            continue
        style = _find_style(text_page, index, styles, frame.turns)
        pdfium.FPDFText_GetLooseCharBox(text_page, index, rect)
        yield Glyph(text, *frame.place(rect.left, rect.bottom, rect.right, rect.top), style)


@lru_cache(4_096)
def _as_text(code: int) -> str | None:
    if code in NO_LETTERS or code > sys.maxunicode or code in SURROGATES:
        return None
    text = chr(code)
    return None if text.isspace() or code in CONTROLS else text


def _find_style(text_page: Any, index: int, styles: dict[int, Style], turns: int) -> Style:
    drawn = pdfium.FPDFText_GetTextObject(text_page, index)
    key = ctypes.addressof(drawn.contents) if drawn else 0
    style = styles.get(key)
    if style is None:
        style = _read_style(text_page, index, drawn, key)
        # On a page that is turned, text that lies on its side in the file stands upright.
        style = styles[key] = style._replace(upright=style.upright != bool(turns % 2))
    return style


def _read_style(text_page: Any, index: int, drawn: Any, key: int) -> Style:
    name, flags = _font_name(text_page, index)
    lower = name.lower()
    mode = pdfium.FPDFTextObj_GetTextRenderMode(drawn) if drawn else 0
    weight = pdfium.FPDFText_GetFontWeight(text_page, index)
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, index, matrix)
    scale = hypot(matrix.c, matrix.d) or 1.0
    color, alpha = _read_ink(text_page, index, mode)
    return Style(
        font=name,
        size=round(pdfium.FPDFText_GetFontSize(text_page, index) * scale, 2),
        bold=weight >= BOLD_WEIGHT
        or bool(flags & FORCE_BOLD_FLAG)
        or any(word in lower for word in BOLD_NAMES)
        or mode == pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE,
        italic=bool(flags & ITALIC_FLAG) or any(word in lower for word in ITALIC_NAMES),
        color=color,
        alpha=alpha,
        mode=mode,
        upright=abs(matrix.a) >= abs(matrix.b),
        drawn=key,
    )


def _font_name(text_page: Any, index: int) -> tuple[str, int]:
    flags = ctypes.c_int(0)
    buffer = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(text_page, index, buffer, len(buffer), flags)
    name = buffer.value.decode("utf-8", "replace")
    # An embedded part of a font is named ABCDEF+Name.
    return name.partition("+")[2] or name, flags.value


def _read_ink(text_page: Any, index: int, mode: int) -> tuple[int, int]:
    """Give the colour that letters are drawn with: that of their outline where they have nothing else."""
    is_outline = mode == pdfium.FPDF_TEXTRENDERMODE_STROKE
    getter = pdfium.FPDFText_GetStrokeColor if is_outline else pdfium.FPDFText_GetFillColor
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    if not getter(text_page, index, red, green, blue, alpha):
        return 0, 255
    return red.value << 16 | green.value << 8 | blue.value, alpha.value
