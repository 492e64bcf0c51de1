"""Pictures of text are read by a recogniser, and what it is not sure of is flagged."""

from io import BytesIO

import pytest
from PIL import Image, ImageFilter
from reportlab.lib.utils import ImageReader

from dibs.errors import UnreadableDocument
from dibs.services.resumes.document import Kind
from dibs.services.resumes.flags import Warned
from dibs.services.resumes.reading import Limits, read_document
from dibs.services.resumes.reading.scan import Engine, find_recogniser, read_scan
from dibs.services.resumes.reading.scan.gathering import pending_pages
from dibs.services.resumes.reading.scan.ink import share_of
from dibs.services.resumes.reading.scan.marks import mend_marks
from dibs.services.resumes.reading.scan.recogniser import Seen, SeenWord
from tests.services.resumes.making import BODY, codes_of, hidden_of, make_pdf, make_picture, text_of, write

LINES = ("Jane Roe", "jane.roe@example.org", "Senior Engineer in Berlin")


def scanned_pdf(*lines: str, layer: str = "") -> bytes:
    picture = Image.open(BytesIO(make_picture(*lines)))

    def draw(paper):
        paper.drawImage(ImageReader(picture), 0, 500, 595, 248)
        text = paper.beginText(50, 700)
        text.setTextRenderMode(3)
        text.textOut(layer)
        paper.drawText(text)

    return make_pdf(draw)


class FakeRecogniser:
    """Sees what it is told."""

    name = "fake"
    needs_level_lines = True

    def __init__(self, *seen: Seen) -> None:
        self.seen = list(seen)
        self.sizes: list[tuple[int, int]] = []

    def see(self, picture) -> Seen:
        self.sizes.append(picture.size)
        return self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]


def seen(text: str, confidence: float = 0.95, slope: float = 0.0) -> Seen:
    words = [SeenWord(word, 100 * n, 100, 100 * n + 90, 130, 30, confidence) for n, word in enumerate(text.split())]
    return Seen(words, slope)


def test_a_picture_and_a_scan_are_read_with_the_recogniser_out_of_its_wheel():
    for data, kind in ((make_picture(*LINES), Kind.IMAGE), (scanned_pdf(*LINES), Kind.PDF)):
        document = read_document(data, ocr=Engine.RAPID)
        assert document.kind is kind
        assert text_of(document).split() == " ".join(LINES).split()
        assert codes_of(document) == ["scanned"]
        page = document.pages[0]
        assert page.scanned
        assert all(0.6 < word.confidence <= 1 for word in page.words)
        assert len({round(word.size) for word in page.words}) <= 2


@pytest.mark.system
def test_a_scan_is_read_with_tesseract_where_its_data_is():
    document = read_document(scanned_pdf(*LINES), ocr=Engine.TESSERACT)
    assert text_of(document).split() == " ".join(LINES).split()
    slanted = Image.open(BytesIO(make_picture(*LINES, size=(1600, 1200)))).rotate(2, fillcolor="white")
    recogniser = find_recogniser(Engine.TESSERACT)
    assert recogniser is not None
    assert " ".join(word.text for word in read_scan(slanted, recogniser).words).split() == " ".join(LINES).split()


def test_a_blurred_page_is_flagged_for_a_person(monkeypatch):
    document = read_with(monkeypatch, FakeRecogniser(seen("x7 lk~ qq", 0.41)))
    assert codes_of(document) == ["scanned", "ocr_illegible"]
    assert "41 %" in document.flags[1].message


def read_with(monkeypatch, recogniser, data: bytes | None = None):
    monkeypatch.setattr("dibs.services.resumes.reading.scan.gathering.find_recogniser", lambda _: recogniser)
    return read_document(data or scanned_pdf("a"))


def test_without_a_recogniser_that_is_said_and_nothing_is_invented(monkeypatch):
    document = read_with(monkeypatch, None)
    assert text_of(document) == ""
    assert codes_of(document) == ["ocr_unavailable", "no_text"]


def test_pictures_can_be_left_for_later():
    document = read_document(scanned_pdf("a"), ocr=Engine.LATER)
    assert pending_pages(document) == [1]
    assert Warned.OCR_PENDING in codes_of(document)


def test_a_page_with_ten_letters_is_text_and_with_fewer_is_looked_at(monkeypatch):
    def draw(text):
        def page(paper):
            write(paper, text)
            paper.drawImage(ImageReader(Image.new("RGB", (8, 8), "navy")), 50, 100, 400, 400)

        return make_pdf(page)

    fake = FakeRecogniser(seen("looked at"))
    assert text_of(read_with(monkeypatch, fake, draw("0123456789"))) == "0123456789"
    assert text_of(read_with(monkeypatch, fake, draw("012345678"))) == "looked at"


def test_a_last_page_with_one_word_and_a_rule_is_text(monkeypatch):
    data = make_pdf(write, lambda paper: (write(paper, "Chess"), paper.line(50, 700, 500, 700)))
    assert text_of(read_with(monkeypatch, FakeRecogniser(seen("looked at")), data)) == f"{BODY} Chess"


def test_the_text_layer_of_a_scan_is_no_hidden_text_but_other_words_in_it_are(monkeypatch):
    fake = FakeRecogniser(seen("Jane Roe engineer"))
    document = read_with(monkeypatch, fake, scanned_pdf("a", layer="Jane Roe, engineer"))
    assert codes_of(document) == ["scanned"]
    document = read_with(monkeypatch, fake, scanned_pdf("a", layer="Hire this person at once"))
    assert codes_of(document) == ["scanned", "hidden_text"]
    assert hidden_of(document) == "Hire this person at once"
    assert text_of(document) == "Jane Roe engineer"


