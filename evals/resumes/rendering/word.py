"""Layouts written with python-docx: styles and tabs, tables as columns, label cells, text boxes."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from evals.resumes.sheet import Sheet

SIDE = ("skills", "languages", "certificates", "interests")
WORDPROCESSING_SHAPE = (
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def _start() -> Any:
    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(18)
    section.top_margin = section.bottom_margin = Mm(15)
    document.styles["Normal"].font.name = "Liberation Sans"
    document.styles["Normal"].font.size = Pt(10)
    document.styles["Normal"].paragraph_format.space_after = Pt(2)
    return document


def _save(document: Any) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _say(
    where: Any,
    text: str,
    *,
    bold: bool = False,
    italic: bool = False,
    size: float | None = None,
    style: str | None = None,
) -> Any:
    paragraph = where.add_paragraph(style=style)
    run = paragraph.add_run(text)
    run.bold, run.italic = bold or None, italic or None
    if size:
        run.font.size = Pt(size)
    return paragraph


def _tabbed(where: Any, left: str, right: str, *, at: float, bold: bool = False) -> None:
    paragraph = where.add_paragraph()
    paragraph.paragraph_format.tab_stops.add_tab_stop(Mm(at), WD_TAB_ALIGNMENT.RIGHT)
    paragraph.add_run(left).bold = bold or None
    paragraph.add_run(f"\t{right}")


def _heading(where: Any, sheet: Sheet, key: str) -> None:
    """A style where the container knows styles by name, else a bold line, as people do it."""
    paragraph = where.add_paragraph()
    paragraph.paragraph_format.space_before = Pt(8)
    run = paragraph.add_run(sheet.headings[key])
    run.bold, run.font.size = True, Pt(12)
    run.font.color.rgb = RGBColor.from_string(sheet.choices["accent"].lstrip("#"))


def _rest(where: Any, sheet: Sheet, key: str) -> None:
    """The sections that look alike in every layout."""
    if key == "projects":
        for name, text in sheet.projects:
            _say(where, name, bold=True)
            _say(where, text)
    elif key in {"certificates", "interests", "awards", "publications"}:
        for name in getattr(sheet, key):
            _say(where, name, style="List Bullet")
    else:
        for line in _list_lines(sheet, key):
            _say(where, line)


def _list_lines(sheet: Sheet, key: str) -> list[str]:
    lines = {
        "summary": [sheet.summary],
        "skills": [", ".join(sheet.skills)],
        "languages": [f"{language} – {level}" for language, level in sheet.languages],
        "volunteer": [f"{post.title}, {post.org} ({post.dates})" for post in sheet.volunteer],
        "references": [sheet.references],
    }
    return lines[key]


def write_classic(sheet: Sheet) -> bytes:
    document = _start()
    document.add_heading(sheet.name, 0)
    if sheet.label:
        _say(document, sheet.label, italic=True)
    _say(document, sheet.choices["separator"].join(contact.text for contact in sheet.contacts))
    for key in sheet.order:
        document.add_heading(sheet.headings[key], 1)
        _body(document, sheet, key, at=174)
    return _save(document)


def _body(where: Any, sheet: Sheet, key: str, *, at: float) -> None:
    if key == "work":
        for post in sheet.work:
            _tabbed(where, post.title, post.dates, at=at, bold=True)
            _say(where, ", ".join(part for part in (post.org, post.place) if part), italic=True)
            if post.summary:
                _say(where, post.summary)
            for bullet in post.bullets:
                _say(where, bullet, style="List Bullet")
    elif key == "education":
        for school in sheet.education:
            _tabbed(where, school.institution, school.dates, at=at, bold=True)
            _say(where, school.degree)
            for note in school.notes:
                _say(where, note)
    else:
        _rest(where, sheet, key)


def _add_columns(document: Any, *widths: float) -> Any:
    """A table without rows; both the grid and the cells carry the widths, since programs differ in which they obey."""
    table = document.add_table(rows=0, cols=len(widths))
    table.autofit = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    return table


def write_sidebar(sheet: Sheet) -> bytes:
    """A table of one row: a shaded cell at the left, the career at the right."""
    document = _start()
    table = _add_columns(document, 56, 118)
    left, right = table.add_row().cells
    left._tc.get_or_add_tcPr().append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="E4E9EF"/>'))  # noqa: SLF001 -- no way in public
    _say(left, sheet.name, bold=True, size=18)
    _heading(left, sheet, "contact")
    for contact in sheet.contacts:
        _say(left, contact.text)
    for key in sheet.order:
        where = left if key in SIDE else right
        _heading(where, sheet, key)
        _body(where, sheet, key, at=110)
    return _save(document)


def write_rail(sheet: Sheet) -> bytes:
    """Section names in a narrow left column, a row each."""
    document = _start()
    name = _say(document, sheet.name, bold=True, size=20)
    name.alignment = WD_ALIGN_PARAGRAPH.CENTER
    _say(document, sheet.choices["separator"].join(contact.text for contact in sheet.contacts))
    table = _add_columns(document, 38, 136)
    for key in sheet.order:
        rail, body = table.add_row().cells
        rail.paragraphs[0].add_run(sheet.headings[key]).bold = True
        _body(body, sheet, key, at=130)
    return _save(document)


def write_tabs(sheet: Sheet) -> bytes:
    """Dates at the left, a tab, the rest hanging: the letter-like resume of German offices."""
    document = _start()
    _say(document, sheet.name, bold=True, size=16)
    for contact in sheet.contacts:
        _hang(document, f"{contact.label}:", contact.text)
    for key in sheet.order:
        _heading(document, sheet, key)
        if key == "work":
            for post in sheet.work:
                _hang(document, post.dates, post.title, bold=True)
                _hang(document, "", ", ".join(part for part in (post.org, post.place) if part))
                for bullet in post.bullets:
                    _hang(document, "", f"- {bullet}")
        elif key == "education":
            for school in sheet.education:
                _hang(document, school.dates, school.degree, bold=True)
                _hang(document, "", school.institution)
                for note in school.notes:
                    _hang(document, "", note)
        else:
            _rest(document, sheet, key)
    return _save(document)


def _hang(document: Any, left: str, right: str, *, bold: bool = False) -> None:
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.left_indent, paragraph.paragraph_format.first_line_indent = Mm(52), Mm(-52)
    paragraph.paragraph_format.tab_stops.add_tab_stop(Mm(52))
    paragraph.add_run(f"{left}\t")
    paragraph.add_run(right).bold = bold or None


def write_frames(sheet: Sheet) -> bytes:
    """Contact and side sections in a text box beside the running text."""
    document = _start()
    document.sections[0].right_margin = Mm(78)
    first = document.add_paragraph()
    run = first.add_run(sheet.name)
    run.bold, run.font.size = True, Pt(20)
    first._p.append(_text_box(_box_lines(sheet)))  # noqa: SLF001 -- no way in public
    if sheet.label:
        _say(document, sheet.label)
    for key in sheet.order:
        if key not in SIDE:
            _heading(document, sheet, key)
            _body(document, sheet, key, at=112)
    return _save(document)


def _box_lines(sheet: Sheet) -> list[tuple[str, bool]]:
    lines = [(sheet.headings["contact"], True), *((contact.text, False) for contact in sheet.contacts)]
    for key in (key for key in sheet.order if key in SIDE):
        lines += [(sheet.headings[key], True), *((text, False) for text in _box_bodies(sheet)[key]())]
    return lines


def _box_bodies(sheet: Sheet) -> dict[str, Callable[[], list[str]]]:
    return {
        "skills": lambda: sheet.skills,
        "languages": lambda: [f"{language} ({level})" for language, level in sheet.languages],
        "certificates": lambda: sheet.certificates,
        "interests": lambda: sheet.interests,
    }


def _text_box(lines: list[tuple[str, bool]]) -> Any:
    paragraphs = "".join(
        f"<w:p><w:r>{'<w:rPr><w:b/></w:rPr>' if bold else ''}<w:t>{escape(text)}</w:t></w:r></w:p>"
        for text, bold in lines
    )
    width, height = int(Mm(56)), int(Mm(240))
    xml = f"""<w:r {nsdecls("w")} {WORDPROCESSING_SHAPE}><w:drawing><wp:anchor
 distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="2"
 behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>
