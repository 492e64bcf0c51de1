"""Where things of a DOCX stand: paragraphs, tables and boxes that are set beside the page, or flat."""

from lxml import etree

from dibs.services.resumes.reading.docx.names import OFF, child, number, value
from dibs.services.resumes.reading.screening.seeing import LEAST_SIZE, Reason
from dibs.services.resumes.reading.sheet import HEIGHT, WIDTH

FAR_ACROSS, FAR_DOWN = 1.5 * WIDTH, 1.5 * HEIGHT
MARGIN = 150.0
"""More than any margin: a place that is counted from the text may stand so far outside of it and be on the page."""


def is_outside(left: float, top: float, width: float, height: float) -> bool:
    """Tell whether nothing of a box is on the page, by places in points."""
    across = left + width < -MARGIN or left > FAR_ACROSS
    return across or top + height < -FAR_DOWN or top > FAR_DOWN


def find_unseen(properties: etree._Element) -> Reason | None:
    """Say why nobody sees a paragraph of these properties; None: it can be seen."""
    indent, spacing, frame = (child(properties, name) for name in ("ind", "spacing", "framePr"))
    if abs(_points(indent, "left") or _points(indent, "start")) > FAR_ACROSS or is_placed_outside(frame):
        return Reason.OFF_PAGE
    flat = value(spacing, "lineRule") == "exact" and _points(spacing, "line") < LEAST_SIZE
    low = value(frame, "hRule") == "exact" and _points(frame, "h") < LEAST_SIZE
    return Reason.CLIPPED if flat or low else None


def is_placed_outside(place: etree._Element | None, prefix: str = "") -> bool:
    """Tell whether a frame or a table is given a place beside the page."""
    if place is None:
        return False
    across, down = (f"{prefix}X", f"{prefix}Y") if prefix else ("x", "y")
    left, top = _points(place, across), _points(place, down)
    return is_outside(left, top, _points(place, "w") or WIDTH, _points(place, "h") or HEIGHT)


def find_unseen_table(table: etree._Element) -> Reason | None:
    """Say why nobody sees a table; None: it can be seen."""
    properties = child(table, "tblPr")
    outside = is_placed_outside(child(properties, "tblpPr"), "tblp")
    return Reason.OFF_PAGE if outside or abs(_points(child(properties, "tblInd"), "w")) > FAR_ACROSS else None


def find_unseen_row(row: etree._Element) -> Reason | None:
    """Say why nobody sees a row of a table; None: it can be seen."""
    hidden, height = child(row, "trPr", "hidden"), child(row, "trPr", "trHeight")
    if hidden is not None and value(hidden) not in OFF:
        return Reason.VANISH
    flat = value(height, "hRule") == "exact" and _points(height, "val") < LEAST_SIZE
    return Reason.CLIPPED if flat else None


def _points(node: etree._Element | None, name: str) -> float:
    return number(value(node, name)) / 20
