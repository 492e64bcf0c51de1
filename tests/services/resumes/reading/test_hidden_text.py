"""Text that a person would not see is kept out of the words, and flagged."""

import pytest
from reportlab.lib.pagesizes import A4

from dibs.services.resumes.reading import read_document
from tests.services.resumes.making import (
    BODY,
    SECRET,
    codes_of,
    hidden_of,
    make_docx,
    make_pdf,
    pack_docx,
    paragraph,
    text_of,
    write,
)


def white(paper):
    paper.setFillColorRGB(1, 1, 1)
    write(paper, SECRET, 200)


def nearly_white(paper):
    paper.setFillColorRGB(0.97, 0.97, 0.97)
    write(paper, SECRET, 200)


def dark_on_dark(paper):
    paper.setFillColorRGB(0.1, 0.1, 0.3)
    paper.rect(40, A4[1] - 250, 400, 100, fill=1, stroke=0)
    write(paper, SECRET, 200)


def tiny(paper):
    paper.setFont("Helvetica", 1)
    write(paper, SECRET, 200)


def off_page(paper):
    write(paper, SECRET, -50)


def beside_page(paper):
    write(paper, SECRET, 200, left=2000)


def covered(paper):
    write(paper, SECRET, 200)
    paper.setFillColorRGB(1, 1, 1)
    paper.rect(40, A4[1] - 210, 400, 30, fill=1, stroke=0)


def covered_by_picture(paper):
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    write(paper, SECRET, 200)
    picture = Image.effect_noise((64, 64), 90).convert("RGB")
    paper.drawImage(ImageReader(picture), 40, A4[1] - 260, 400, 120)


def without_ink(paper):
    text = paper.beginText(50, 600)
    text.setTextRenderMode(3)
    text.textOut(SECRET)
    paper.drawText(text)


def transparent(paper):
    paper.setFillAlpha(0.01)
    write(paper, SECRET, 200)


def cut_away(paper):
    path = paper.beginPath()
    path.rect(0, 0, 10, 10)
    paper.clipPath(path, stroke=0, fill=0)
    write(paper, SECRET, 200)


def squeezed(paper):
    text = paper.beginText(50, 600)
    text.setHorizScale(1)
    text.textOut(SECRET)
    paper.drawText(text)


TRICKS = {
    white: "same_color",
    nearly_white: "same_color",
    dark_on_dark: "same_color",
    tiny: "tiny",
    off_page: "off_page",
    beside_page: "off_page",
    covered: "covered",
    covered_by_picture: "covered",
    without_ink: "invisible",
    transparent: "transparent",
    cut_away: "clipped",
    squeezed: "tiny",
}


@pytest.mark.parametrize(("hide", "reason"), TRICKS.items(), ids=lambda one: getattr(one, "__name__", one))
def test_a_pdf_with_hidden_text_reads_as_without_it(hide, reason):
    def draw(paper):
        write(paper)
        hide(paper)

    document = read_document(make_pdf(draw))
    assert text_of(document) == BODY
    assert SECRET.split()[0] in hidden_of(document)
    assert {hidden.reason for hidden in document.hidden} == {reason}
    assert "hidden_text" in codes_of(document)


def test_white_letters_on_a_dark_side_are_read():
    def draw(paper):
        paper.setFillColorRGB(0.1, 0.1, 0.3)
        paper.rect(0, 0, 250, A4[1], fill=1, stroke=0)
        paper.setFillColorRGB(1, 1, 1)
        write(paper, left=20)

    document = read_document(make_pdf(draw))
    assert text_of(document) == BODY
    assert codes_of(document) == []


def test_white_letters_on_a_dark_picture_are_read():
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    def draw(paper):
        paper.drawImage(ImageReader(Image.new("RGB", (8, 8), "navy")), 0, A4[1] - 200, 595, 200)
        paper.setFillColorRGB(1, 1, 1)
        write(paper)

    document = read_document(make_pdf(draw))
    assert text_of(document) == BODY
    assert document.hidden == ()


def test_letters_before_a_frame_that_is_drawn_later_are_read():
    def draw(paper):
        write(paper)
        paper.rect(40, A4[1] - 120, 500, 40, fill=0, stroke=1)

    assert text_of(read_document(make_pdf(draw))) == BODY


DOCX_TRICKS = {
    "<w:vanish/>": "vanish",
    '<w:color w:val="FFFFFF"/>': "same_color",
    '<w:color w:val="auto" w:themeColor="background1"/>': "same_color",
    '<w:sz w:val="2"/>': "tiny",
    '<w:color w:val="202060"/><w:shd w:val="clear" w:fill="202060"/>': "same_color",
}


