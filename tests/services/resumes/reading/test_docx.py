"""A DOCX: paragraphs, tables, boxes and margins, in the order in which a person reads them."""

import pytest
from docx.shared import Pt

from dibs.services.resumes.document import Document
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding.sections.rows import make_rows
from tests.services.resumes.making import (
    BODY,
    NAMESPACE,
    OFFICE,
    RELATIONS,
    SECRET,
    blocks_of,
    codes_of,
    lines_of,
    make_docx,
    pack,
    pack_docx,
    paragraph,
    text_of,
)


def read(fill) -> Document:
    return read_document(make_docx(fill))


def words_of(document: Document) -> list[tuple[str, float]]:
    return [(word.text, word.box.left) for page in document.pages for word in page.words]


def test_headings_bullets_and_looks_are_read():
    def fill(document):
        document.add_heading("Jane Roe", 0)
        document.add_heading("Experience", 1)
        document.add_paragraph().add_run("Acme").bold = True
        document.add_paragraph("Built things", style="List Bullet")
        document.add_paragraph("• Sold things")

    title, heading, *rest = blocks_of(read(fill))
    assert (title.heading, heading.heading) == (0, 1)
    acme, built, sold = [line for block in rest for line in block.lines]
    assert (acme.words[0].bold, acme.bullet) == (True, False)
    assert (built.text, built.bullet) == ("Built things", True)
    assert (sold.text, sold.bullet) == ("Sold things", True)
    assert title.lines[0].words[0].size > 20 > acme.words[0].size


def test_a_word_cut_over_several_runs_is_one_word():
    def fill(document):
        line = document.add_paragraph()
        line.add_run("jane.")
        line.add_run("roe@exam").bold = True
        line.add_run("ple.org and ")
        line.add_run("more")

    assert lines_of(read(fill)) == ["jane.roe@example.org and more"]


def test_a_tab_keeps_what_is_at_the_right_apart():
    def fill(document):
        document.add_paragraph("Acme\t2020 - 2022")

    line = blocks_of(read(fill))[0].lines[0]
    acme, year = line.words[:2]
    assert year.box.left - acme.box.right > acme.size


def test_each_of_several_tabs_goes_on_to_the_next_stop():
    def fill(document):
        line = document.add_paragraph("DATEV\tLohnbuchhaltung\tUmsatzsteuer")
        for stop in (165, 330):
            line.paragraph_format.tab_stops.add_tab_stop(Pt(stop))

    line = blocks_of(read(fill))[0].lines[0]
    assert [word.box.left - line.box.left for word in line.words] == [0, 165, 330]


def test_many_spaces_keep_what_is_at_the_right_apart():
    def fill(document):
        line = document.add_paragraph("Acme      2020 - 2022   ")
        line.add_run("Lima")

    row = make_rows(blocks_of(read(fill))[0], starts=True)
    assert [part.text for part in next(row).parts] == ["Acme", "2020 - 2022", "Lima"]


def test_a_symbol_parts_what_stands_around_it_and_leaves_nothing_at_the_front():
    icon = '<w:r><w:sym w:font="Wingdings" w:char="F028"/></w:r>'
    phone, street = (
        paragraph(text).removeprefix("<w:p>").removesuffix("</w:p>") for text in ("+1 555", "23 High Road")
    )
    document = read_document(pack_docx(f"<w:p>{icon}{phone}{icon}{street}</w:p>"))
    assert lines_of(document) == ["+1 555\uf02823 High Road"]


def test_a_line_break_parts_a_paragraph():
    assert lines_of(read(lambda document: document.add_paragraph("Acme\nBerlin"))) == ["Acme", "Berlin"]


def test_a_table_of_few_words_is_read_as_rows():
    def fill(document):
        table = document.add_table(2, 3)
        for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
            cell.text = f"skill {number}"

    first, second = blocks_of(read(fill))
    assert first.cells
    assert [line.text for line in first.lines] == ["skill 0", "skill 1", "skill 2"]
    assert [line.text for line in second.lines] == ["skill 3", "skill 4", "skill 5"]
    assert first.lines[0].box.right < first.lines[1].box.left


def test_a_table_that_parts_the_page_is_read_column_by_column():
    def fill(document):
        left, right = document.add_table(1, 2).rows[0].cells
        for cell, words in ((left, ("SKILLS", "Python", "SQL")), (right, ("EXPERIENCE", "Acme", "Did this and that"))):
            for text in words:
                cell.add_paragraph(text)

    document = read(fill)
    assert lines_of(document) == ["SKILLS", "Python", "SQL", "EXPERIENCE", "Acme", "Did this and that"]
    assert len({block.column for block in blocks_of(document)}) == 2


