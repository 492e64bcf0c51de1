"""Fields out of pieces."""

from collections.abc import Sequence

from dibs.services.resumes.profile import PRESENT, Field
from dibs.services.resumes.understanding.normal.dates import Instant, Span, earliest
from dibs.services.resumes.understanding.sections.rows import Piece, Row, join_pieces

_INDENT = 3.0


def make_field(
    piece: Piece | None, confidence: float, *, value: str | None = None, normal: str | None = None
) -> Field | None:
    """Make a field of a piece, or nothing of nothing. What a scan hardly showed is less sure."""
    if piece is None or not (value or piece.text).strip():
        return None
    return Field((value or piece.text).strip(), confidence * piece.clarity, piece.boxes, normal)


def make_dates(dated: Sequence[tuple[Row, Span]]) -> tuple[Field | None, Field | None]:
    """Make start and end of the first range; of single dates the last is the end."""
    ranged = [(row, span) for row, span in dated if span.is_range]
    if ranged:
        row, span = ranged[0]
        piece = row.cut(span.begin, span.end)
        return _date(piece, span.start, 0.95), Field(PRESENT, 0.93, piece.boxes) if span.is_present else _date(
            piece, span.stop, 0.95
        )
    if not dated:
        return None, None
    if len(dated) > 1 and _is_rising(dated[0][1], dated[1][1]):
        (first, start), (second, stop) = dated[0], dated[1]
        return _date(first.cut(start.begin, start.end), start.stop, 0.75), _date(
            second.cut(stop.begin, stop.end), stop.stop, 0.75
        )
    row, span = dated[0]
    return None, _date(row.cut(span.begin, span.end), span.stop, 0.8)


def _is_rising(first: Span, second: Span) -> bool:
    return first.stop is not None and second.stop is not None and earliest(first.stop) < earliest(second.stop)


def _date(piece: Piece, instant: Instant | None, confidence: float) -> Field | None:
    return Field(str(instant), confidence * piece.clarity, piece.boxes) if instant else None


def make_highlights(rows: Sequence[Row]) -> tuple[tuple[Field, ...], Field | None]:
    """Make list items and running text of the rows that tell of an entry."""
    items: list[list[Row]] = []
    prose: list[Row] = []
    open_item = False
    for row in rows:
        if row.bullet:
            items.append([row])
            open_item = True
        elif (open_item and _goes_on(items[-1], row)) or (items and not prose and open_item):
            items[-1].append(row)
        else:
            prose.append(row)
            open_item = False
    highlights = tuple(_told(join_pieces(item)) for item in items)
    return highlights, _told(join_pieces(prose)) if prose else None


def _goes_on(item: list[Row], row: Row) -> bool:
    return row.words[0].box.left >= item[0].words[0].box.left - _INDENT


def _told(piece: Piece) -> Field:
    return Field(piece.text, 0.85 * piece.clarity, piece.boxes)
