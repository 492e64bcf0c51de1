"""The flow of a DOCX: paragraphs, tables and text boxes onto the sheet, hidden text aside."""

from collections.abc import Iterator
from functools import cache

from lxml import etree
from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.document import Hidden
from dibs.services.resumes.reading.docx.boxes import TextBox, find_boxes, has_backdrop
from dibs.services.resumes.reading.docx.controls import is_prompt
from dibs.services.resumes.reading.docx.names import child, text_of, value, w
from dibs.services.resumes.reading.docx.runs import Break, ParagraphReader, Tab, Text, build_lines
from dibs.services.resumes.reading.docx.styles import Look, ParagraphStyle, Styles, read_shade
from dibs.services.resumes.reading.docx.tables import (
    See,
    Table,
    has_notes,
    is_continued,
    is_grid,
    read_table,
    stands_in_columns,
)
from dibs.services.resumes.reading.screening.seeing import LEAST_SIZE, WHITE, Reason, is_same_color
from dibs.services.resumes.reading.sheet import Area, Run, Sheet

DEEPEST = 20
LEAST_STRETCH = 20.0
MOST_OVERLAP = 0.35
"""Letters are about half as wide as they are tall: moved together by more than this, they lie on each other."""
MOST_RAISED = 100.0
WRAPPERS = frozenset({w("sdt"), w("sdtContent"), w("ins"), w("moveTo"), w("smartTag"), w("customXml")})


class Ground(Struct, frozen=True):
    """What is behind the text of a place: a colour, or None where it cannot be told."""

    color: int | None = WHITE


