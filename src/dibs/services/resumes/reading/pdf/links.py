"""Where a PDF page can be clicked, and what that opens."""

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from dibs.services.resumes.document import Box, Link
from dibs.services.resumes.reading.pdf.frame import Frame

MOST_LINKS = 500
LONGEST = 2_048


def read_links(document: Any, page: Any, frame: Frame, number: int) -> Iterator[Link]:
    """Give the links of a page that lead out of the document."""
    position, annotation = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, annotation):
            return
        target, rect = _read_target(document, annotation), pdfium.FS_RECTF()
        if target and pdfium.FPDFLink_GetAnnotRect(annotation, rect):
            yield Link(target, Box(number, *frame.place(rect.left, rect.bottom, rect.right, rect.top)))


def _read_target(document: Any, annotation: Any) -> str:
    action = pdfium.FPDFLink_GetAction(annotation)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    buffer = ctypes.create_string_buffer(LONGEST)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, LONGEST)
    return buffer.value.decode("utf-8", "replace").strip()
