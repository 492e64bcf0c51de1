"""A PDF file, page by page."""

import re
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.pdf.opening import open_pdf
from dibs.services.resumes.reading.pdf.pages import ReadPage, read_page

SCRIPTS = re.compile(rb"/(JavaScript|Launch|EmbeddedFiles|RichMedia)[\s/<>\[(]")


def read_pdf(data: bytes, limits: Limits) -> Document:
    """Read the words of a PDF, as far as the limit of pages. Pages that are pictures are marked, and have no words."""
    with open_pdf(data) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count < 1:
            raise refuse(Refusal.CORRUPTED, what="it has no pages")
        read = list(_read_pages(document, min(count, limits.max_pages), limits))
        return Document(
            kind=Kind.PDF,
            pages=tuple(page for page, _ in read),
            hidden=tuple(hidden for _, found in read for hidden in found),
            page_count=count,
            flags=tuple(_find_flags(data, len(read), count, limits)),
        )


def _read_pages(document: Any, count: int, limits: Limits) -> Iterator[ReadPage]:
    left = limits.max_characters
    for index in range(count):
        page = pdfium.FPDF_LoadPage(document, index)
        if not page:
            continue
        try:
            read = read_page(document, page, index + 1, most=left)
        finally:
            pdfium.FPDF_ClosePage(page)
        left -= sum(len(word.text) for word in read.page.words)
        yield read


def _find_flags(data: bytes, read: int, count: int, limits: Limits) -> Iterator[Flag]:
    if count > limits.max_pages:
        yield flag(Warned.TRUNCATED, count=count, limit=limits.max_pages)
    if read < min(count, limits.max_pages):
        yield flag(Warned.DAMAGED, what="a page")
    if SCRIPTS.search(data):
        yield flag(Warned.SCRIPTS)
