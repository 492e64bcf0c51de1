"""The one way to read a document, whatever its format."""

from msgspec.structs import replace

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.detection import detect_kind
from dibs.services.resumes.reading.docx import read_docx
from dibs.services.resumes.reading.html import read_html
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.pdf import read_pdf
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.reading.scan.gathering import list_frames, read_scans
from dibs.services.resumes.reading.screening.letters import screen_letters
from dibs.services.resumes.reading.screening.seeing import REASONS, Reason
from dibs.services.resumes.reading.screening.shortening import shorten
from dibs.services.resumes.reading.text import read_text


def read_document(
    data: bytes,
    *,
    name: str = "",
    declared: str | None = None,
    limits: Limits | None = None,
    ocr: Engine = Engine.AUTO,
) -> Document:
    """Read a document in this process; `UnreadableDocument` says why one cannot be.

    The file may be hostile: for one that comes from outside, use the sandbox.
    """
    limits = limits or Limits()
    if len(data) > limits.max_bytes:
        raise refuse(Refusal.TOO_LARGE, limit=f"{limits.max_bytes:,} bytes")
    kind, found = detect_kind(data, name=name, declared=declared)
    document = read_scans(_read(kind, data, limits), data, limits, ocr)
    return finish(replace(document, flags=(*found, *document.flags)), limits)


def finish(document: Document, limits: Limits) -> Document:
    """Take out what is never drawn, cut what is too long, and flag what concerns the whole."""
    document = shorten(screen_letters(document), limits)
    return replace(document, flags=(*document.flags, *_flags_of_whole(document)))


def _read(kind: Kind, data: bytes, limits: Limits) -> Document:
    if kind is Kind.PDF:
        return read_pdf(data, limits)
    if kind is Kind.DOCX:
        return read_docx(data, limits)
    if kind is Kind.IMAGE:
        return list_frames(data, limits)
    return read_html(data) if kind is Kind.HTML else read_text(data, limits)


def _flags_of_whole(document: Document) -> list[Flag]:
    flags = []
    if document.hidden:
        reasons = sorted({hidden.reason for hidden in document.hidden})
        flags.append(flag(Warned.HIDDEN_TEXT, reasons=", ".join(REASONS[Reason(reason)] for reason in reasons)))
    if not any(page.words for page in document.pages):
        flags.append(flag(Warned.NO_TEXT))
    return flags