@pytest.mark.parametrize(("properties", "reason"), DOCX_TRICKS.items())
def test_a_docx_with_hidden_text_reads_as_without_it(properties, reason):
    document = read_document(pack_docx(paragraph(BODY) + paragraph(SECRET, properties)))
    assert text_of(document) == BODY
    assert [(hidden.text, hidden.reason) for hidden in document.hidden] == [(SECRET, reason)]
    assert codes_of(document) == ["hidden_text"]


def test_text_that_was_deleted_or_moved_away_is_not_read():
    deleted = f"<w:p><w:del><w:r><w:delText>{SECRET}</w:delText></w:r></w:del></w:p>"
    moved = f"<w:p><w:moveFrom><w:r><w:t>{SECRET}</w:t></w:r></w:moveFrom></w:p>"
    assert text_of(read_document(pack_docx(paragraph(BODY) + deleted + moved))) == BODY


def test_white_letters_in_a_dark_cell_are_read():
    cell = '<w:tc><w:tcPr><w:shd w:val="clear" w:fill="1F3864"/></w:tcPr>' + paragraph(
        BODY, '<w:color w:val="FFFFFF"/>'
    )
    document = read_document(pack_docx(f"<w:tbl><w:tr>{cell}</w:tc></w:tr></w:tbl>"))
    assert text_of(document) == BODY
    assert document.hidden == ()


def test_a_hidden_style_hides():
    def fill(document):
        document.add_paragraph(BODY)
        style = document.styles.add_style("Ghost", 1)
        style.font.hidden = True
        document.add_paragraph(SECRET, style="Ghost")

    assert text_of(read_document(make_docx(fill))) == BODY


HTML_TRICKS = [
    "display:none",
    "visibility:hidden",
    "opacity:0",
    "font-size:0",
    "font-size:1px",
    "color:#fff",
    "color:white",
    "color:rgb(254, 254, 254)",
    "color:transparent",
    "color:rgba(0,0,0,0)",
    "position:absolute;left:-9999px",
    "text-indent:-9999px",
    "position:absolute;clip:rect(0,0,0,0)",
    "clip-path:inset(100%)",
    "height:0;overflow:hidden",
    "transform:scale(0)",
    "color:#123;background:#123",
]


@pytest.mark.parametrize("style", HTML_TRICKS)
@pytest.mark.parametrize("form", ["<p style='{style}'>", "<style>.x{{{style}}}</style><p class='x'>"])
def test_a_page_with_hidden_text_reads_as_without_it(style, form):
    page = f"<html><body><p>{BODY}</p>{form.format(style=style)}{SECRET}</p></body></html>"
    document = read_document(page.encode())
    assert text_of(document) == BODY
    assert hidden_of(document) == SECRET
    assert codes_of(document) == ["hidden_text"]


@pytest.mark.parametrize(
    "hidden",
    [
        f"<p hidden>{SECRET}</p>",
        f"<template>{SECRET}</template>",
        f"<!-- {SECRET} -->",
        f"<noscript>{SECRET}</noscript>",
    ],
)
def test_what_a_browser_does_not_show_is_not_read(hidden):
    assert text_of(read_document(f"<html><body><p>{BODY}</p>{hidden}</body></html>".encode())) == BODY


def test_rules_for_print_and_small_screens_hide_nothing():
    rules = "@media print{.x{display:none}} @media (max-width: 600px){.x{display:none}}"
    page = f"<html><head><style>{rules}</style></head><body><p class='x'>{BODY}</p></body></html>"
    assert text_of(read_document(page.encode())) == BODY


def test_a_child_may_undo_visibility():
    page = f"<html><body><div style='visibility:hidden'>{SECRET}<p style='visibility:visible'>{BODY}</p></div></body>"
    assert text_of(read_document(page.encode())) == BODY


def as_tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


@pytest.mark.parametrize(
    ("letters", "reason", "told"),
    [
        (as_tags(SECRET), "tag_characters", SECRET),
        ("\u200b\u2060" * 40, "zero_width", "80 letters"),
        ("\u200c\u200d" * 40, "zero_width", "80 letters"),
    ],
)
@pytest.mark.parametrize("form", ["{}", "<html><body><p>{}</p></body></html>"])
def test_letters_that_are_never_drawn_are_taken_out(letters, reason, told, form):
    document = read_document(form.format(f"Visible{letters} words").encode())
    assert text_of(document) == "Visible words"
    assert [(hidden.text, hidden.reason) for hidden in document.hidden] == [(told, reason)]
    assert codes_of(document) == ["hidden_text"]


def test_a_single_zero_width_space_or_soft_hyphen_is_dropped_without_a_flag():
    document = read_document("engi\u00adneer at\u200b work".encode())
    assert text_of(document) == "engineer at work"
    assert codes_of(document) == []


def test_joiners_that_a_script_needs_stay():
    assert text_of(read_document("می‌خواهم".encode())) == "می‌خواهم"