class BodyReader:
    """Reads the parts of one document onto one sheet."""

    def __init__(self, styles: Styles, sheet: Sheet) -> None:
        self._styles = styles
        self._sheet = sheet
        self._links: dict[str, str] = {}
        self._gap = 0.0
        self._notes: list[list[Run]] = []
        self.hidden: list[Hidden] = []
        self.page_breaks = 0

    def read(self, node: etree._Element, area: Area, links: dict[str, str], ground: int | None = WHITE) -> None:
        """Read a part: the body, a header, a footer."""
        self._links = links
        self._flow(node, area, None if has_backdrop(node) else ground, depth=0)
        self._sheet.close()

    def _flow(self, node: etree._Element, area: Area, ground: int | None, *, depth: int) -> None:
        if depth > DEEPEST:
            return
        for part in node:
            if part.tag == w("p"):
                self._boxes(part, area, ground, depth=depth)
                self._paragraph(part, area, ground)
            elif part.tag == w("tbl"):
                self._table(read_table(part), area, ground, depth=depth)
            elif part.tag in WRAPPERS and not is_prompt(part):
                self._flow(part, area, ground, depth=depth + 1)

    def _paragraph(self, node: etree._Element, area: Area, ground: int | None) -> None:
        style = self._styles.paragraph(child(node, "pPr"))
        pieces = self._see(node, style, ground)
        self.page_breaks += sum(1 for piece in pieces if isinstance(piece, Break) and piece.page)
        self.page_breaks += sum(1 for _ in node.iter(w("lastRenderedPageBreak")))
        lines = [line for line in build_lines(pieces, style) if any(run.text.strip() for run in line)]
        if not lines:
            self._gap += style.look.size
            return
        self._write(lines, style, area)

    def _write(self, lines: list[list[Run]], style: ParagraphStyle, area: Area) -> None:
        gap = max(self._gap, 0.0) + style.before
        for index, line in enumerate(lines):
            self._sheet.write(
                area,
                line + (self._notes.pop(0) if self._notes else []),
                indent=style.indent,
                gap=gap if index == 0 else 0.0,
                heading=style.heading,
                bullet=style.listed and index == 0,
            )
        self._gap = style.after

    def _see(self, node: etree._Element, style: ParagraphStyle, ground: int | None) -> list[Text | Tab | Break]:
        """Read a paragraph, keep what a person would see, and put the rest aside."""
        seen: list[Text | Tab | Break] = []
        for piece in ParagraphReader(self._styles, self._links).pieces(node, style.look):
            written = isinstance(piece, Text) and piece.text.strip()
            reason = (style.unseen or find_reason(piece.look, ground)) if isinstance(piece, Text) and written else None
            if reason is None:
                seen.append(piece)
            elif isinstance(piece, Text):
                self.hidden.append(Hidden(piece.text.strip(), reason.value))
        return seen

    def _make_see(self, ground: int | None) -> See:
        """Give what tells the runs of a table's paragraphs that a person sees."""

        @cache
        def see(paragraph: etree._Element) -> list[etree._Element]:
            style = self._styles.paragraph(child(paragraph, "pPr"))
            behind = next((cell_ground(cell, ground) for cell in paragraph.iterancestors(w("tc"))), ground)
            looks = ((run, self._styles.run(style.look, child(run, "rPr"))) for run in paragraph.iter(w("r")))
            return [run for run, look in looks if style.unseen is None and find_reason(look, behind) is None]

        return see

    def _boxes(self, paragraph: etree._Element, area: Area, ground: int | None, *, depth: int) -> None:
        for box in find_boxes(paragraph):
            self._sheet.close()
            self._gap = 0.0
            reason = box.hidden or (Reason.VANISH if self._is_in_hidden_run(box) else None)
            if reason is not None:
                text = " ".join(text_of(part) for part in box.content.iter(w("p"))).strip()
                self.hidden += [Hidden(text, reason.value)] if text else []
                continue
            self._flow(box.content, self._beside(box, area), _box_ground(box, ground), depth=depth + 1)
            self._sheet.close()

    def _is_in_hidden_run(self, box: TextBox) -> bool:
        run = next(box.content.iterancestors(w("r")), None)
        return run is not None and self._styles.run(Look(), child(run, "rPr")).vanish

    def _beside(self, box: TextBox, area: Area) -> Area:
        left = area.left + max(box.left, 0.0)
        right = min(left + (box.width or area.right - left), self._sheet.width)
        return Area(left, max(right, left + 40), area.down + max(box.top, 0.0), self._sheet.new_column())

    def _table(self, table: Table, area: Area, ground: int | None, *, depth: int) -> None:
        self._sheet.close()
        self._gap = 0.0
        self.hidden += table.unseen
        if self._styles.hides_table(table.style):
            text = " ".join(text_of(cell) for row in table.rows for cell in row).strip()
            self.hidden += [Hidden(text, Reason.VANISH.value)] if text else []
            return
        if self._styles.shades_table(table.style):
            ground = None
        see = self._make_see(ground)
        if is_grid(table, see):
            self._grid(table, area, ground)
        elif stands_in_columns(table, self._styles, see):
            self._columns(table, area, ground, depth=depth)
        else:
            self._rows(table, area, ground, depth=depth)
        self._sheet.close()

    def _grid(self, table: Table, area: Area, ground: int | None) -> None:
        """Set a table whose cells hold a few words each: a row stays a row."""
        for row in table.rows:
            cells = []
            for cell, spot in zip(row, _areas(table, len(row), area), strict=True):
                lines = self._cell_lines(cell, ground)
                if lines:
                    cells.append((spot, [run for line in lines for run in line]))
            self._sheet.write_row(cells, column=area.column)
            area.down = max([area.down, *(spot.down for spot, _ in cells)])

    def _cell_lines(self, cell: etree._Element, ground: int | None) -> list[list[Run]]:
        lines: list[list[Run]] = []
        for line in self._part_lines(cell, cell_ground(cell, ground)):
            lines.append([Run(" "), *line] if lines else line)
        return lines

    def _part_lines(self, cell: etree._Element, ground: int | None) -> Iterator[list[Run]]:
        for paragraph in cell.iter(w("p")):
            style = self._styles.paragraph(child(paragraph, "pPr"))
            pieces = self._see(paragraph, style, ground)
            yield from (line for line in build_lines(pieces, style) if any(run.text.strip() for run in line))

    def _columns(self, table: Table, area: Area, ground: int | None, *, depth: int) -> None:
        """Set a table that only parts the page: one column after the other."""
        widest = max(len(row) for row in table.rows)
        spots = _areas(table, widest, area)
        for index, spot in enumerate(spots):
            spot.column = self._sheet.new_column()
            for row in table.rows:
                if index < len(row):
                    self._flow(row[index], spot, cell_ground(row[index], ground), depth=depth + 1)
            self._sheet.close()
            self._gap = 0.0
        area.down = max(spot.down for spot in spots)

    def _rows(self, table: Table, area: Area, ground: int | None, *, depth: int) -> None:
        """Set a table whose rows belong together: a label or a date at the left, the text beside it."""
        see = self._make_see(ground)
        for cells in table.rows:
            spots = _areas(table, len(cells), area)
            spots = [spot for cell, spot in zip(cells, spots, strict=True) if not is_continued(cell)] or spots
            row = [cell for cell in cells if not is_continued(cell)] or cells
            if has_notes(row, see):
                self._noted(row, spots, ground, depth=depth)
                area.down = max(spot.down for spot in spots)
                continue
            for cell, spot in zip(row, spots, strict=True):
                self._flow(cell, spot, cell_ground(cell, ground), depth=depth + 1)
                self._gap = 0.0
            area.down = max(spot.down for spot in spots)
            self._sheet.close()

    def _noted(self, row: list[etree._Element], spots: list[Area], ground: int | None, *, depth: int) -> None:
        """Set a row whose last cell says when and where: each of its lines stands level with one of the text."""
        for cell, place in zip(row[:-2], spots[:-2], strict=True):
            self._flow(cell, place, cell_ground(cell, ground), depth=depth + 1)
            self._gap = 0.0
        (text, notes), (spot, beside) = row[-2:], spots[-2:]
        for line in self._part_lines(notes, cell_ground(notes, ground)):
            self._notes.append([replace(line[0], to=beside.left - spot.left), *line[1:]])
        whole = replace(spot, right=beside.right)
        self._flow(text, whole, cell_ground(text, ground), depth=depth + 1)
        left, self._notes = self._notes, []
        for line in left:
            self._sheet.write(whole, line)
        self._gap, spot.down = 0.0, whole.down
        self._sheet.close()


