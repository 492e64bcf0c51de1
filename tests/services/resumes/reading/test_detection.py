"""What a file is: its first bytes decide."""

import pytest

from dibs.errors import UnreadableDocument
from dibs.services.resumes.document import Kind
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.reading.detection import find_kind
from tests.services.resumes.making import BODY, codes_of, make_docx, make_pdf, make_picture, pack, text_of, write

PDF = make_pdf(write)
DOCX = make_docx(lambda document: document.add_paragraph(BODY))
HTML = f"<!DOCTYPE html><html><body><p>{BODY}</p></body></html>".encode()
TEXT = BODY.encode()
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PDF, Kind.PDF),
        (b"\n\n" + PDF, Kind.PDF),
        (DOCX, Kind.DOCX),
        (HTML, Kind.HTML),
        (b"\xef\xbb\xbf  " + HTML, Kind.HTML),
        (b"<div><p>a</p><p>b</p><ul><li>c</li></ul></div>", Kind.HTML),
        (TEXT, Kind.TEXT),
        (b"I know 5 < 7 and PDFs", Kind.TEXT),
        (make_picture("a"), Kind.IMAGE),
        (make_picture("a", kind="JPEG"), Kind.IMAGE),
        (make_picture("a", kind="TIFF"), Kind.IMAGE),
        (make_picture("a", kind="WEBP"), Kind.IMAGE),
    ],
)
def test_the_first_bytes_tell_the_kind(data, kind):
    assert find_kind(data) is kind


@pytest.mark.parametrize(
    ("data", "name", "declared"),
    [
        (PDF, "cv.pdf", "application/pdf"),
        (PDF, "cv.PDF", "application/octet-stream"),
        (DOCX, "cv.docx", WORD),
        (HTML, "cv.htm", "text/html; charset=utf-8"),
        (TEXT, "cv", None),
        (TEXT, "cv.md", "text/plain"),
        (TEXT, "j. doe", None),
    ],
)
def test_a_name_and_a_type_that_fit_are_not_flagged(data, name, declared):
    assert codes_of(read_document(data, name=name, declared=declared)) == []


@pytest.mark.parametrize(
    ("data", "name", "declared", "kind"),
    [
        (PDF, "cv.docx", None, Kind.PDF),
        (DOCX, "cv.pdf", None, Kind.DOCX),
        (DOCX, "cv.doc", None, Kind.DOCX),
        (HTML, "cv.txt", None, Kind.HTML),
        (PDF, "cv.pdf", "text/html", Kind.PDF),
    ],
)
def test_a_mismatch_is_flagged_and_the_content_wins(data, name, declared, kind):
    document = read_document(data, name=name, declared=declared)
    assert document.kind is kind
    assert codes_of(document) == ["type_mismatch"]
    assert text_of(document) == BODY


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (pack({"xl/workbook.xml": b"x"}), "spreadsheet"),
        (pack({"content.xml": b"x"}), "OpenDocument"),
        (pack({"notes.txt": b"x"}), "ZIP archive"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), ".doc"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 9, "kind"),
    ],
)
def test_other_files_are_refused_with_what_to_do(data, what):
    with pytest.raises(UnreadableDocument, match="Upload") as refused:
        read_document(data)
    assert refused.value.code == "unsupported"
    assert what in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"  \n ", bytes(100)])
def test_an_empty_file_is_refused(data):
    with pytest.raises(UnreadableDocument, match="empty") as refused:
        read_document(data)
    assert refused.value.code == "empty"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PDF + pack({"word/document.xml": b"x"}), Kind.PDF),
        (HTML.replace(b"<p>", b"<!-- %PDF-1.7 --><p>"), Kind.HTML),
        (b"%PDF-1.4 <html>\n" + PDF, Kind.PDF),
    ],
)
def test_a_file_that_is_two_things_is_flagged(data, kind):
    document = read_document(data)
    assert document.kind is kind
    assert "polyglot" in codes_of(document)


def test_a_program_with_zeros_everywhere_is_no_text():
    with pytest.raises(UnreadableDocument) as refused:
        find_kind(b"\x7fELF\x02\x01\x01" + bytes(500) + b"@\x00\x08" * 20)
    assert refused.value.code == "unsupported"
    assert find_kind("Jane Roe, engineer".encode("utf-16-le")) is Kind.TEXT
