"""Where a PDF page can be clicked, and what that opens."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium

from dibs.services.resumes.document import Box, Link
from dibs.services.resumes.reading.pdf.frame import Frame
from dibs.services.resumes.reading.pdf.objects import Drawing, Drawn
from dibs.services.resumes.reading.pdf.words import PlacedWord

MOST_LINKS = 500
LONGEST = 2_048
OFF = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
LEAST_SIDE = 3.0
LARGEST = 0.25
"""A larger part of a page that is painted is paper."""


def read_links(document: Any, page: Any, frame: Frame, number: int) -> Iterator[Link]:
    """Give the links of a page that lead out of the document."""
    position, annotation = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, annotation):
            return
        target, rect = _read_target(document, annotation), pdfium.FS_RECTF()
        if target and not _is_off(page, annotation) and pdfium.FPDFLink_GetAnnotRect(annotation, rect):
            yield Link(target, Box(number, *frame.place(rect.left, rect.bottom, rect.right, rect.top)))


def _read_target(document: Any, annotation: Any) -> str:
    action = pdfium.FPDFLink_GetAction(annotation)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    buffer = ctypes.create_string_buffer(LONGEST)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, LONGEST)
    return buffer.value.decode("utf-8", "replace").strip()


def _is_off(page: Any, link: Any) -> bool:
    """Tell whether no program would show that a page can be clicked here."""
    annotation = pdfium.FPDFLink_GetAnnot(page, link)
    if not annotation:
        return False
    try:
        return bool(pdfium.FPDFAnnot_GetFlags(annotation) & OFF)
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)


def keep_seen(links: Iterable[Link], frame: Frame, seen: Sequence[PlacedWord], drawing: Drawing) -> tuple[Link, ...]:
    """Keep the links that lie on something: nobody finds one on empty paper or beside the page."""
    page = frame.width * frame.height
    drawn = [area for area in drawing.areas if (area.right - area.left) * (area.bottom - area.top) < LARGEST * page]
    inked: list[PlacedWord | Drawn] = [*seen, *drawn, *drawing.images]
    return tuple(link for link in links if _is_large(link.box) and any(_meet(link.box, one) for one in inked))


def _is_large(box: Box) -> bool:
    return min(box.right - box.left, box.bottom - box.top) >= LEAST_SIDE


def _meet(box: Box, one: PlacedWord | Drawn) -> bool:
    return box.left < one.right and one.left < box.right and box.top < one.bottom and one.top < box.bottom
