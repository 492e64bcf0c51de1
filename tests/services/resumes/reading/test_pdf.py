"""Words of a PDF: where they stand, how they look, what they link to."""

import pytest
from reportlab.lib.pagesizes import A4

from dibs.services.resumes.reading import Limits, read_document
from dibs.services.resumes.reading.pdf.glyphs import Break, Glyph, Style
from dibs.services.resumes.reading.pdf.words import build_words
from dibs.services.resumes.reading.scan import Engine
from tests.services.resumes.making import BODY, codes_of, make_pdf, text_of, write


def read(*pages, **limits):
    return read_document(make_pdf(*pages), limits=Limits(**limits))


def test_a_word_stands_where_it_was_drawn():
    page = read(lambda paper: (paper.setFont("Helvetica-Bold", 20), write(paper, "Jane Roe-Smith junior", 100))).pages[
        0
    ]
    assert (page.width, page.height) == pytest.approx(A4, abs=0.1)
    jane, name, _ = page.words
    assert (jane.text, name.text) == ("Jane", "Roe-Smith")
    assert jane.box.left == pytest.approx(50)
    assert jane.box.top < 100 - 14 < 100 < jane.box.bottom
    assert (jane.size, jane.bold, jane.italic, jane.font) == (20, True, False, "Helvetica-Bold")
    assert jane.box.right < name.box.left


def test_colour_and_slant_are_read():
    def draw(paper):
        paper.setFont("Times-Italic", 12)
        paper.setFillColorRGB(1, 0, 0)
        write(paper)

    word = read(draw).pages[0].words[0]
    assert (word.color, word.italic, word.bold) == (0xFF0000, True, False)


def test_a_link_is_read_from_its_annotation_even_if_the_address_is_broken_over_two_lines():
    def draw(paper):
        write(paper, "jane.roe@exam", 100)
        write(paper, "ple.org is my address", 112)
        paper.linkURL("mailto:jane.roe@example.org", (50, A4[1] - 116, 120, A4[1] - 90))

    page = read(draw).pages[0]
    assert page.links[0].target == "mailto:jane.roe@example.org"
    assert [word.link is not None for word in page.words[:2]] == [True, True]
    assert page.words[-1].link is None


def test_words_without_space_characters_are_told_apart_by_their_gaps():
    def draw(paper):
        for left, word in ((50, "Senior"), (83, "Data"), (108, "Engineer")):
            write(paper, word, 100, left)

    assert text_of(read(draw)) == "Senior Data Engineer"


def test_spaced_letters_are_one_word():
    def draw(paper):
        text = paper.beginText(50, 700)
        text.setCharSpace(5)
        text.textOut("EXPERIENCE AND EDUCATION")
        paper.drawText(text)

    assert text_of(read(draw)) == "EXPERIENCE AND EDUCATION"


def test_columns_on_one_line_are_not_glued():
    page = read(lambda paper: (write(paper, "Berlin 2020", 100), write(paper, "Paris 2021", 100, 110))).pages[0]
    assert [word.text for word in page.words] == ["Berlin", "2020", "Paris", "2021"]


def test_shapes_are_kept_for_the_layout():
    def draw(paper):
        paper.setFillColorRGB(0.2, 0.2, 0.6)
        paper.rect(0, 0, 200, A4[1], fill=1, stroke=0)
        paper.line(250, 100, 250, 700)
        paper.setFillColorRGB(0, 0, 0)
        write(paper, left=300)

    side, line = read(draw).pages[0].shapes
    assert side.fill == 0x333399
    assert (side.box.left, side.box.right) == pytest.approx((0, 200), abs=1)
    assert line.box.right - line.box.left <= 3


def test_a_page_that_is_turned_is_read_as_it_is_seen():
    def draw(paper):
        paper.setPageRotation(90)
        paper.saveState()
        paper.translate(100, 200)
        paper.rotate(90)
        paper.drawString(0, 0, BODY)
        paper.restoreState()

    page = read(draw).pages[0]
    assert page.width < page.height
    assert [word.text for word in page.words] == BODY.split()
    tops = {round(word.box.top) for word in page.words}
    assert len(tops) == 1


def test_text_on_its_side_is_read_word_by_word():
    def draw(paper):
        paper.rotate(90)
        paper.drawString(200, -100, BODY)

    words = read(draw).pages[0].words
    assert [word.text for word in words] == BODY.split()
    assert len({round(word.box.left) for word in words}) == 1


def test_a_turned_page_reads_from_left_to_right():
    def draw(paper):
        paper.setPageRotation(90)
        paper.rotate(90)
        paper.drawString(200, -100, BODY)

    page = read(draw).pages[0]
    assert [word.box.left for word in page.words] == sorted(word.box.left for word in page.words)


def test_over_ten_pages_are_cut_with_a_warning():
    document = read(*[write] * 12)
    assert (len(document.pages), document.page_count) == (10, 12)
    assert codes_of(document) == ["truncated"]
    assert "12 pages" in document.flags[0].message


def test_too_many_letters_are_cut_with_a_warning():
    document = read(write, write, max_characters=60)
    assert sum(len(word.text) for page in document.pages for word in page.words) <= 60
    assert text_of(document).startswith(BODY)
    assert codes_of(document) == ["text_cut"]


def test_a_page_whose_font_does_not_say_its_letters_is_looked_at():
    document = read_document(make_unmapped(), ocr=Engine.LATER)
    assert document.pages[0].scanned
    assert {"unmapped_font", "ocr_pending"} <= set(codes_of(document))


