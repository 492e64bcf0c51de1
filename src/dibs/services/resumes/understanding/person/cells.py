"""Contacts side by side, each in a cell of its own that may be broken: read downwards, one cell after the other."""

from collections.abc import Iterator, Sequence

from dibs.services.resumes.document import Line
from dibs.services.resumes.understanding.layout.lines import bound
from dibs.services.resumes.understanding.sections.rows import Piece, Row

SPACES = 0.75
"""About three spaces: no number or address has so many, but a line of contacts may have no other mark between them."""
_SAME = 0.3
_BELOW = 1.0


def order_cells(rows: Sequence[Row]) -> Iterator[Row]:
    """Give the rows; where parts stand under the parts of the row above, those of one cell behind each other."""
    at = cells = 0
    while at < len(rows):
        columns = [[part] for part in rows[at].part(SPACES)]
        height = 1
        while (
            len(columns) > 1
            and at + height < len(rows)
            and _stand_below(columns, rows[at + height - 1 : at + height + 1])
        ):
            height += 1
        if height == 1:
            yield rows[at]
        else:
            for number, column in enumerate(columns):
                yield from (_as_cell(part, -1 - cells - number) for part in column)
            cells += len(columns)
        at += height


def _stand_below(columns: list[list[Piece]], pair: Sequence[Row]) -> bool:
    """Put the parts of a row under those that they stand below, if all of them do."""
    above, row = pair
    apart = row.line.box.top - above.line.box.bottom
    if above.line.box.page != row.line.box.page or row.size != above.size or not -row.size < apart < _BELOW * row.size:
        return False
    parts = row.part(SPACES)
    places = [
        next((column for column in columns if _is_under(column[0], part, _SAME * row.size)), None) for part in parts
    ]
    if None in places or len({id(column) for column in places}) < len(parts):
        return False
    for column, part in zip(places, parts, strict=True):
        if column is not None:
            column.append(part)
    return True


def _is_under(first: Piece, part: Piece, near: float) -> bool:
    """Cells are set flush left, in the middle, or flush right."""
    left, right = part.words[0].box.left - first.words[0].box.left, part.words[-1].box.right - first.words[-1].box.right
    return min(abs(left), abs(right), abs(left + right) / 2) < near


def _as_cell(part: Piece, column: int) -> Row:
    return Row(Line(part.words, bound(part.words)), column=column)