def test_a_table_with_labels_at_the_left_is_read_row_by_row():
    def fill(document):
        rows = {"Experience": ("Acme", "Builder of things"), "Education": ("A school", "A degree")}
        table = document.add_table(0, 2)
        for label, texts in rows.items():
            cells = table.add_row().cells
            cells[0].text = label
            for text in texts:
                cells[1].add_paragraph(text)

    assert lines_of(read(fill)) == ["Experience", "Acme", "Builder of things", "Education", "A school", "A degree"]


@pytest.mark.parametrize("where", [0, 1, 2])
@pytest.mark.parametrize("rows", [("Northwind Ltd", "2020 - 2022"), ("2020 - 2022", "Northwind Ltd")])
@pytest.mark.parametrize("text", [SECRET, f"{SECRET}\n2019", "SKILLS"])
def test_what_nobody_sees_changes_nothing_about_the_table_it_stands_in(rows, where, text):
    def make(document, *, is_planted):
        table = document.add_table(0, 3)
        for _ in range(2):
            cells = table.add_row().cells
            for cell, said in zip(cells, (rows[0], "Baker", rows[1]), strict=True):
                cell.text = said
            cells[1].add_paragraph("Baked for the whole of the town, all night and all day.")
            if is_planted:
                cells[where].add_paragraph().add_run(text).font.hidden = True

    plain, planted = (read(lambda document, one=one: make(document, is_planted=one)) for one in (False, True))
    assert planted.hidden
    assert [words_of(planted), lines_of(planted)] == [words_of(plain), lines_of(plain)]


def test_a_table_in_a_table_is_read():
    def fill(document):
        cell = document.add_table(1, 1).rows[0].cells[0]
        cell.add_table(1, 1).rows[0].cells[0].text = "Inside of the inside"

    assert lines_of(read(fill)) == ["Inside of the inside"]


def test_headers_and_footers_are_read_once_and_page_numbers_not_at_all():
    def fill(document):
        section = document.sections[0]
        section.different_first_page_header_footer = True
        section.header.paragraphs[0].text = section.first_page_header.paragraphs[0].text = "Jane Roe"
        section.footer.paragraphs[0].text = "jane@example.org"
        document.add_paragraph("Body")

    assert lines_of(read(fill)) == ["Jane Roe", "Body", "jane@example.org"]
    field = '<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>'
    assert lines_of(read_document(pack_docx(paragraph("Body") + field))) == ["Body"]


def test_links_are_read_from_relations_and_fields():
    relation = f'<Relationship Id="r9" Type="{OFFICE}/hyperlink" Target="https://a.example" TargetMode="External"/>'
    relations = f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>'.encode()
    linked = f'<w:p><w:hyperlink xmlns:r="{OFFICE}" r:id="r9"><w:r><w:t>site</w:t></w:r></w:hyperlink></w:p>'
    field = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "mailto:j@b.example" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>mail</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    document = read_document(pack_docx(linked + field, **{"word/_rels/document.xml.rels": relations}))
    assert [(word.text, word.link) for word in document.pages[0].words] == [
        ("site", "https://a.example"),
        ("mail", "mailto:j@b.example"),
    ]


def box(text: str, left: int = 0) -> str:
    """Give a text box as word processors write it: once for them, once for older ones."""
    inner = f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"
    return (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="wps"><w:drawing>'
        '<wp:anchor xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        f'<wp:positionH relativeFrom="page"><wp:posOffset>{left}</wp:posOffset></wp:positionH>'
        '<wps:wsp xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
        f"<wps:txbx>{inner}</wps:txbx></wps:wsp></wp:anchor></w:drawing></mc:Choice>"
        f'<mc:Fallback><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml">{inner}</v:textbox></w:pict>'
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


def test_a_text_box_is_read_once_and_stands_in_a_column_of_its_own():
    document = read_document(pack_docx(paragraph("Body") + box("Side of the page") + paragraph("More")))
    assert lines_of(document) == ["Body", "Side of the page", "More"]
    assert blocks_of(document)[1].column != blocks_of(document)[0].column


def test_content_controls_and_insertions_are_read():
    inner = f"<w:sdt><w:sdtContent>{paragraph('Controlled')}</w:sdtContent></w:sdt>"
    inserted = "<w:p><w:ins><w:r><w:t>Inserted</w:t></w:r></w:ins></w:p>"
    assert lines_of(read_document(pack_docx(inner + inserted))) == ["Controlled", "Inserted"]


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [("[Company Name]", False), ("Click or tap here to enter text.", False), ("Acme Ltd", True)],
)
def test_a_content_control_that_nobody_filled_in_says_nothing(text, is_kept):
    mark = "<w:sdtPr><w:showingPlcHdr/></w:sdtPr>"
    run = paragraph(text).removeprefix("<w:p>").removesuffix("</w:p>")
    inside = f"<w:p><w:sdt>{mark}<w:sdtContent>{run}</w:sdtContent></w:sdt></w:p>"
    around = f"<w:sdt>{mark}<w:sdtContent>{paragraph(text)}</w:sdtContent></w:sdt>"
    document = read_document(pack_docx(paragraph(BODY) + inside + around))
    assert lines_of(document) == [BODY, *([text] * 2 if is_kept else [])]


