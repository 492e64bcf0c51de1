"""Text that a person would not see is kept out of the words, and flagged."""

import pytest
from PIL import Image
from PIL.ImageColor import getrgb
from reportlab.lib.colors import Color
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader

from dibs.services.resumes.reading import read_document
from dibs.services.resumes.reading.html.css.colors import read_color
from tests.services.resumes.making import (
    BODY,
    NAMESPACE,
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


def outlined_in_white(paper):
    paper.setStrokeColorRGB(1, 1, 1)
    text = paper.beginText(50, 600)
    text.setTextRenderMode(1)
    text.textOut(SECRET)
    paper.drawText(text)


def pale_yellow(paper):
    paper.setFillColorRGB(1, 1, 0.88)
    write(paper, SECRET, 200)


def covered_by_strips(paper):
    write(paper, SECRET, 200)
    paper.setFillColorRGB(1, 1, 1)
    for step in range(20):
        paper.rect(40, A4[1] - 207 + step, 400, 1.2, fill=1, stroke=0)


def covered_by_a_thick_line(paper):
    write(paper, SECRET, 200)
    paper.setStrokeColorRGB(1, 1, 1)
    paper.setLineWidth(30)
    paper.line(40, A4[1] - 197, 450, A4[1] - 197)


def covered_by_shades_of_white(paper):
    write(paper, SECRET, 200)
    path = paper.beginPath()
    path.rect(40, A4[1] - 210, 400, 30)
    paper.clipPath(path, stroke=0)
    paper.linearGradient(0, 0, 500, 500, (Color(1, 1, 1), Color(1, 1, 1)))


def in_a_form_that_is_cut_away(paper):
    paper.beginForm("cut")
    paper.setFont("Helvetica", 10)
    write(paper, SECRET, 200)
    paper.endForm()
    path = paper.beginPath()
    path.rect(0, 0, 5, 5)
    paper.clipPath(path, stroke=0, fill=0)
    paper.doForm("cut")


TRICKS = {
    outlined_in_white: "same_color",
    pale_yellow: "same_color",
    covered_by_strips: "covered",
    covered_by_a_thick_line: "covered",
    covered_by_shades_of_white: "covered",
    in_a_form_that_is_cut_away: "clipped",
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
    def draw(paper):
        paper.drawImage(ImageReader(Image.new("RGB", (8, 8), "navy")), 0, A4[1] - 200, 595, 200)
        paper.setFillColorRGB(1, 1, 1)
        write(paper)

    document = read_document(make_pdf(draw))
    assert text_of(document) == BODY
    assert document.hidden == ()


def test_blue_letters_on_a_dark_side_are_read():
    def draw(paper):
        paper.setFillColorRGB(0, 0.17, 0.21)
        paper.rect(0, 0, 400, A4[1], fill=1, stroke=0)
        paper.setFillColorRGB(0, 0, 0.93)
        write(paper)

    assert text_of(read_document(make_pdf(draw))) == BODY


def test_letters_before_a_frame_that_is_drawn_later_are_read():
    def draw(paper):
        write(paper)
        paper.rect(40, A4[1] - 120, 500, 40, fill=0, stroke=1)

    assert text_of(read_document(make_pdf(draw))) == BODY


def test_a_shadow_in_the_colour_of_the_paper_does_not_hide_the_text_before_it():
    def draw(paper):
        paper.setFillColorRGB(1, 1, 1)
        write(paper, BODY, 101, 51)
        paper.setFillColorRGB(0, 0, 0)
        write(paper, BODY, 100, 50)

    document = read_document(make_pdf(draw))
    assert text_of(document) == BODY


def test_text_with_a_shadow_letter_by_letter_is_read_once():
    def draw(paper):
        left = 50.0
        for letter in "Shadow":
            for color, moved in ((0.8, 0.7), (0.0, 0.0)):
                paper.setFillColorRGB(color, color, color)
                write(paper, letter, 100 + moved, left + moved)
            left += paper.stringWidth(letter, "Helvetica", 10)
        write(paper, "and more of it", 120)

    assert text_of(read_document(make_pdf(draw))) == "Shadow and more of it"


def test_words_drawn_twice_are_read_once():
    document = read_document(make_pdf(lambda paper: (write(paper, BODY, 100, 50), write(paper, BODY, 100, 50.3))))
    assert text_of(document) == BODY


NEWER = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
INK = f"<w14:textFill {NEWER}><w14:solidFill>{{}}</w14:solidFill></w14:textFill>"
DOCX_TRICKS = {
    "<w:vanish/>": "vanish",
    '<w:color w:val="FFFFFF"/>': "same_color",
    '<w:color w:val="auto" w:themeColor="background1"/>': "same_color",
    '<w:sz w:val="2"/>': "tiny",
    '<w:color w:val="202060"/><w:shd w:val="clear" w:fill="202060"/>': "same_color",
    '<w:color w:val="000000"/><w:highlight w:val="black"/>': "same_color",
    '<w:w w:val="1"/>': "tiny",
    '<w:spacing w:val="-400"/>': "tiny",
    '<w:position w:val="-3000"/>': "off_page",
    f"<w14:textFill {NEWER}><w14:noFill/></w14:textFill>": "transparent",
    INK.format('<w14:srgbClr w14:val="FFFFFF"/>'): "same_color",
    INK.format('<w14:schemeClr w14:val="bg1"/>'): "same_color",
    INK.format('<w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr>'): "transparent",
}


@pytest.mark.parametrize(("properties", "reason"), DOCX_TRICKS.items())
def test_a_docx_with_hidden_text_reads_as_without_it(properties, reason):
    document = read_document(pack_docx(paragraph(BODY) + paragraph(SECRET, properties)))
    assert text_of(document) == BODY
    assert [(hidden.text, hidden.reason) for hidden in document.hidden] == [(SECRET, reason)]
    assert codes_of(document) == ["hidden_text"]


def set_so(properties: str) -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{SECRET}</w:t></w:r></w:p>"


def in_row(properties: str, table: str = "") -> str:
    return f"<w:tbl>{table}<w:tr>{properties}<w:tc>{paragraph(SECRET)}</w:tc></w:tr></w:tbl>"


DRAWN = "http://schemas.openxmlformats.org/drawingml/2006"
SPACES = f'xmlns:p="{DRAWN}/wordprocessingDrawing" xmlns:v="urn:schemas-microsoft-com:vml"'


def boxed(across: int, width: int, looks: str = "") -> str:
    place = f"<p:positionH><p:posOffset>{across}</p:posOffset></p:positionH>"
    content = f"<w:txbxContent>{paragraph(SECRET)}</w:txbxContent>"
    anchor = f'<p:anchor>{place}<p:extent cx="{width}" cy="900000"/>{content}</p:anchor>'
    return f"<w:p><w:r><w:rPr>{looks}</w:rPr><w:drawing {SPACES}>{anchor}</w:drawing></w:r></w:p>"


def boxed_of_old(style: str) -> str:
    content = f"<v:textbox><w:txbxContent>{paragraph(SECRET)}</w:txbxContent></v:textbox>"
    return f'<w:p><w:r><w:pict {SPACES}><v:shape style="{style}">{content}</v:shape></w:pict></w:r></w:p>'


PLACES = {
    set_so('<w:spacing w:line="10" w:lineRule="exact"/>'): "clipped",
    set_so('<w:ind w:left="-30000"/>'): "off_page",
    set_so('<w:ind w:left="31000"/>'): "off_page",
    set_so('<w:framePr w:w="100" w:x="-20000" w:y="9" w:hAnchor="page"/>'): "off_page",
    set_so('<w:framePr w:w="9000" w:h="20" w:hRule="exact"/>'): "clipped",
    in_row("<w:trPr><w:hidden/></w:trPr>"): "vanish",
    in_row('<w:trPr><w:trHeight w:val="10" w:hRule="exact"/></w:trPr>'): "clipped",
    in_row("", '<w:tblPr><w:tblInd w:w="-30000"/></w:tblPr>'): "off_page",
    in_row("", '<w:tblPr><w:tblpPr w:tblpX="-30000" w:tblpY="9"/></w:tblPr>'): "off_page",
    boxed(-99_999_999, 2_000_000): "off_page",
    boxed(100_000, 1): "clipped",
    boxed(100_000, 2_000_000, "<w:vanish/>"): "vanish",
    boxed_of_old("position:absolute;left:-9999pt;top:0;width:99pt;height:50pt"): "off_page",
    boxed_of_old("width:0;height:0"): "clipped",
}


@pytest.mark.parametrize(("body", "reason"), PLACES.items())
def test_a_docx_with_text_at_a_place_that_nobody_sees_reads_as_without_it(body, reason):
    document = read_document(pack_docx(paragraph(BODY) + body))
    assert text_of(document) == BODY
    assert [(hidden.text, hidden.reason) for hidden in document.hidden] == [(SECRET, reason)]
    assert codes_of(document) == ["hidden_text"]


@pytest.mark.parametrize(
    "body", [boxed(100_000, 2_000_000), boxed_of_old("left:1200;top:4000;width:5000;height:300"), in_row("")]
)
def test_boxes_and_rows_on_the_page_are_read(body):
    assert SECRET in text_of(read_document(pack_docx(paragraph(BODY) + body)))


def test_a_style_that_hides_its_table_hides():
    style = '<w:style w:type="table" w:styleId="T"><w:rPr><w:vanish/></w:rPr></w:style>'
    table = in_row("", '<w:tblPr><w:tblStyle w:val="T"/></w:tblPr>')
    styles = f"<w:styles {NAMESPACE}>{style}</w:styles>".encode()
    document = read_document(pack_docx(paragraph(BODY) + table, **{"word/styles.xml": styles}))
    assert (text_of(document), hidden_of(document)) == (BODY, SECRET)


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
    "color:#123;background:currentColor",
    "position:fixed;top:-400px",
    "color:hsl(0, 0%, 100%)",
    "color:color(srgb 1 1 1)",
    "color:oklch(1 0 0)",
    "color:lightyellow",
    "color:#fff;background:linear-gradient(#fff,#fefefe)",
    "-webkit-text-fill-color:transparent",
    "font:1px/1 Arial",
    "zoom:0.01",
    "letter-spacing:-1em",
    "height:0;overflow-y:hidden",
    "height:0;overflow:auto",
    "line-height:0;overflow:hidden",
    "text-indent:100%;white-space:nowrap;overflow:hidden",
    "clip-path:polygon(0 0,0 0,0 0)",
    "clip-path:inset(0 100% 0 0)",
    "position:absolute;bottom:-9999px",
    "position:absolute;inset:-9999px auto auto -9999px",
    "position:absolute;left:200vw",
    "position:absolute;left:calc(-1 * 9999px)",
    "margin:0 0 0 -9999px",
    "margin-top:-9999px",
    "transform:translate(0,-9999px)",
    "translate:-9999px",
    "scale:0",
    "transform:scale3d(0,0,0)",
    "transform:matrix(0,0,0,0,0,0)",
    "transform:rotateY(90deg)",
    "filter:opacity(1%)",
    "mask-image:linear-gradient(transparent,transparent)",
    "display:/**/none",
    "d\\69splay:none",
    "--off:none;display:var(--off)",
]


@pytest.mark.parametrize("style", HTML_TRICKS)
@pytest.mark.parametrize("form", ["<p style='{style}'>", "<style>.x{{{style}}}</style><p class='x'>"])
def test_a_page_with_hidden_text_reads_as_without_it(style, form):
    page = f"<html><body><p>{BODY}</p>{form.format(style=style)}{SECRET}</p></body></html>"
    document = read_document(page.encode())
    assert text_of(document) == BODY
    assert hidden_of(document) == SECRET
    assert codes_of(document) == ["hidden_text"]


AROUND = [
    "<table><tr style='display:none'><td>{}</td><td></td></tr></table>",
    "<table><tbody style='color:#fff'><tr><td>{}</td></tr></tbody></table>",
    "<div style='opacity:.3'><p style='opacity:.3'><b style='opacity:.3'>{}</b></p></div>",
    "<div style='position:relative'><p>{}</p><i style='position:absolute;inset:0;background:#fff'></i></div>",
    "<font color=FFFFFF>{}</font>",
    "<style>body{{.x{{display:none}}}}</style><p class=x>{}</p>",
    "<style>@container (min-width:0){{.x{{display:none}}}}</style><p class=x>{}</p>",
    "<style><!-- .x{{display:none}} --></style><p class=x>{}</p>",
]


@pytest.mark.parametrize("form", AROUND)
def test_text_that_is_hidden_by_what_is_around_it_is_not_read(form):
    document = read_document(f"<html><body><p>{BODY}</p>{form.format(SECRET)}</body></html>".encode())
    assert (text_of(document), hidden_of(document)) == (BODY, SECRET)
    assert codes_of(document) == ["hidden_text"]


@pytest.mark.parametrize(
    "style",
    [
        "margin:0 auto;font:italic 12px/1.4 Arial",
        "line-height:1;overflow:hidden",
        "transform:scale(.9) translate(4px,2px)",
        "opacity:.6",
        "background:linear-gradient(#123,#456);color:#fff",
        "letter-spacing:-.02em",
        "position:absolute;inset:0;background:#fff",
    ],
)
def test_styles_of_ordinary_pages_hide_nothing(style):
    page = f"<html><body><div><p style='{style}'>{BODY}</p></div></body></html>"
    document = read_document(page.encode())
    assert (text_of(document), document.hidden) == (BODY, ())


@pytest.mark.parametrize(
    "hidden",
    [
        f"<p hidden>{SECRET}</p>",
        f"<noframes>{SECRET}</noframes>",
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


def test_a_colour_by_name_is_told_also_after_somebody_drew_with_it() -> None:
    assert [read_color("white") for _ in range(2)] == [(0xFFFFFF, 1.0)] * 2
    getrgb("ivory")
    assert read_color("ivory") == (0xFFFFF0, 1.0)
