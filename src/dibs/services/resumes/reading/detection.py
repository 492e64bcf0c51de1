"""What a file is: its first bytes decide, its name and declared type are only compared."""

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from posixpath import splitext

from dibs.services.resumes.document import Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.text import is_binary

HEAD = 1_024
TAIL = 66_000
PICTURES = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
    b"BM": "BMP",
    b"GIF8": "GIF",
}
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PAGE = re.compile(rb"<\s*(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
MARKUP = re.compile(rb"<(div|p|h[1-6]|table|ul|span|section|article)\b[^>]*>", re.IGNORECASE)
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
EXTENSIONS = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".docm": Kind.DOCX,
    ".dotx": Kind.DOCX,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".txt": Kind.TEXT,
    ".text": Kind.TEXT,
    ".md": Kind.TEXT,
    **dict.fromkeys(PICTURE_ENDINGS, Kind.IMAGE),
}
OTHERS = frozenset({".doc", ".rtf", ".zip", ".odt", ".pages"})
TYPES = {
    "application/pdf": Kind.PDF,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": Kind.DOCX,
    "application/vnd.ms-word.document.macroenabled.12": Kind.DOCX,
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/plain": Kind.TEXT,
    "text/markdown": Kind.TEXT,
}
SHOWN = {Kind.PDF: "PDF", Kind.DOCX: "DOCX", Kind.HTML: "HTML", Kind.TEXT: "plain text", Kind.IMAGE: "a picture"}
ANYTHING = frozenset({"", "application/octet-stream", "binary/octet-stream"})


def detect_kind(data: bytes, *, name: str, declared: str | None) -> tuple[Kind, tuple[Flag, ...]]:
    """Find what a file is, and flag what does not fit."""
    if not data.strip(b"\x00 \t\r\n"):
        raise refuse(Refusal.EMPTY)
    kind = find_kind(data)
    mismatches = (
        flag(Warned.TYPE_MISMATCH, claimed=claimed, found=SHOWN[kind]) for claimed in _misfits(kind, name, declared)
    )
    other = _find_other(data, kind)
    second = [flag(Warned.POLYGLOT, other=other, found=SHOWN[kind])] if other else []
    return kind, (*list(mismatches)[:1], *second)


def find_kind(data: bytes) -> Kind:
    """Look at the bytes alone. The first bytes win over a PDF header further on."""
    head = data[:HEAD]
    if head.startswith(b"PK\x03\x04"):
        return _look_into_archive(data)
    if head.startswith(tuple(PICTURES)) and not head.startswith(b"BM%"):
        return Kind.IMAGE
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Kind.IMAGE
    if head.startswith(OLD_OFFICE):
        raise _refuse_old_office(data)
    if head.lstrip().startswith(b"{\\rtf"):
        raise refuse(Refusal.UNSUPPORTED, what="An RTF file")
    found, header = PAGE.search(_narrow(head)), head.find(b"%PDF-")
    if header >= 0 and (found is None or header < found.start()):
        return Kind.PDF
    if found is not None or len(MARKUP.findall(_narrow(data[: 16 * HEAD]))) > 3:  # noqa: PLR2004 - more than a stray sign
        return Kind.HTML
    if is_binary(data):
        raise refuse(Refusal.UNSUPPORTED, what="A file of this kind")
    return Kind.TEXT


def _narrow(head: bytes) -> bytes:
    return head.replace(b"\x00", b"")


def _look_into_archive(data: bytes) -> Kind:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
        raise refuse(Refusal.CORRUPTED, what="it is no whole archive") from fault
    if "word/document.xml" in names or (
        "[Content_Types].xml" in names and any(name.startswith("word/") for name in names)
    ):
        return Kind.DOCX
    shown = {
        "xl/workbook.xml": "A spreadsheet",
        "ppt/presentation.xml": "A presentation",
        "content.xml": "An OpenDocument file",
    }
    raise refuse(
        Refusal.UNSUPPORTED, what=next((what for name, what in shown.items() if name in names), "A ZIP archive")
    )


def _refuse_old_office(data: bytes) -> Exception:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return refuse(Refusal.ENCRYPTED)
    return refuse(Refusal.UNSUPPORTED, what="A file of Word 97 to 2003 (.doc)")


def _misfits(kind: Kind, name: str, declared: str | None) -> Iterator[str]:
    """Give the claims that the content does not bear out."""
    extension = splitext(name.lower())[1]
    if extension in {*EXTENSIONS, *OTHERS} and EXTENSIONS.get(extension) is not kind:
        yield extension
    content_type = (declared or "").partition(";")[0].strip().lower()
    if content_type in ANYTHING:
        return
    claimed = Kind.IMAGE if content_type.startswith("image/") else TYPES.get(content_type)
    if claimed is not kind:
        yield content_type


def _find_other(data: bytes, kind: Kind) -> str | None:
    """Look whether a file is something else too, for programs that look elsewhere in it."""
    head, tail = data[:HEAD], data[-TAIL:]
    if kind is not Kind.PDF and kind is not Kind.TEXT and b"%PDF-" in head:
        return "PDF"
    if kind is not Kind.DOCX and b"PK\x05\x06" in tail and b"PK\x01\x02" in tail:
        return "ZIP archive"
    if kind in {Kind.PDF, Kind.IMAGE} and PAGE.search(head):
        return "HTML page"
    return None
