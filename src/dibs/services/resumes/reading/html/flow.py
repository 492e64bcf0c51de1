"""The flow of a page: elements to lines, side by side where style sheets put them so."""

import re
from math import inf
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.document import Hidden
from dibs.services.resumes.reading.html.arrangement import (
    BLOCKS,
    NEVER,
    is_long,
    is_short,
    order_cells,
    side_by_side,
    table_rows,
    text_of,
)
from dibs.services.resumes.reading.html.covers import find_covers, see_through
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.sheets import Rules
from dibs.services.resumes.reading.html.css.values import read_length
from dibs.services.resumes.reading.html.looks import (
    Look,
    is_fill,
    is_sent_back,
    look_of,
    reason_of,
)
from dibs.services.resumes.reading.html.room import find_push, find_room, least_height
from dibs.services.resumes.reading.screening.seeing import Reason
from dibs.services.resumes.reading.sheet import Area, Run, Sheet

DEEPEST = 120
YEAR = re.compile(r"(?:19|20)\d\d\b")
LONGEST_HIDDEN = 5_000
GAPS = {"p": 4.0, "section": 8.0, "article": 8.0, "header": 8.0, "footer": 8.0, "aside": 8.0, "ul": 2.0, "ol": 2.0}
HEADINGS = {f"h{level}": level for level in range(1, 7)}


class Place(Struct, frozen=True):
    """Where the text of an element goes, and how it looks."""

    area: Area
    look: Look = Look()
    heading: int | None = None
    depth: int = 0
    kept: bool = False
    """Line breaks in the source are line breaks on the page."""
    room: float = inf
    """How far down text can be seen here, where something around cuts it off."""


