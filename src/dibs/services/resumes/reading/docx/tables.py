"""Tables of a DOCX: those that hold data, those that only part the page, and those whose rows belong together."""

import re
from collections.abc import Callable

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
See = Callable[[etree._Element], list[etree._Element]]  # noqa: SLF001 - the class has no public name
"""Gives the runs of a paragraph that a person sees: what nobody sees says nothing about the table that it stands in."""


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


def is_grid(table: Table, see: See) -> bool:
    """Tell whether every cell holds a few words at most, so that the table is data."""
    if not table.rows:
        return True
    cells = [cell for row in table.rows for cell in row]
    return max(len(row) for row in table.rows) > 1 and all(_is_short(cell, see) for cell in cells)


def _is_short(cell: etree._Element, see: See) -> bool:
    if next(cell.iter(w("tbl")), None) is not None or next(cell.iter(w("txbxContent")), None) is not None:
        return False
    texts = _texts(cell, see)
    return len(texts) <= 1 and sum(len(text) for text in texts) <= SHORT_CELL


def _texts(cell: etree._Element, see: See) -> list[str]:
    seen = [see(paragraph) for paragraph in cell.iter(w("p"))]
    texts = ("".join(map(text_of, runs)).strip() for runs in seen)
    breaks = sum(1 for runs in seen for run in runs for _ in run.iter(w("br")))
    return [text for text in texts if text] + [""] * breaks


def stands_in_columns(table: Table, styles: Styles, see: See) -> bool:
    """Tell whether the columns are read one after the other: one row, or headings in more than one column."""
    if len(table.rows) == 1:
        return not _is_label(table.rows[0][0], see) and not has_notes(table.rows[0], see)
    columns = [[row[index] for row in table.rows if index < len(row)] for index in range(2)]
    headed = [any(_has_heading(cell, styles, see) for cell in column) for column in columns]
    long = [any(len(_texts(cell, see)) >= MANY_PARAGRAPHS for cell in column) for column in columns]
    return all(headed) and all(long)


def has_notes(row: list[etree._Element], see: See) -> bool:
    """Tell whether the last cell says when and where, in short lines beside those of a longer text."""
    if len(row) < 2 or _is_label(row[-2], see) or next(row[-1].iter(w("tbl")), None) is not None:  # noqa: PLR2004 - text, notes
        return False
    before, texts, notes = [_texts(cell, see) for cell in row[:-2]], _texts(row[-2], see), _texts(row[-1], see)
    dated = any(YEAR.search(said) for said in (*notes, *(text for cell in before for text in cell)))
    if not 0 < len(notes) <= min(MOST_NOTES, len(texts)) or not dated or not all(map(_names, before)):
        return False
    return all(len(note) <= SHORT_HEADING for note in notes) and sum(map(len, notes)) < sum(map(len, texts))


def is_continued(cell: etree._Element) -> bool:
    """Tell whether a cell only goes on with the one above it, as those of a merged column do."""
    merge = child(cell, "tcPr", "vMerge")
    return merge is not None and value(merge) != "restart"


def _names(texts: list[str]) -> bool:
    """Tell whether a cell holds a date or a name, and perhaps a place."""
    return 0 < len(texts) <= MOST_NAMES and all(len(text) <= SHORT_HEADING for text in texts)


def _is_label(cell: etree._Element, see: See) -> bool:
    """Tell whether a cell holds a date or a name for what stands beside it, and no more."""
    texts = _texts(cell, see)
    return len(texts) == 1 and len(texts[0]) <= SHORT_HEADING


def _has_heading(cell: etree._Element, styles: Styles, see: See) -> bool:
    return any(_is_heading(paragraph, styles, see) for paragraph in cell.iter(w("p")))


def _is_heading(paragraph: etree._Element, styles: Styles, see: See) -> bool:
    runs = [run for run in see(paragraph) if text_of(run).strip()]
    text = "".join(map(text_of, runs)).strip()
    if not text or len(text) > SHORT_HEADING:
        return False
    style = styles.paragraph(child(paragraph, "pPr"))
    if style.heading is not None or text.isupper():
        return True
    return bool(runs) and all(styles.run(style.look, child(run, "rPr")).bold for run in runs)