def test_the_strict_dialect_is_read():
    strict = NAMESPACE.replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    body = pack_docx(paragraph("Strict"))
    assert text_of(read_document(body)) == "Strict"
    document = f"<w:document {strict}><w:body>{paragraph('Strict')}</w:body></w:document>".encode()
    assert text_of(read_document(pack({"word/document.xml": document}))) == "Strict"


def test_a_long_document_is_cut_with_a_warning():
    document = read(lambda paper: [paper.add_paragraph(f"line {number}") for number in range(800)])
    assert len(document.pages) == 10
    assert codes_of(document) == ["truncated"]
    assert lines_of(document)[0] == "line 0"
    assert text_of(document)


def pack_with(body: str, **targets: str) -> bytes:
    """Pack a body with parts by the kind of their relation, which is their id as well."""
    tags = {"header": "hdr", "footer": "ftr", "settings": "settings"}
    kinds = [(kind, f"{kind}1.xml") for kind in targets]
    links = "".join(f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{name}"/>' for kind, name in kinds)
    relations = f'<Relationships xmlns="{RELATIONS}">{links}</Relationships>'
    members = {f"word/{name}": targets[kind].encode() for kind, name in kinds if kind not in tags}
    members |= {
        f"word/{name}": f"<w:{tags[kind]} {NAMESPACE}>{targets[kind]}</w:{tags[kind]}>".encode()
        for kind, name in kinds
        if kind in tags
    }
    return pack_docx(body, **{"word/_rels/document.xml.rels": relations.encode(), **members})


@pytest.mark.parametrize("place", ["header", "footer"])
@pytest.mark.parametrize(
    ("kind", "more", "settings", "is_seen"),
    [
        ("default", "", "", True),
        ("first", "<w:titlePg/>", "", True),
        ("even", "", "<w:evenAndOddHeaders/>", True),
        ("", "", "", False),
        ("first", '<w:titlePg w:val="0"/>', "", False),
        ("even", "", "", False),
    ],
)
def test_a_header_that_no_page_shows_is_not_read(place, kind, more, settings, is_seen):
    named = f'<w:{place}Reference w:type="{kind}" xmlns:r="{OFFICE}" r:id="{place}"/>' if kind else ""
    body = f"{paragraph(BODY)}<w:sectPr>{named}{more}</w:sectPr>"
    document = read_document(pack_with(body, settings=settings, **{place: paragraph(SECRET)}))
    assert (SECRET in text_of(document), BODY in text_of(document)) == (is_seen, True)


@pytest.mark.parametrize(
    ("color", "is_seen"),
    [
        ('w:themeColor="background1"', False),
        ('w:themeColor="background1" w:themeShade="FF"', False),
        ('w:themeColor="background1" w:themeShade="40"', True),
        ('w:themeColor="accent1"', False),
        ('w:themeColor="accent2"', True),
        ('w:themeColor="text1" w:themeTint="03"', False),
        ('w:themeColor="nonsense"', True),
    ],
)
def test_a_colour_of_the_theme_wins_over_what_stands_beside_it(color, is_seen):
    space = "http://schemas.openxmlformats.org/drawingml/2006/main"
    colors = '<a:accent1><a:srgbClr val="FFFFFF"/></a:accent1><a:accent2><a:srgbClr val="1F3864"/></a:accent2>'
    theme = f'<a:theme xmlns:a="{space}"><a:clrScheme>{colors}</a:clrScheme></a:theme>'
    body = paragraph(BODY) + paragraph(SECRET, f'<w:color w:val="000000" {color}/>')
    document = read_document(pack_with(body, theme=theme))
    assert (SECRET in text_of(document)) == is_seen
    assert bool(document.hidden) != is_seen


def test_dates_behind_a_text_stand_beside_it_where_the_cell_before_both_is_merged_over_all_rows():
    def fill(document):
        table = document.add_table(2, 3)
        side = table.cell(0, 0).merge(table.cell(1, 0))
        side.text = "Skills, languages and whatever else there is to tell of somebody"
        for row, (title, employer, years) in zip(
            table.rows, [("Engineer", "Acme", "2019 - 2021"), ("Analyst", "Initech", "2016 - 2018")], strict=True
        ):
            row.cells[1].text = title
            row.cells[1].add_paragraph(employer)
            row.cells[1].add_paragraph("Wrote all of the reports")
            row.cells[2].text = years

    lines = lines_of(read(fill))
    assert any("Analyst" in line and "2016 - 2018" in line for line in lines)
