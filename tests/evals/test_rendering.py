from io import BytesIO

import docx
import pypdfium2
import pytest
from markupsafe import escape

from evals.resumes.library import Order
from evals.resumes.rendering import drawn, word
from evals.resumes.rendering.scan import scan
from evals.resumes.rendering.web import render_html
from evals.resumes.report.reliability import draw, find_sure_share, make_bins
from evals.resumes.scoring.judging import Judged
from evals.resumes.templates import find_templates


def find_by_tool(tool):
    return [one for one in find_templates() if one.tool == tool]


def named(templates):
    return pytest.mark.parametrize("template", templates, ids=lambda one: one.name)


@named(find_by_tool("chromium"))
def test_a_web_page_shows_what_is_expected_of_it(template):
    sheet = Order(template, 0, ()).sheet()
    page = render_html(template.name, sheet)
    wanted = [sheet.truth["basics"]["email"], *(post.dates for post in sheet.work), *sheet.certificates]
    assert all(str(escape(text)) in page for text in wanted)


@named(find_by_tool("reportlab"))
def test_a_drawing_has_its_persons_name_in_it(template):
    sheet = Order(template, 0, ()).sheet()
    document = pypdfium2.PdfDocument(drawn.DRAWINGS[template.name](sheet))
    text = document[0].get_textpage().get_text_bounded()
    document.close()
    assert sheet.name in text
    assert sheet.truth["basics"]["phone"] in text


@named(find_by_tool("word"))
def test_a_word_file_holds_every_employer(template):
    sheet = Order(template, 0, ()).sheet()
    opened = docx.Document(BytesIO(word.WRITERS[template.name](sheet)))
    text = " ".join(node.text or "" for node in opened.element.body.iter() if node.tag.endswith("}t"))
    assert all(post.org in text for post in sheet.work)


def test_the_same_seed_gives_the_same_scan():
    page = drawn.draw_plain(Order(find_by_tool("reportlab")[0], 0, ()).sheet())
    assert scan(page, seed="x") == scan(page, seed="x")


def test_confidence_that_keeps_its_word_lies_on_the_diagonal():
    given = [Judged("name", "x", 0.9, number % 10 != 0) for number in range(100)]
    (only,) = make_bins(given)
    assert only.right == pytest.approx(0.9)
    share, amount = find_sure_share(given)
    assert share == pytest.approx(0.9)
    assert amount == 100
    assert draw([only], "names").startswith("<svg")
