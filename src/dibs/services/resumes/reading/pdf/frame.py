"""From the coordinates of a PDF, which grow upwards, to points from the upper left corner of the page as it is seen."""

from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

A4 = (595.0, 842.0)
QUARTERS = 4


class Frame(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float
    turns: int
    """Quarter turns clockwise."""

    @property
    def width(self) -> float:
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def place(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """Give left, top, right, bottom of a rectangle as it is seen."""
        if self.turns == 0:
            return left - self.left, self.top - top, right - self.left, self.top - bottom
        if self.turns == 1:
            return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
        if self.turns == 2:  # noqa: PLR2004 - upside down
            return self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
        return self.top - top, self.right - right, self.top - bottom, self.right - left


def read_frame(page: Any) -> Frame:
    """Look where a page lies in its own coordinates; a page without a size is taken for A4."""
    rect = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, rect) or rect.right <= rect.left or rect.top <= rect.bottom:
        return Frame(0, 0, *A4, 0)
    return Frame(rect.left, rect.bottom, rect.right, rect.top, max(pdfium.FPDFPage_GetRotation(page), 0) % QUARTERS)
