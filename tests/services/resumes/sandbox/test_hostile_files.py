"""Files made to harm. Each gives a clear outcome within its limits, and the next file works."""

import struct
import zipfile
import zlib
from datetime import date
from io import BytesIO

import pytest
from PIL import Image

from dibs.errors import UnreadableDocument
from dibs.services.resumes.reading import Limits
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.sandbox import Allowance, Parse, Read, Scan
from tests.services.resumes.making import (
    BODY,
    NAMESPACE,
    codes_of,
    make_docx,
    make_pdf,
    pack,
    pack_docx,
    paragraph,
    text_of,
    write,
)

SMALL = Limits(max_unpacked_bytes=2_000_000)
SHORT = Allowance(cpu_seconds=2, wall_seconds=20, memory_bytes=256 << 20)


@pytest.fixture
def read(sandbox):
    def one(data: bytes, limits: Limits | None = None):
        return sandbox.run(Read(limits=limits or Limits()), data, allowance=SHORT).document

    yield one
    assert text_of(sandbox.run(Read(), BODY.encode()).document) == BODY


@pytest.fixture
def refuse(read):
    def one(data: bytes, limits: Limits | None = None) -> str:
        with pytest.raises(UnreadableDocument, match=r"upload|Upload|Save") as refused:
            read(data, limits)
        return str(refused.value.code)

    return one


def objects(*bodies: str | bytes) -> bytes:
    """Write a PDF of numbered objects, the first of them its catalogue."""
    parts = [b"%PDF-1.7\n"]
    for number, body in enumerate(bodies, start=1):
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body.encode() if isinstance(body, str) else body))
    return b"".join([*parts, b"trailer<</Root 1 0 R/Size %d>>\n%%%%EOF" % (len(bodies) + 1)])


def stream(data: bytes, entries: str = "") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries.encode(), len(data), data)


def test_a_zip_bomb_is_refused(refuse):
    bomb = pack({"word/document.xml": b"<a>" + bytes(30_000_000)})
    assert len(bomb) < 100_000
    assert refuse(bomb, SMALL) == "unpacked_too_large"


def test_a_zip_bomb_whose_directory_claims_a_tiny_size_is_refused(refuse):
    bomb = bytearray(pack({"word/document.xml": b"<a>" + b" " * 30_000_000}))
    real = struct.pack("<I", 30_000_003)
    lying = bomb.replace(real, struct.pack("<I", 300))
    assert lying != bomb
    assert refuse(bytes(lying), SMALL) in {"unpacked_too_large", "corrupted"}


def test_a_bomb_in_a_part_that_is_not_needed_is_never_unpacked(read):
    assert text_of(read(pack_docx(paragraph(BODY), **{"word/media/image1.bmp": bytes(30_000_000)}), SMALL)) == BODY


def test_an_archive_of_very_many_files_is_refused(refuse):
    members = {f"word/{number}.xml": b"" for number in range(2_500)}
    assert refuse(pack_docx(paragraph(BODY), **members)) == "unsafe"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "word/../../x", "..\\..\\x", "C:\\x"])
def test_names_that_lead_out_of_the_folder_are_refused(refuse, name):
    assert refuse(pack_docx(paragraph(BODY), **{name: b"x"})) == "unsafe"


def test_a_link_in_an_archive_is_refused(refuse):
    buffer = BytesIO(pack_docx(paragraph(BODY)))
    with zipfile.ZipFile(buffer, "a") as archive:
        link = zipfile.ZipInfo("word/link.xml")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert refuse(buffer.getvalue()) == "unsafe"


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
XML_BOMB = f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "ha">{ENTITIES}]><w:document {NAMESPACE}><w:body><w:p><w:r><w:t>&e11;</w:t></w:r></w:p></w:body></w:document>'  # noqa: E501
OUTSIDE = f'<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document {NAMESPACE}><w:body>{paragraph("&x;")}</w:body></w:document>'  # noqa: E501
REMOTE = f'<!DOCTYPE w SYSTEM "http://192.0.2.1/x.dtd"><w:document {NAMESPACE}><w:body>{paragraph("x")}</w:body></w:document>'  # noqa: E501


@pytest.mark.parametrize("xml", [XML_BOMB, OUTSIDE, REMOTE], ids=["bomb", "outside", "remote"])
def test_xml_that_declares_entities_is_refused(refuse, xml):
    assert refuse(pack({"word/document.xml": xml.encode()})) == "unsafe"
    assert refuse(pack_docx(paragraph(BODY), **{"word/styles.xml": xml.encode()})) == "unsafe"


