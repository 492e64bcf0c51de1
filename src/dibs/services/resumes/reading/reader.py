"""The one way to read a document, whatever its format."""

from dibs.services.resumes.document import Document
from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.pdf import read_pdf


def read_document(
    data: bytes, *, name: str = "", declared: str | None = None, limits: Limits | None = None
) -> Document:
    """Read a document in this process; `UnreadableDocument` says why one cannot be.

    The file may be hostile: for one that comes from outside, use the sandbox.
    """
    limits = limits or Limits()
    if not data:
        raise refuse(Refusal.EMPTY)
    return read_pdf(data, limits)