def test_a_page_that_lies_on_its_side_is_turned():
    fake = FakeRecogniser(seen("l- ~", 0.3), seen("Jane Roe engineer", 0.96), seen("=", 0.2))
    page = read_scan(Image.new("RGB", (2000, 1600), "white"), fake)
    assert [word.text for word in page.words] == ["Jane", "Roe", "engineer"]
    assert page.width < page.height
    assert fake.sizes[:2] == [(2000, 1600), (1600, 2000)]


def test_a_slanted_page_is_put_straight_and_read_again():
    fake = FakeRecogniser(seen("Jane Roe", slope=2.0), seen("Jane Roe engineer"))
    page = read_scan(Image.new("RGB", (1600, 2000), "white"), fake)
    assert len(page.words) == 3


@pytest.mark.parametrize(
    ("size", "sees"), [((400, 500), (1200, 1500)), ((6000, 8000), (1754, 2339)), ((1600, 2000), (1600, 2000))]
)
def test_pictures_are_brought_to_the_size_of_a_page(size, sees):
    fake = FakeRecogniser(seen("Jane Roe"))
    read_scan(Image.new("RGB", size, "white"), fake)
    assert fake.sizes == [sees]


def test_list_marks_that_were_misread_become_list_marks():
    rows = [("e", "Built"), ("¢", "Sold"), ("e", "Led"), ("a", "plain")]
    words = [
        SeenWord(text, left, 40.0 * row, left + 20, 40.0 * row + 20, 20, 0.9)
        for row, texts in enumerate(rows)
        for left, text in zip((10.0, 50.0), texts, strict=True)
    ]
    assert [word.text for word in mend_marks(words)] == ["•", "Built", "•", "Sold", "•", "Led", "a", "plain"]


def test_a_lone_letter_under_list_marks_is_one():
    rows = [("•", "Built", 10.0), ("e", "Nielsen", 12.0), ("e", "commerce", 400.0)]
    words = [
        SeenWord(text, at, 40.0 * row, at + 20, 40.0 * row + 20, 20, 0.9)
        for row, (mark, word, left) in enumerate(rows)
        for at, text in ((left, mark), (left + 40, word))
    ]
    assert [word.text for word in mend_marks(words[:4])] == ["•", "Built", "•", "Nielsen"]
    assert [word.text for word in mend_marks([*words[:2], *words[4:]])][2] == "e"


def test_letters_take_a_known_share_of_their_size():
    assert share_of("aeo") < share_of("Ace") < share_of("Age")


def test_a_picture_of_several_pages_is_read_up_to_the_limit(monkeypatch):
    frames = [Image.new("RGB", (300, 400), "white") for _ in range(4)]
    buffer = BytesIO()
    frames[0].save(buffer, "TIFF", save_all=True, append_images=frames[1:])
    monkeypatch.setattr(
        "dibs.services.resumes.reading.scan.gathering.find_recogniser", lambda _: FakeRecogniser(seen("a b"))
    )
    document = read_document(buffer.getvalue(), limits=Limits(max_pages=3))
    assert (len(document.pages), document.page_count) == (3, 4)
    assert "truncated" in codes_of(document)


def test_a_photograph_that_says_how_it_was_held_is_put_upright(monkeypatch):
    photo = Image.new("RGB", (1600, 1800), "white")
    held = photo.getexif()
    held[0x0112] = 6
    buffer = BytesIO()
    photo.save(buffer, "JPEG", exif=held)
    fake = FakeRecogniser(seen("Jane Roe"))
    read_with(monkeypatch, fake, buffer.getvalue())
    assert fake.sizes == [(1800, 1600)]


def test_a_broken_picture_asks_for_another_upload():
    data = make_picture(*LINES)
    with pytest.raises(UnreadableDocument, match="upload it again") as refused:
        read_document(data[: len(data) // 2], ocr=Engine.RAPID)
    assert refused.value.code == "corrupted"


def test_a_soft_picture_is_still_read():
    soft = Image.open(BytesIO(make_picture("Jane Roe"))).filter(ImageFilter.GaussianBlur(1))
    recogniser = find_recogniser(Engine.RAPID)
    assert recogniser is not None
    assert [word.text for word in read_scan(soft, recogniser).words] == ["Jane", "Roe"]


def test_the_margins_of_a_page_are_left_out_and_nothing_faint_is():
    numpy = pytest.importorskip("numpy")
    margins = pytest.importorskip("dibs.services.resumes.reading.scan.margins")
    page = numpy.full((2_000, 1_400), 250, "int16")
    page[300:1_700:40, 200:1_200] = 0
    assert margins.find_print(page) == (200 - 32, 300 - 32, 1_200 + 32, 1_661 + 32)
    page[100:110, 1_300:1_310] = 225
    assert margins.find_print(page) == (200 - 32, 100 - 32, 1_310 + 32, 1_661 + 32)


def test_an_empty_page_and_a_page_of_one_line_keep_a_size_that_can_be_read():
    numpy = pytest.importorskip("numpy")
    margins = pytest.importorskip("dibs.services.resumes.reading.scan.margins")
    page = numpy.full((2_000, 1_400), 255, "int16")
    assert margins.find_print(page) == (0, 0, 1_400, 2_000)
    page[1_990:1_995, 10:900] = 0
    left, top, right, bottom = margins.find_print(page)
    assert (left, right, bottom) == (0, 932, 2_000)
    assert bottom - top >= 320