def make_unmapped() -> bytes:
    """Write in a font whose letters are only numbers."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length 66>>stream\nBT /F 12 Tf 20 100 Td <00010002000300040005000600070008000900100011> Tj ET\nendstream",
        b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 8 0 R>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<<>>/FontDescriptor 7 0 R/DW 600>>",
        b"<</Type/FontDescriptor/FontName/X/Flags 4/ItalicAngle 0/Ascent 800/Descent -200/StemV 80/FontBBox[0 0 9 9]>>",
        b"<</Length 47>>stream\n1 beginbfrange <0000> <0020> <E000> endbfrange    \nendstream",
    ]
    numbered = (b"%d 0 obj\n%s\nendobj\n" % (number, body) for number, body in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + b"".join(numbered) + b"trailer<</Root 1 0 R>>"


def test_an_empty_page_gives_no_words_and_says_so():
    document = read(lambda paper: None)
    assert text_of(document) == ""
    assert codes_of(document) == ["no_text"]


def test_accents_drawn_by_themselves_and_ligatures_become_letters():
    style = Style("f", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    places = [("J", 0, 5), ("\u00a8", 5, 10), ("o", 5, 10), ("r", 10, 15), ("\ufb01", 15, 20)]
    glyphs = [Glyph(text, left, 0, right, 10, style) for text, left, right in places]
    assert [word.text for word in build_words(glyphs)] == ["Jörfi"]


def test_one_sign_that_stands_for_two_letters_gives_both():
    style = Style("f", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    places = [("H", 0, 7), ("o", 7, 12), ("f", 12, 18), ("f", 12, 18), ("m", 18, 25)]
    glyphs = [Glyph(text, left, 0, right, 10, style) for text, left, right in places]
    assert [word.text for word in build_words(glyphs)] == ["Hoffm"]


def test_a_letter_of_another_font_inside_a_word_does_not_glue_it_to_the_next():
    style = Style("f", 20, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    places = [("Đ", 51, 65), None, ("c", 80, 91), None, ("L", 96, 108), ("ê", 108, 120)]
    glyphs = [Glyph(place[0], place[1], 0, place[2], 20, style) if place else Break.SPACE for place in places]
    assert [word.text for word in build_words(glyphs)] == ["Đ", "c", "Lê"]


def test_an_underscore_that_hangs_below_its_neighbours_is_part_of_the_word():
    style = Style("f", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    places = [("a", 0, 5, 3, 9), ("_", 5, 10, 7.5, 11), ("b", 10, 15, 3, 9)]
    glyphs = [Glyph(text, left, top, right, bottom, style) for text, left, right, top, bottom in places]
    assert [word.text for word in build_words(glyphs)] == ["a_b"]


def test_a_letter_of_a_font_of_pictures_is_a_picture_also_where_it_touches_a_word():
    letters = Style("Lato-Regular", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    icons = letters._replace(font="FontAwesome5Free-Solid", drawn=1)
    glyphs = [Glyph("#", 0, 0, 5, 10, icons), Glyph("m", 5, 0, 10, 10, letters), Glyph("e", 10, 0, 15, 10, letters)]
    assert [word.text for word in build_words(glyphs)] == ["\ue000", "me"]


def test_a_bold_label_is_no_part_of_the_address_that_it_hardly_stands_apart_from():
    plain = Style("f", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    bold = plain._replace(bold=True, drawn=1)
    places = [("T", 0, bold), ("o", 5, bold), ("a", 11, plain), ("@", 16.9, plain), ("b", 22, plain)]
    glyphs = [Glyph(text, left, 0, left + 5, 10, style) for text, left, style in places]
    assert [word.text for word in build_words(glyphs)] == ["To", "a@b"]


@pytest.mark.parametrize("apart", [0, 1])
def test_letters_side_by_side_are_one_word_where_the_library_ends_a_line_behind_each(apart: int):
    style = Style("f", 10, bold=False, italic=False, color=0, alpha=255, mode=0, upright=True, drawn=0)
    step = 5 + apart
    glyphs: list[Glyph | Break] = []
    for at, letter in enumerate("mail@x.example"):
        glyphs += [Glyph(letter, step * at, 0, step * at + 5, 10, style), Break.LINE]
    begin = 14 * step + 3
    glyphs += [Glyph("+", begin, 0, begin + 5, 10, style), Break.LINE, Glyph("1", begin + 5, 0, begin + 10, 10, style)]
    assert [word.text for word in build_words(glyphs)] == ["mail@x.example", "+1"]


def test_small_capitals_are_one_word_with_the_large_one_before_them():
    def draw(paper):
        left = 50.0
        for size, text in ((14, "W"), (11.2, "ORK "), (14, "G"), (11.2, "MB"), (14, "H")):
            paper.setFont("Helvetica-Bold", size)
            write(paper, text, 100, left)
            left += paper.stringWidth(text, "Helvetica-Bold", size)

    words = read(draw).pages[0].words
    assert [(word.text, word.size) for word in words] == [("WORK", 14), ("GMBH", 14)]


def test_a_raised_letter_does_not_become_part_of_a_word():
    def draw(paper):
        write(paper, "ACME", 100)
        width = paper.stringWidth("ACME", "Helvetica", 10)
        paper.setFont("Helvetica", 7)
        write(paper, "TM", 95, 50 + width)

    assert [word.text for word in read(draw).pages[0].words] == ["ACME", "TM"]