class FlowReader:
    """Reads one page onto one sheet."""

    def __init__(self, rules: Rules, sheet: Sheet) -> None:
        self._rules = rules
        self._sheet = sheet
        self._line: list[Run] = []
        self._gap = 0.0
        self._apart = False
        self._beside = False
        self._bullet = False
        self.hidden: list[Hidden] = []
        self._unseen: dict[int, Any] = {}

    def forget_unseen(self) -> bool:
        """Take out of the page what nobody sees of what was read; False: there is nothing.

        Only texts and breaks: an element that goes would change which rules of the style sheets hold for others.
        """
        unseen, self._unseen = self._unseen, {}
        for node in unseen.values():
            node.decompose()
        return bool(unseen)

    def read(self, node: Any, area: Area) -> None:
        """Read an element and everything in it."""
        page = node.parent
        look = look_of(page, self._rules.find(page), Look()) if page is not None and page.tag == "html" else Look()
        place = Place(area, look)
        self._element(node, place)
        self._flush(place)
        self._sheet.close()

    def _inside(self, node: Any, place: Place) -> None:
        if place.depth > DEEPEST:
            self._text(text_of(node), place)
            return
        covers, shown, down = find_covers(node, self._rules), _find_shown(node), 0.0
        for order, part in enumerate(node.iter(include_text=True)):
            here = _below(place, down)
            if covers and not here.look.hidden:
                style = {} if part.tag == "-text" else self._rules.find(part)
                here = replace(here, look=see_through(here.look, covers, style, order))
            if shown is not None and part.mem_id not in shown:
                here = replace(here, look=replace(here.look, hidden=Reason.CSS))
            if part.tag == "-text":
                self._text_node(part, here)
            else:
                self._element(part, here)
            if place.room < inf and not self._is_row(node):
                down += least_height(part, self._rules, place.look.size)

    def _is_row(self, node: Any) -> bool:
        return node.tag == "tr" or side_by_side(self._rules.find(node)) > 1

    def _text_node(self, node: Any, place: Place) -> None:
        text = node.text_content or ""
        if text.strip() and reason_of(place.look) is not None:
            self._unseen[node.mem_id] = node
        self._text(text, place)

    def _text(self, text: str, place: Place) -> None:
        if not text.strip():
            if self._line and text:
                self._line.append(Run(" ", to=None))
            return
        reason = reason_of(place.look)
        if reason is not None:
            self._hide(text, reason)
            return
        lines = text.splitlines() if place.kept else [text]
        for index, line in enumerate(lines):
            if index:
                self._flush(place)
            if line.strip():
                self._line.append(self._run(line, place.look))
                self._apart = self._beside = False

    def _run(self, text: str, look: Look) -> Run:
        return Run(
            text,
            size=round(look.size * 0.75, 2),
            bold=look.bold,
            italic=look.italic,
            color=look.color or 0,
            link=look.link,
            apart=self._apart,
            beside=self._beside,
        )

    def _hide(self, text: str, reason: Reason) -> None:
        self.hidden.append(Hidden(" ".join(text.split())[:LONGEST_HIDDEN], reason.value))

    def _flush(self, place: Place) -> None:
        """End the line."""
        runs, self._line, self._apart, self._beside = self._line, [], False, False
        if any(run.text.strip() for run in runs):
            self._sheet.write(place.area, runs, gap=self._gap, heading=place.heading, bullet=self._bullet)
            self._gap, self._bullet = 0.0, False

    def _element(self, node: Any, place: Place) -> None:
        if node.tag in NEVER or not isinstance(node.tag, str) or node.tag.startswith(("-", "!")):
            return
        style = self._rules.find(node)
        look = look_of(node, style, place.look)
        if look.hidden is None and is_sent_back(style) and self._is_before_fill(node):
            look = replace(look, hidden=Reason.COVERED)
        if look.hidden is None and (line := self._rules.find_line(node)):
            look = replace(look, hidden=reason_of(look_of(node, style | line, place.look)))
        room = find_room(style, look.size, place.room) - (find_push(style, look.size) if place.room < inf else 0.0)
        if look.hidden is None and room <= 0:
            look = replace(look, hidden=Reason.CLIPPED)
        if look.hidden:
            self._hide_all(node, look.hidden)
            return
        heading = HEADINGS.get(node.tag, place.heading)
        inner = replace(place, look=look, depth=place.depth + 1, heading=heading, room=room)
        self._keep_link(node, place)
        self._show(node, style, inner, outer=place)

    def _is_before_fill(self, node: Any) -> bool:
        """Tell whether something opaque beside an element that is sent to the back may lie over it."""
        beside = (part for part in node.parent.iter() if part.mem_id != node.mem_id and part.tag not in NEVER)
        return any(is_fill(part, self._rules.find(part)) for part in beside)

    def _hide_all(self, node: Any, reason: Reason) -> None:
        text = text_of(node)
        if text.strip():
            self._hide(text, reason)
        self._unseen |= {part.mem_id: part for part in node.traverse(include_text=True) if part.tag in {"-text", "br"}}

    def _keep_link(self, node: Any, place: Place) -> None:
        if node.tag != "a" or not node.attributes.get("href") or text_of(node).strip():
            return
        # Without an element in it there is nothing to click at.
        if any(part.tag[:1].isalpha() for part in node.iter()):
            self._sheet.link(place.area, node.attributes["href"])

    def _show(self, node: Any, style: Declarations, inner: Place, *, outer: Place) -> None:
        display = style.get("display", "")
        if node.tag == "br":
            self._flush(outer)
        elif node.tag == "table" or (display == "table" and node.css_first("tr") is not None):
            self._table(node, inner, outer)
        elif display in {"table", "table-row"} and self._has_cells(node):
            self._row(node, inner, outer, inf)
        elif style.get("float", "none") in {"left", "right"} or style.get("position") in {"absolute", "fixed"}:
            self._float(node, inner, outer)
        elif (width := side_by_side(style)) > 1:
            self._row(node, inner, outer, width)
        elif display.startswith("inline") or (not display and node.tag not in BLOCKS):
            self._inline(node, style, inner)
        else:
            self._block(node, inner, outer)

    def _has_cells(self, node: Any) -> bool:
        """Tell whether a style sheet makes cells of this element's children: a table without the tags of one."""
        return any(self._rules.find(part).get("display") == "table-cell" for part in node.iter())

    def _inline(self, node: Any, style: Declarations, inner: Place) -> None:
        """An element with room around it, such as a chip, does not touch its neighbours."""
        sides = ("margin-left", "margin-right", "padding-left", "padding-right", "margin", "padding")
        clear = style.get("display") == "inline-block" or any(read_length(style.get(side, "")) for side in sides)
        self._apart = self._apart or (bool(self._line) and (clear or self._is_dated(node)))
        self._inside(node, inner)
        self._apart = self._apart or clear
        # What a page has a class for is a thing of its own: its style sheet may be elsewhere.
        self._beside = bool(self._line) and any(node.attributes.get(name) for name in ("class", "itemprop"))

    def _is_dated(self, node: Any) -> bool:
        """Tell whether a year begins an element right behind a letter: a style sheet that is elsewhere parts them."""
        return self._line[-1].text[-1:].isalpha() and bool(YEAR.match(text_of(node).lstrip()))

    def _block(self, node: Any, inner: Place, outer: Place) -> None:
        self._flush(outer)
        self._gap = max(self._gap, 8.0 if node.tag in HEADINGS else GAPS.get(node.tag, 0.0))
        self._bullet = node.tag == "li" or (self._bullet and node.tag not in {"ul", "ol"})
        self._inside(node, replace(inner, kept=inner.kept or node.tag == "pre"))
        self._flush(inner)
        if node.tag in GAPS and node.tag != "p":
            self._gap = max(self._gap, 8.0)

    def _float(self, node: Any, inner: Place, outer: Place) -> None:
        if is_long(node):
            self._column(node, inner, outer)
        else:
            self._apart = bool(self._line)
            self._inside(node, inner) if is_short(node) else self._block(node, inner, outer)
            self._apart = True

    def _column(self, node: Any, inner: Place, outer: Place) -> None:
        """Set an element as a column of its own, from where the pen is."""
        self._flush(outer)
        area = outer.area
        column = Area(area.left, area.right, area.down, self._sheet.new_column())
        own = replace(inner, area=column)
        self._inside(node, own)
        self._flush(own)
        self._sheet.close()

    def _row(self, node: Any, inner: Place, outer: Place, width: float) -> None:
        """Set items that stand side by side: short ones on one line, long ones as columns."""
        self._flush(outer)
        items = [part for part in node.iter() if part.tag not in NEVER and text_of(part).strip()]
        if len(items) > 1 and all(is_short(item) for item in items):
            self._items(items, inner, width)
        elif sum(is_long(item) for item in items) > 1:
            self._columns(node, items, inner, outer)
        else:
            self._inside(node, inner)
        self._flush(inner)

    def _items(self, items: list[Any], inner: Place, width: float) -> None:
        for index, item in enumerate(items):
            if index and index % width == 0:
                self._flush(inner)
            self._apart = bool(self._line)
            style = self._rules.find(item)
            look = look_of(item, style, inner.look)
            if look.hidden:
                self._hide_all(item, look.hidden)
            else:
                own = replace(inner, look=look, heading=HEADINGS.get(item.tag, inner.heading))
                self._item(item, own, side_by_side(style))

    def _item(self, item: Any, place: Place, width: float) -> None:
        """What stands side by side inside an item does not touch, either."""
        parts = [part for part in item.iter(include_text=True) if part.tag not in NEVER and _says(part)]
        if width > 1 and len(parts) > 1 and all(part.tag != "-text" for part in parts):
            self._items(parts, place, inf)
        else:
            self._inside(item, place)

    def _columns(self, node: Any, items: list[Any], inner: Place, outer: Place) -> None:
        long = [item for item in items if is_long(item)]
        area, bottom = outer.area, outer.area.down
        step = (area.right - area.left) / len(long)
        for part in node.iter(include_text=True):
            index = next((number for number, item in enumerate(long) if item.mem_id == part.mem_id), None)
            if index is None:
                self._text_node(part, inner) if part.tag == "-text" else self._element(part, inner)
                continue
            self._flush(inner)
            left = area.left + index * step
            column = Area(left, left + step, area.down, self._sheet.new_column())
            own = replace(inner, area=column)
            self._element(part, own)
            self._flush(own)
            self._sheet.close()
            bottom = max(bottom, column.down)
        area.down = max(area.down, bottom)

    def _table(self, node: Any, inner: Place, outer: Place) -> None:
        self._flush(outer)
        self._sheet.close()
        rows = table_rows(node)
        cells = [cell for row in rows for cell in row]
        if cells and max(len(row) for row in rows) > 1 and all(is_short(cell) for cell in cells):
            for row in rows:
                self._cells(row, self._in_row(row[0], inner))
        elif len(rows) == 1 and sum(is_long(cell) for cell in cells) > 1:
            self._columns(cells[0].parent, cells, self._in_row(cells[0], inner), outer)
        else:
            for cell in (cell for row in order_cells(rows) for cell in row):
                self._element(cell, self._in_row(cell, inner))
                self._flush(inner)
        self._sheet.close()

    def _in_row(self, cell: Any, place: Place) -> Place:
        """Give the place of a cell with the look that its row and the part of the table around it have."""
        around, look = [], place.look
        while (cell := cell.parent) is not None and cell.tag != "table":
            around.append(cell)
        for node in reversed(around):
            look = look_of(node, self._rules.find(node), look)
        return replace(place, look=look)

    def _cells(self, row: list[Any], place: Place) -> None:
        area = place.area
        step = (area.right - area.left) / len(row)
        found = []
        for index, cell in enumerate(row):
            self._inside(cell, replace(place, look=look_of(cell, self._rules.find(cell), place.look)))
            runs, self._line = self._line, []
            spot = Area(area.left + index * step, area.left + (index + 1) * step, area.down, area.column)
            if any(run.text.strip() for run in runs):
                found.append((spot, runs))
        self._sheet.write_row(found, column=area.column)
        area.down = max([area.down, *(spot.down for spot, _ in found)])


def _says(part: Any) -> bool:
    return bool(((part.text_content if part.tag == "-text" else text_of(part)) or "").strip())


def _below(place: Place, down: float) -> Place:
    """Give the place of what stands so far down in another."""
    if place.room == inf or place.look.hidden:
        return place
    if down >= place.room:
        return replace(place, look=replace(place.look, hidden=Reason.CLIPPED))
    return replace(place, room=place.room - down)


def _find_shown(node: Any) -> set[int] | None:
    """Give the parts of an element that it shows, if not all: others are behind its shadow, or in closed details."""
    parts = list(node.iter())
    if any(one.tag == "template" and "shadowrootmode" in one.attributes for one in parts):
        return set()
    if node.tag != "details" or "open" in node.attributes:
        return None
    return {one.mem_id for one in [one for one in parts if one.tag == "summary"][:1]}
