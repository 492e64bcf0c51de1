"""Texts of a PDF page whose colour does not tell what is seen of them."""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

PATTERN = (0xBF, 0xBF, 0xBF)
"""What the library calls the colour of text that a pattern fills."""
CODES = range(1, 600)
SIZE = 10.0


class Inks:
    """Looks at the texts of one page; each of its fonts is looked at once."""

    def __init__(self) -> None:
        self._draws: dict[int, bool] = {}

    def is_odd(self, text: Any) -> bool:
        """Tell whether a text must be looked at to know whether it is seen."""
        return bool(pdfium.FPDFPageObj_HasTransparency(text)) or _is_patterned(text) or not self._has_outlines(text)

    def _has_outlines(self, text: Any) -> bool:
        font = pdfium.FPDFTextObj_GetFont(text)
        if not font:
            return True
        key = ctypes.addressof(font.contents)
        if key not in self._draws:
            # One that the file does not hold is drawn with another: here, or by whoever opens it.
            is_held = pdfium.FPDFFont_GetIsEmbedded(font) == 1
            self._draws[key] = not is_held or any(_is_drawn(font, code) for code in CODES)
        return self._draws[key]


def _is_patterned(text: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(text, red, green, blue, alpha):
        return True
    return (red.value, green.value, blue.value) == PATTERN


def _is_drawn(font: Any, code: int) -> bool:
    path = pdfium.FPDFFont_GetGlyphPath(font, code, SIZE)
    return bool(path) and pdfium.FPDFGlyphPath_CountGlyphSegments(path) > 0
