"""Pages of a PDF as pictures, for those whose text is no text."""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium
from PIL import Image

from dibs.services.resumes.reading.pdf.opening import open_pdf

DPI = 200
LONGEST_SIDE = 2_600
PAPER = 0xFFFFFFFF


def render_page(data: bytes, number: int, *, dpi: float = DPI) -> tuple[Any, float]:
    """Give the picture of a page in RGB, and the width of the page in points. Pages count from 1."""
    with open_pdf(data) as document:
        page = pdfium.FPDF_LoadPage(document, number - 1)
        if not page:
            return Image.new("RGB", (1, 1), "white"), 1.0
        try:
            width = pdfium.FPDF_GetPageWidthF(page)
            return draw(page, dpi / 72), width
        finally:
            pdfium.FPDF_ClosePage(page)


def draw(page: Any, scale: float) -> Any:
    """Draw a page, however large it says it is, into a picture of a bounded size."""
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    scale = min(scale, LONGEST_SIDE / max(width, height, 1.0))
    across, down = max(round(width * scale), 1), max(round(height * scale), 1)
    bitmap = pdfium.FPDFBitmap_Create(across, down, 0)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, PAPER)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, across, down, 0, pdfium.FPDF_ANNOT)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        raw = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * down)
        return Image.frombuffer("RGB", (across, down), raw, "raw", "BGRX", stride, 1).copy()
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
