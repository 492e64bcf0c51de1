"""A PDF file, page by page."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2.raw as pdfium

from dibs.services.resumes.document import Box, Document, Flag, Kind, Link, Page, Shape, Word
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.pdf.frame import read_frame
from dibs.services.resumes.reading.pdf.glyphs import read_glyphs
from dibs.services.resumes.reading.pdf.links import read_links
from dibs.services.resumes.reading.pdf.objects import Drawing, read_drawing
from dibs.services.resumes.reading.pdf.words import PlacedWord, build_words

MOST_SHAPES = 2_000
SLACK = 1.0


def read_pdf(data: bytes, limits: Limits) -> Document:
    """Read the words of a PDF, as far as the limit of pages."""
    with open_pdf(data) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count < 1:
            raise refuse(Refusal.CORRUPTED, what="it has no pages")
        flags: list[Flag] = []
        if count > limits.max_pages:
            flags.append(flag(Warned.TRUNCATED, count=count, limit=limits.max_pages))
        pages = tuple(_read_pages(document, min(count, limits.max_pages), limits))
        return Document(kind=Kind.PDF, pages=pages, page_count=count, flags=tuple(flags))


@contextmanager
def open_pdf(data: bytes) -> Iterator[Any]:
    """Open a PDF for a while."""
    import pypdfium2 as _library  # noqa: F401, PLC0415 - importing it starts PDFium

    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        raise _say_why(pdfium.FPDF_GetLastError())
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _say_why(error: int) -> Exception:
    if error in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}:
        return refuse(Refusal.ENCRYPTED)
    return refuse(Refusal.CORRUPTED, what="it is no whole PDF")


def _read_pages(document: Any, count: int, limits: Limits) -> Iterator[Page]:
    left = limits.max_characters
    for index in range(count):
        page = pdfium.FPDF_LoadPage(document, index)
        if not page:
            continue
        try:
            read = _read_page(document, page, index + 1, left)
        finally:
            pdfium.FPDF_ClosePage(page)
        left -= sum(len(word.text) for word in read.words)
        yield read


def _read_page(document: Any, page: Any, number: int, most: int) -> Page:
    frame = read_frame(page)
    drawing = read_drawing(page, frame)
    links = tuple(read_links(document, page, frame, number))
    placed = _read_words(page, frame, most)
    return Page(
        number=number,
        width=round(frame.width, 2),
        height=round(frame.height, 2),
        words=tuple(_as_word(word, number, links) for word in placed),
        shapes=tuple(_shapes(drawing, number)),
        links=links,
    )


def _read_words(page: Any, frame: Any, most: int) -> list[PlacedWord]:
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return []
    try:
        return list(build_words(read_glyphs(text_page, frame, most=most)))
    finally:
        pdfium.FPDFText_ClosePage(text_page)


def _as_word(word: PlacedWord, number: int, links: tuple[Link, ...]) -> Word:
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return Word(
        text=word.text,
        box=Box(number, round(word.left, 2), round(word.top, 2), round(word.right, 2), round(word.bottom, 2)),
        size=word.style.size,
        bold=word.style.bold,
        italic=word.style.italic,
        color=word.style.color,
        font=word.style.font,
        link=next((link.target for link in links if _holds(link.box, across, down)), None),
    )


def _holds(box: Box, across: float, down: float) -> bool:
    return box.left - SLACK <= across <= box.right + SLACK and box.top - SLACK <= down <= box.bottom + SLACK


def _shapes(drawing: Drawing, number: int) -> Iterator[Shape]:
    for area in drawing.areas[:MOST_SHAPES]:
        yield Shape(Box(number, area.left, area.top, area.right, area.bottom), area.fill)
