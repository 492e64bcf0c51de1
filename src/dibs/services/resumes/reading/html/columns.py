"""Columns of tables that a browser does not show: collapsed ones, and those without width where widths are fixed."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from dibs.services.resumes.reading.html.css.sheets import Rules
from dibs.services.resumes.reading.html.css.values import read_length
from dibs.services.resumes.reading.html.hiding import is_cutting

MOST_COLUMNS = 200
MOST_ROWS = 65_534
LEAST_WIDTH = 1.0


class Column:
    """What a column does to the cells in it."""

    __slots__ = ("is_collapsed", "is_flat")

    def __init__(self, *, is_collapsed: bool, is_flat: bool) -> None:
        self.is_collapsed = is_collapsed
        self.is_flat = is_flat


def hide_columns(body: Any, rules: Rules) -> None:
    """Say of the cells that stand in such columns only that they are not displayed."""
    tables = {
        table.mem_id: table for node in body.traverse() if _is_column(node, rules) if (table := _own_table(node, rules))
    }
    for table in tables.values():
        columns = list(_find_columns(table, rules))[:MOST_COLUMNS]
        if any(column.is_collapsed or column.is_flat for column in columns):
            for cell in _find_gone(table, columns, rules):
                rules.matched[cell.mem_id] = {**rules.matched.get(cell.mem_id, {}), "display": "none"}


def _display(node: Any, rules: Rules) -> str:
    return rules.find(node).get("display", "")


def _is_column(node: Any, rules: Rules) -> bool:
    return node.tag in {"col", "colgroup"} or _display(node, rules).startswith("table-column")


def _is_group(node: Any, rules: Rules) -> bool:
    return node.tag == "colgroup" or _display(node, rules) == "table-column-group"


def _own_table(node: Any, rules: Rules) -> Any:
    while (node := node.parent) is not None:
        if node.tag == "table" or _display(node, rules) in {"table", "inline-table"}:
            return node
    return None


def _find_columns(table: Any, rules: Rules) -> Iterator[Column]:
    fixed = rules.find(table).get("table-layout") == "fixed"
    for node in table.iter():
        if not _is_column(node, rules):
            continue
        inside = [part for part in node.iter() if _is_column(part, rules)] if _is_group(node, rules) else []
        for part in inside or [node]:
            told = rules.find(part).get("visibility") or rules.find(node).get("visibility", "")
            width = read_length(rules.find(part).get("width", "") or part.attributes.get("width") or "")
            flat = fixed and width is not None and width <= LEAST_WIDTH
            yield from [Column(is_collapsed=told == "collapse", is_flat=flat)] * _read_span(part, "span")


def _read_span(node: Any, name: str, most: int = MOST_COLUMNS) -> int:
    told = (node.attributes.get(name) or "1").strip()
    return min(int(told), most) if told.isascii() and told.isdigit() and len(told) < 8 else 1  # noqa: PLR2004 - digits


def _find_gone(table: Any, columns: list[Column], rules: Rules) -> Iterator[Any]:
    """Give the cells all of whose columns are gone; a cell that reaches into another one is seen there."""
    shown = [0, *accumulate(not column.is_collapsed for column in columns)]
    unflat = [0, *accumulate(not (column.is_collapsed or column.is_flat) for column in columns)]
    for cell, begin, end in _place_cells(table, rules):
        if end <= len(columns):
            counts = unflat if is_cutting(rules.find(cell)) else shown
            if counts[begin] == counts[end]:
                yield cell


def _place_cells(table: Any, rules: Rules) -> Iterator[tuple[Any, int, int]]:
    """Give each cell with the columns from which to which it goes, as cells of rows above leave room for it."""
    group, taken = None, dict[int, int]()
    for row in table.traverse():
        if not _is_row(row, rules) or (own := _own_table(row, rules)) is None or own.mem_id != table.mem_id:
            continue
        if row.parent.mem_id != group:
            group, taken = row.parent.mem_id, {}
        at, below = 0, {column: rows - 1 for column, rows in taken.items() if rows > 1}
        for cell in row.iter():
            while at in taken:
                at += 1
            end = at + max(_read_span(cell, "colspan"), 1)
            yield cell, at, end
            rows = (_read_span(cell, "rowspan", MOST_ROWS) or MOST_ROWS) - 1
            below |= {column: rows for column in range(at, min(end, MOST_COLUMNS)) if rows > 0}
            at = end
        taken = below


def _is_row(node: Any, rules: Rules) -> bool:
    return node.tag == "tr" or _display(node, rules) == "table-row"