def test_xml_nested_without_end_is_refused(refuse):
    deep = "<w:sdt><w:sdtContent>" * 50_000
    assert refuse(pack({"word/document.xml": f"<w:document {NAMESPACE}><w:body>{deep}".encode()})) == "corrupted"


def test_tables_nested_deeply_are_cut_off(read):
    deep = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * 60
    assert text_of(read(pack_docx(paragraph(BODY) + deep))) == BODY


def test_styles_that_are_based_on_each_other_are_survived(read):
    style = '<w:style w:type="paragraph" w:styleId="{}"><w:basedOn w:val="{}"/></w:style>'
    styles = f"<w:styles {NAMESPACE}>{style.format('A', 'B')}{style.format('B', 'A')}</w:styles>".encode()
    body = '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>Round</w:t></w:r></w:p>'
    assert text_of(read(pack_docx(body, **{"word/styles.xml": styles}))) == "Round"


def test_macros_are_flagged_and_not_run(read):
    document = read(pack_docx(paragraph(BODY), **{"word/vbaProject.bin": b"x"}))
    assert text_of(document) == BODY
    assert codes_of(document) == ["macros"]


def test_a_pdf_with_scripts_is_flagged(read):
    paper = make_pdf(write)
    scripted = paper.replace(b"/Type /Catalog", b"/OpenAction <</S /JavaScript /JS (app.alert(1))>> /Type /Catalog")
    assert "scripts" in codes_of(read(scripted))


def test_a_page_tree_that_holds_itself_is_refused(refuse):
    loop = objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9999999>>")
    assert refuse(loop) in {"corrupted", "too_slow"}


def drawing_forms(count: int) -> bytes:
    """Make forms that each draw the next one twice: no circle, and two to the power of many drawings."""
    forms = []
    for number in range(count):
        following = 6 + number
        use = f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</N {following} 0 R>>>>"
        forms.append(stream(b"/N Do /N Do", use) if number < count - 1 else stream(b"0 0 1 1 re f", use))
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</N 5 0 R>>>>>>"
    tree = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return objects("<</Type/Catalog/Pages 2 0 R>>", tree, page, stream(b"/N Do"), *forms)


def test_forms_that_draw_each_other_without_end_cost_no_more_than_allowed(sandbox):
    try:
        document = sandbox.run(Read(), drawing_forms(40), allowance=SHORT).document
        assert text_of(document) == ""
    except UnreadableDocument as refused:
        assert refused.code in {"too_slow", "out_of_memory", "crashed"}  # noqa: PT017 - either end is right
    assert text_of(sandbox.run(Read(), BODY.encode()).document) == BODY


def test_a_form_that_draws_itself_is_survived(read):
    use = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</N 5 0 R>>>>"
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</N 5 0 R>>>>>>"
    tree = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    data = objects("<</Type/Catalog/Pages 2 0 R>>", tree, page, stream(b"/N Do"), stream(b"/N Do", use))
    assert text_of(read(data)) == ""


def test_a_cross_reference_that_points_back_at_itself_is_survived(read):
    paper = make_pdf(write)
    at = int(paper.rpartition(b"startxref")[2].split()[0])
    looped = paper.replace(b"trailer\n<<", b"trailer\n<< /Prev %d" % at)
    assert looped != paper
    assert text_of(read(looped)) == BODY


def test_a_stream_that_unpacks_without_end_costs_no_more_than_allowed(sandbox):
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>"
    packed = zlib.compress(b"q " * 150_000_000, 9)
    tree = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    bomb = objects("<</Type/Catalog/Pages 2 0 R>>", tree, page, stream(packed, "/Filter/FlateDecode"))
    assert len(bomb) < 1_000_000
    try:
        assert text_of(sandbox.run(Read(), bomb, allowance=SHORT).document) == ""
    except UnreadableDocument as refused:
        assert refused.code in {"too_slow", "out_of_memory", "crashed", "corrupted"}  # noqa: PT017
    assert text_of(sandbox.run(Read(), BODY.encode()).document) == BODY


