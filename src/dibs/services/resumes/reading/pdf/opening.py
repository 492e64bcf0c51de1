"""Opening a PDF."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2.raw as pdfium

from dibs.errors import UnreadableDocument
from dibs.services.resumes.flags import Refusal, refuse


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


def _say_why(error: int) -> UnreadableDocument:
    if error in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}:
        return refuse(Refusal.ENCRYPTED)
    return refuse(Refusal.CORRUPTED, what="it is no whole PDF")