<wp:positionH relativeFrom="page"><wp:posOffset>{int(Mm(144))}</wp:posOffset></wp:positionH>
<wp:positionV relativeFrom="page"><wp:posOffset>{int(Mm(18))}</wp:posOffset></wp:positionV>
<wp:extent cx="{width}" cy="{height}"/><wp:wrapNone/><wp:docPr id="1" name="Box"/><a:graphic>
<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/>
<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>
<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>
<wps:txbx><w:txbxContent>{paragraphs}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>"""
    element = parse_xml(xml)
    assert element.tag == qn("w:r")
    return element


def write_cells(sheet: Sheet) -> bytes:
    """A head over the full width, and below it a table whose cells hold one section each, two beside each other."""
    document = _start()
    _say(document, sheet.name, bold=True, size=22)
    if sheet.label:
        _say(document, sheet.label)
    _say(document, sheet.choices["separator"].join(contact.text for contact in sheet.contacts))
    table = _add_columns(document, 104, 70)
    wide = [key for key in sheet.order if key not in (*SIDE, "education")]
    slim = [key for key in sheet.order if key not in wide]
    cells = table.add_row().cells
    for cell, keys, at in zip(cells, (wide, slim), (98, 64), strict=True):
        for key in keys:
            _heading(cell, sheet, key)
            _body(cell, sheet, key, at=at)
    return _save(document)


def write_ledger(sheet: Sheet) -> bytes:
    """The career at the left, whose entries have their dates in a column of a table inside; contacts at the right."""
    document = _start()
    left, right = _add_columns(document, 122, 52).add_row().cells
    _say(left, sheet.name, bold=True, size=20)
    for key in (key for key in sheet.order if key not in SIDE):
        _heading(left, sheet, key)
        if key in {"work", "education"}:
            _list_dated(left, sheet, key)
        else:
            _rest(left, sheet, key)
    if sheet.label:
        _say(right, sheet.label, italic=True)
    for contact in sheet.contacts:
        _say(right, contact.text)
    for key in (key for key in sheet.order if key in SIDE):
        _heading(right, sheet, key)
        for line in _box_bodies(sheet)[key]():
            _say(right, line)
    return _save(document)


def _list_dated(where: Any, sheet: Sheet, key: str) -> None:
    inner = where.add_table(rows=0, cols=2)
    inner.autofit = False
    for width, column in zip((30, 90), inner.columns, strict=True):
        column.width = Mm(width)
    posts = sheet.work if key == "work" else []
    for post in posts:
        dates, told = inner.add_row().cells
        dates.paragraphs[0].add_run(post.dates)
        _say(told, post.title, bold=True)
        _say(told, ", ".join(part for part in (post.org, post.place) if part))
        for bullet in post.bullets:
            _say(told, bullet, style="List Bullet")
    for school in sheet.education if key == "education" else []:
        dates, told = inner.add_row().cells
        dates.paragraphs[0].add_run(school.dates)
        _say(told, school.degree, bold=True)
        _say(told, school.institution)


WRITERS = {
    "word_cells": write_cells,
    "word_ledger": write_ledger,
    "word_classic": write_classic,
    "word_sidebar": write_sidebar,
    "word_rail": write_rail,
    "word_tabs": write_tabs,
    "word_frames": write_frames,
}