def png(width: int, height: int) -> bytes:
    """Write a picture that claims a size, with hardly a byte of it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1_000))), (b"IEND", b"")]
    parts = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_a_picture_of_gigapixels_is_refused(refuse):
    assert refuse(png(60_000, 60_000)) == "too_many_pixels"
    assert refuse(png(9_000, 9_000)) == "too_many_pixels"


def test_a_huge_page_is_drawn_small(sandbox):
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]/Contents 4 0 R>>"
    tree = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    data = objects("<</Type/Catalog/Pages 2 0 R>>", tree, page, stream(b"0 0 100 100 re f"))
    request = Scan(kind=sandbox.run(Read(), data).document.kind, number=1, ocr=Engine.RAPID)
    answer = sandbox.run(request, data, allowance=Allowance(cpu_seconds=60, wall_seconds=120, memory_bytes=1 << 30))
    assert answer.page is not None
    assert answer.page.words == ()


def test_a_pdf_with_a_password_asks_for_one_without(refuse):
    assert refuse(make_pdf(write, encrypt="secret")) == "encrypted"


def test_a_docx_with_a_password_asks_for_one_without(refuse):
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500)
    assert refuse(container) == "encrypted"
    locked = bytearray(pack_docx(paragraph(BODY)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := locked.find(mark, at + 1)) >= 0:
            locked[at + offset] |= 1
    assert refuse(bytes(locked)) == "encrypted"


def test_thousands_of_pages_are_cut_at_once(read):
    kids = " ".join(f"{number} 0 R" for number in range(3, 5_003))
    pages = ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>"] * 5_000
    tree = f"<</Type/Pages/Kids[{kids}]/Count 5000>>"
    document = read(objects("<</Type/Catalog/Pages 2 0 R>>", tree, *pages))
    assert (len(document.pages), document.page_count) == (10, 5_000)
    assert "truncated" in codes_of(document)


def with_font(font: str, *more: bytes) -> bytes:
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    text = stream(b"BT /F 12 Tf 20 100 Td (Visible words) Tj ET")
    tree = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return objects("<</Type/Catalog/Pages 2 0 R>>", tree, page, text, font, *more)


@pytest.mark.parametrize(
    "font",
    [
        "<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor 6 0 R/FirstChar 0/LastChar 1/Widths[0 0]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/X/FontDescriptor 5 0 R>>",
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[5 0 R]>>",
        "<</Type/Font>>",
    ],
)
def test_broken_fonts_are_survived(read, font):
    descriptor = b"<</Type/FontDescriptor/FontName/X/Flags 4/FontFile2 7 0 R>>"
    document = read(with_font(font, descriptor, stream(b"no font at all" * 100)))
    assert document.page_count == 1


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_a_file_that_was_cut_off_is_refused_or_read_without_invention(sandbox, share):
    words = set(BODY.split())
    for whole in (make_pdf(write, write), make_docx(lambda document: document.add_paragraph(BODY))):
        try:
            document = sandbox.run(Read(), whole[: int(len(whole) * share)], allowance=SHORT).document
            assert set(text_of(document).split()) <= words
        except UnreadableDocument as refused:
            assert refused.code in {"corrupted", "unsupported", "crashed"}  # noqa: PT017


def test_an_empty_file_is_refused(refuse):
    assert refuse(b"") == "empty"


def test_a_file_over_the_limit_is_refused(refuse):
    assert refuse(BODY.encode() * 100, Limits(max_bytes=1_000)) == "too_large"


def test_a_line_without_end_and_a_page_without_end_are_read_or_cut(read):
    assert "text_cut" in codes_of(read(b"word" * 200_000))
    rules = ".a" * 20_000 + "{color:red}"
    page = f"<html><style>{rules * 5}</style><body>{'<div>' * 12_000}{BODY}".encode()
    assert BODY.split()[0] in text_of(read(page))


def test_a_picture_that_is_cut_off_is_refused(sandbox):
    buffer = BytesIO()
    Image.effect_noise((400, 400), 50).save(buffer, "PNG")
    data = buffer.getvalue()[:5_000]
    document = sandbox.run(Read(), data).document
    with pytest.raises(UnreadableDocument) as refused:
        sandbox.run(
            Scan(kind=document.kind, number=1, ocr=Engine.RAPID),
            data,
            allowance=Allowance(memory_bytes=1 << 30, wall_seconds=120),
        )
    assert refused.value.code == "corrupted"


@pytest.mark.parametrize("word", ["a", "1", "Email-"])
def test_a_word_without_an_end_is_cut_and_does_not_keep_the_reader_busy(sandbox, word):
    text = "Ada Byron\n" + word * (20_000 // len(word))
    answer = sandbox.run(Parse(keeps=True, today=date(2026, 11, 16)), text.encode(), allowance=SHORT)
    assert "word_cut" in codes_of(answer.document)
