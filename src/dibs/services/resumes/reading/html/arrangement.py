"""How the elements of a page stand to each other: blocks, rows, columns, tables."""

# ruff: noqa: SIM905 - a list of names reads best as words
import re
from math import inf
from typing import Any

from dibs.services.resumes.reading.html.css.declarations import Declarations

NEVER = frozenset(
    "script style template head noscript title svg iframe object embed canvas audio video map datalist option select"
    " textarea input button meta link base math dialog rp noembed noframes progress meter".split()
)
BLOCKS = frozenset(
    "html body div p h1 h2 h3 h4 h5 h6 ul ol li section article header footer nav main aside address blockquote pre dl"
    " dt dd figure figcaption hr form fieldset details summary center tr tbody thead tfoot caption td th hgroup".split()
)
SHORT, LONG = 80, 150
FEWEST_CELLS = 3
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
REPEAT = re.compile(r"repeat\(\s*(\d+|auto-fi\w+)")


def text_of(node: Any) -> str:
    """Give the text of an element, without scripts and the like."""
    return " ".join(
        part.text_content or ""
        for part in node.traverse(include_text=True)
        if part.tag == "-text" and part.parent.tag not in NEVER
    )


def is_short(node: Any) -> bool:
    """Tell whether an element holds no more than a phrase."""
    text = " ".join(text_of(node).split())
    return len(text) <= SHORT and sum(_breaks(part) for part in node.traverse()) <= 1


def _breaks(node: Any) -> bool:
    return (node.tag in BLOCKS or node.tag == "br") and bool((node.text() or "").strip() or node.tag == "br")


def is_long(node: Any) -> bool:
    """Tell whether an element is a column of its own: it has headings, or much text."""
    text = " ".join(text_of(node).split())
    headed = _has(node, "h1, h2, h3, h4")
    return len(text) > (SHORT if headed else 2 * LONG)


def _has(node: Any, selector: str) -> bool:
    """Tell whether an element holds another one that says something."""
    return any((found.text() or "").strip() for found in node.css(selector))


def side_by_side(style: Declarations) -> float:
    """Give how many elements stand side by side in this one; 1: one below the other."""
    display = style.get("display", "")
    if "flex" in display:
        direction = style.get("flex-direction", "") + style.get("flex-flow", "")
        return 1 if "column" in direction else inf
    if "grid" not in display:
        return 1
    template = style.get("grid-template-columns", "")
    repeated = REPEAT.search(template)
    if repeated:
        return int(repeated[1]) if repeated[1].isdigit() else inf
    return max(len(re.sub(r"\([^)]*\)|\[[^\]]*\]", "()", template).split()), 1)


def table_rows(table: Any) -> list[list[Any]]:
    """Give the cells of a table, row by row, those of tables inside it left out."""
    rows = []
    for row in table.css("tr"):
        if _own_table(row) == table.mem_id:
            cells = [cell for cell in row.iter() if cell.tag in {"td", "th"} and text_of(cell).strip()]
            if cells:
                rows.append(cells)
    return rows


def _own_table(node: Any) -> int | None:
    while node is not None and node.tag != "table":
        node = node.parent
    return node.mem_id if node is not None else None


def order_cells(rows: list[list[Any]]) -> list[list[Any]]:
    """Give the rows of a table of entries with dates first, and last what is told at length; others as they are."""
    count = len(rows[0]) if rows else 0
    if count < FEWEST_CELLS or any(len(row) != count for row in rows):
        return rows
    columns = list(zip(*rows, strict=True))
    dated = [2 * sum(YEAR.search(text_of(cell)) is not None for cell in column) > len(rows) for column in columns]
    told = [any(_has(cell, "ul, ol") for cell in column) for column in columns]
    when = [at for at in range(count) if dated[at] and not told[at]]
    if not when or not any(told):
        return rows
    order = sorted(range(count), key=lambda at: (at != when[0], told[at]))
    return [[row[at] for at in order] for row in rows]