def find_reason(look: Look, ground: int | None) -> Reason | None:
    """Say why a person would not see text of this look; None: it can be seen."""
    if look.vanish:
        return Reason.VANISH
    if look.size < LEAST_SIZE:
        return Reason.TINY
    if look.clear:
        return Reason.TRANSPARENT
    if look.stretch < LEAST_STRETCH or look.tracking < -MOST_OVERLAP * look.size:
        return Reason.TINY
    if abs(look.raised) > MOST_RAISED:
        return Reason.OFF_PAGE
    behind = look.shade if look.shade is not None else ground
    return Reason.SAME_COLOR if behind is not None and is_same_color(look.color, behind) else None


def cell_ground(cell: etree._Element, ground: int | None) -> int | None:
    """Give the colour behind a cell."""
    shade = child(cell, "tcPr", "shd")
    own = read_shade(shade) if shade is not None else None
    if own is None and shade is not None and value(shade, "themeFill"):
        return None
    return own if own is not None else ground


def _box_ground(box: TextBox, ground: int | None) -> int | None:
    return box.fill if box.filled else ground


def _areas(table: Table, count: int, area: Area) -> list[Area]:
    """Part an area as the table does."""
    widths = table.widths if len(table.widths) == count and sum(table.widths) > 0 else [1.0] * count
    scale = (area.right - area.left) / sum(widths)
    left, areas = area.left, []
    for width in widths:
        areas.append(Area(left, left + width * scale, area.down, area.column))
        left += width * scale
    return areas
