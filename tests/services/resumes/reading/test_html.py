"""HTML: what a browser would show, in its order."""

import pytest

from dibs.services.resumes.document import Document
from dibs.services.resumes.reading import read_document
from tests.services.resumes.making import blocks_of, codes_of, lines_of, text_of


def read(body: str, style: str = "") -> Document:
    return read_document(
        f"<html><head><title>t</title><style>{style}</style></head><body>{body}</body></html>".encode()
    )


def test_headings_lists_and_looks_are_read():
    name, heading, items, text = blocks_of(
        read("<h1>Jane</h1><h2>Work</h2><ul><li>One</li><li>Two</li></ul><p><b>Bold</b> not</p>")
    )
    assert (name.heading, heading.heading) == (1, 2)
    assert [(line.text, line.bullet) for line in items.lines] == [("One", True), ("Two", True)]
    assert [word.bold for word in text.lines[0].words] == [True, False]
    assert name.lines[0].words[0].size > heading.lines[0].words[0].size > text.lines[0].words[0].size


def test_a_word_over_several_elements_is_one_word():
    assert lines_of(read("<p>jane<b>.roe</b>@example<wbr>.org</p>")) == ["jane.roe@example.org"]


def test_white_space_is_collapsed_and_breaks_are_kept():
    assert lines_of(read("<p>one\n   two<br>three</p><pre>four\nfive</pre>")) == ["one two", "three", "four", "five"]


@pytest.mark.parametrize("inside", ["", " ", "<!-- x -->"])
def test_a_link_with_nothing_in_it_is_none(inside):
    document = read(f'<p>Mail</p><a href="mailto:j@a.example">{inside}</a>')
    assert document.pages[0].links == ()


def test_links_are_read_also_where_an_icon_stands_for_them():
    document = read(
        '<a href="mailto:j@a.example">Mail</a> <a href="https://code.example/j"><svg><title>x</title></svg></a>'
    )
    assert [(word.text, word.link) for word in document.pages[0].words] == [("Mail", "mailto:j@a.example")]
    assert [link.target for link in document.pages[0].links] == ["https://code.example/j"]


def test_items_of_a_row_share_a_line_and_stand_apart():
    line = read("<div class=r><b>Acme</b><span>2020</span></div>", ".r{display:flex;justify-content:space-between}")
    words = blocks_of(line)[0].lines[0].words
    assert [word.text for word in words] == ["Acme", "2020"]
    assert words[1].box.left - words[0].box.right > 2 * words[0].size


def test_chips_are_not_glued():
    document = read("<span class=c>Python</span><span class=c>SQL</span>", ".c{display:inline-block;padding:2px 6px}")
    python, sql = blocks_of(document)[0].lines[0].words
    assert (python.text, sql.text) == ("Python", "SQL")
    assert sql.box.left - python.box.right > python.size


LONG = "Some sentences about what was done there, one after the other, for several years in a row. "
SIDES = f"<aside><h2>Skills</h2><p>Python</p><p>{LONG}</p></aside><main><h2>Work</h2><p>{LONG}</p></main>"


@pytest.mark.parametrize(
    "style", [".w{display:flex}", ".w{display:grid;grid-template-columns:200px 1fr}", "aside{float:left;width:30%}"]
)
def test_long_parts_side_by_side_are_columns(style):
    document = read(f"<div class=w>{SIDES}</div>", style)
    assert lines_of(document)[:2] == ["Skills", "Python"]
    columns = [block.column for block in blocks_of(document)]
    assert len(set(columns)) == 2
    assert columns == sorted(columns, key=columns.index)


def test_a_flex_column_is_no_row():
    document = read("<div class=w><p>One</p><p>Two</p></div>", ".w{display:flex;flex-direction:column}")
    assert lines_of(document) == ["One", "Two"]


def test_a_data_table_is_rows_and_a_layout_table_columns():
    rows = blocks_of(read("<table><tr><th>Language<th>Level<tr><td>German<td>C1</table>"))
    assert [[line.text for line in row.lines] for row in rows] == [["Language", "Level"], ["German", "C1"]]
    assert all(row.cells for row in rows)
    sides = f"<table><tr><td><h2>Skills</h2><p>{LONG}</p></td><td><h2>Work</h2><p>{LONG}</p></td></tr></table>"
    assert len({block.column for block in blocks_of(read(sides))}) == 2


def test_scripts_are_not_text_and_flagged():
    document = read("<p>Body</p><script>var secret = 1</script>")
    assert text_of(document) == "Body"
    assert codes_of(document) == ["scripts"]


def test_variables_and_importance_of_styles_are_followed():
    style = ":root{--ink:#fff} #a{color:var(--ink)!important} p{color:#000}"
    assert text_of(read("<p id=a>gone</p><p>here</p>", style)) == "here"


def test_broken_styles_and_markup_are_survived():
    assert text_of(read("<p>One<div>Two</p></span>", "}}{ p{color:; @media { a[ {x:y")) == "One Two"


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("utf-8", ""), ("utf-8", "utf-8"), ("iso-8859-1", "iso-8859-1"), ("windows-1252", "windows-1252"), ("utf-16", "")],
)
def test_the_encoding_is_what_the_page_says(encoding, declared):
    meta = f'<meta charset="{declared}">' if declared else ""
    page = f"<html><head>{meta}</head><body><p>Zoë Müller</p></body></html>"
    assert text_of(read_document(page.encode(encoding))) == "Zoë Müller"


def test_elements_nested_without_end_are_survived():
    assert "deep" in text_of(read("<div>" * 5_000 + "deep" + "</div>" * 5_000))
