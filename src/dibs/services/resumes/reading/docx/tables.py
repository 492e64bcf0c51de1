"""Tables of a DOCX: those that hold data, those that only part the page, and those whose rows belong together."""

import re

from lxml import etree
from msgspec import Struct

from dibs.services.resumes.document import Hidden
from dibs.services.resumes.reading.docx.names import child, number, text_of, value, w
from dibs.services.resumes.reading.docx.standing import find_unseen_row, find_unseen_table
from dibs.services.resumes.reading.docx.styles import Styles

SHORT_CELL = 90
SHORT_HEADING = 40
MANY_PARAGRAPHS = 4
MOST_NOTES = 3
MOST_NAMES = 2
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class Table(Struct, frozen=True):
    rows: list[list[etree._Element]]
    widths: list[float]
    style: str = ""
    unseen: tuple[Hidden, ...] = ()


def read_table(node: etree._Element) -> Table:
    """Look at the rows and cells of a table, those inside content controls too."""
    widths = [number(value(column, "w")) for column in node.iterfind(f"{w('tblGrid')}/{w('gridCol')}")]
    whole = find_unseen_table(node)
    found = [(row, whole or find_unseen_row(row)) for row in _inner(node, w("tr"))]
    rows = [_inner(row, w("tc")) for row, reason in found if reason is None]
    style = value(child(node, "tblPr", "tblStyle"))
    texts = [(text_of(row).strip(), reason) for row, reason in found if reason is not None]
    unseen = tuple(Hidden(text, reason.value) for text, reason in texts if text)
    return Table([row for row in rows if row], widths, style, unseen)


def _inner(node: etree._Element, tag: str) -> list[etree._Element]:
    found: list[etree._Element] = []
    for part in node:
        if part.tag == tag:
            found.append(part)
        elif part.tag in {w("sdt"), w("sdtContent"), w("ins")}:
            found += _inner(part, tag)
    return found


def is_grid(table: Table) -> bool:
    """Tell whether every cell holds a few words at most, so that the table is data."""
    if not table.rows:
        return True
    cells = [cell for row in table.rows for cell in row]
    return max(len(row) for row in table.rows) > 1 and all(_is_short(cell) for cell in cells)


def _is_short(cell: etree._Element) -> bool:
    if next(cell.iter(w("tbl")), None) is not None or next(cell.iter(w("txbxContent")), None) is not None:
        return False
    texts = _texts(cell)
    return len(texts) <= 1 and sum(len(text) for text in texts) <= SHORT_CELL


def _texts(cell: etree._Element) -> list[str]:
    texts = (text_of(paragraph).strip() for paragraph in cell.iter(w("p")))
    breaks = sum(1 for _ in cell.iter(w("br")))
    return [text for text in texts if text] + [""] * breaks


def stands_in_columns(table: Table, styles: Styles) -> bool:
    """Tell whether the columns are read one after the other: one row, or headings in more than one column."""
    if len(table.rows) == 1:
        return not _is_label(table.rows[0][0]) and not has_notes(table.rows[0])
    headed = [sum(_has_heading(row[index], styles) for row in table.rows if index < len(row)) for index in range(2)]
    long = [
        sum(len(_texts(row[index])) >= MANY_PARAGRAPHS for row in table.rows if index < len(row)) for index in (0, 1)
    ]
    return all(headed) and all(long)


def has_notes(row: list[etree._Element]) -> bool:
    """Tell whether the last cell says when and where, in short lines beside those of a longer text."""
    if len(row) < 2 or _is_label(row[-2]) or next(row[-1].iter(w("tbl")), None) is not None:  # noqa: PLR2004 - text, notes
        return False
    texts, notes = _texts(row[-2]), _texts(row[-1])
    dated = any(YEAR.search(note) for note in (*notes, *(text for cell in row[:-2] for text in _texts(cell))))
    if not 0 < len(notes) <= min(MOST_NOTES, len(texts)) or not dated or not all(map(_names, row[:-2])):
        return False
    return all(len(note) <= SHORT_HEADING for note in notes) and sum(map(len, notes)) < sum(map(len, texts))


def _names(cell: etree._Element) -> bool:
    """Tell whether a cell holds a date or a name, and perhaps a place."""
    texts = _texts(cell)
    return 0 < len(texts) <= MOST_NAMES and all(len(text) <= SHORT_HEADING for text in texts)


def _is_label(cell: etree._Element) -> bool:
    """Tell whether a cell holds a date or a name for what stands beside it, and no more."""
    texts = _texts(cell)
    return len(texts) == 1 and len(texts[0]) <= SHORT_HEADING


def _has_heading(cell: etree._Element, styles: Styles) -> bool:
    return any(_is_heading(paragraph, styles) for paragraph in cell.iter(w("p")))


def _is_heading(paragraph: etree._Element, styles: Styles) -> bool:
    text = text_of(paragraph).strip()
    if not text or len(text) > SHORT_HEADING:
        return False
    style = styles.paragraph(child(paragraph, "pPr"))
    if style.heading is not None or text.isupper():
        return True
    runs = [run for run in paragraph.iter(w("r")) if text_of(run).strip()]
    return bool(runs) and all(styles.run(style.look, child(run, "rPr")).bold for run in runs)
