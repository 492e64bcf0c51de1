"""The whole way of the layout: segments, margins, rivers, pages, lines."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from dibs.services.resumes.document import Block, Box, Document, Page
from dibs.services.resumes.understanding.layout.furniture import drop_furniture
from dibs.services.resumes.understanding.layout.headed import mark_headings
from dibs.services.resumes.understanding.layout.lines import make_lines, mend_dates
from dibs.services.resumes.understanding.layout.marks import drop_strokes
from dibs.services.resumes.understanding.layout.panels import draw_marks, find_edges, find_panels
from dibs.services.resumes.understanding.layout.regions import Frame, Leaf, read_region
from dibs.services.resumes.understanding.layout.segments import Segment, find_segments
from dibs.services.resumes.understanding.layout.streams import join_pages
from dibs.services.resumes.understanding.layout.tables.drawn import find_tables, is_inside

_OWN = Frame(0.0, 1e6)


class Strip(NamedTuple):
    """A block, and from where to where its column goes."""

    block: Block
    frame: Frame
    is_own: bool = False
    """The format gave the block; that it begins here says little."""

    def is_within(self, other: "Strip") -> bool:
        return (
            other.frame != self.frame and other.frame.left <= self.frame.left and self.frame.right <= other.frame.right
        )


def arrange(document: Document) -> list[Strip]:
    """Give the blocks of a document in reading order: its own, or those found on its pages."""
    if document.blocks is not None:
        return [
            Strip(
                replace(block, lines=tuple(mend_dates(list(block.lines)))),
                _OWN if block.column == 0 else Frame(block.column, block.column),
            )
            for block in document.blocks
        ]
    pages = [(page, find_segments(draw_marks(_without_strokes(page)))) for page in document.pages]
    kept = drop_furniture(pages)
    mark_headings([segment for segments in kept for segment in segments])
    leaves = [list(_read_page(page, segments)) for (page, _), segments in zip(pages, kept, strict=True)]
    return list(_strips(join_pages(leaves, [page.width for page in document.pages])))


def _without_strokes(page: Page) -> Page:
    return replace(page, words=tuple(drop_strokes(page.words)))


def _read_page(page: Page, segments: list[Segment]) -> Iterator[Leaf]:
    """Read what stands above, between and below drawn tables, and the rows of these where they stand."""
    frame = Frame(0.0, page.width)
    for table in find_tables(page, segments):
        yield from _read_plain(page, [s for s in segments if s.bottom <= table.top + 1])
        yield from (Leaf(cell, frame, is_label=True) for row in table.rows for cell in row)
        segments = [s for s in segments if s.bottom > table.top + 1 and not is_inside(s, table)]
    yield from _read_plain(page, segments)


def _read_plain(page: Page, segments: list[Segment]) -> Iterator[Leaf]:
    frame = Frame(0.0, page.width)
    edges = find_edges(page)
    for panel in find_panels(page):
        inside = list(_find_inside(segments, panel))
        beside = [s for s in segments if s not in inside and s.bottom > panel.top and s.top < panel.bottom]
        if inside and beside and not any(s.left < panel.right - 2 and s.right > panel.left + 2 for s in beside):
            yield from _read_panel(segments, inside, beside, (frame, edges, panel.left, panel.right))
            return
    yield from read_region(segments, frame, edges)


def _find_inside(segments: list[Segment], panel: Box) -> Iterator[Segment]:
    """A long word may run out of a panel at the edge of the page: it belongs to where it begins."""
    level = [s for s in segments if panel.top - 1 <= s.top and s.bottom <= panel.bottom + 1]
    is_last = not any(s.left > panel.right for s in level)
    for segment in level:
        if panel.left - 1 <= segment.left < panel.right and (is_last or segment.right <= panel.right + 1):
            yield segment


def _read_panel(
    segments: list[Segment],
    inside: list[Segment],
    beside: list[Segment],
    around: tuple[Frame, list[float], float, float],
) -> Iterator[Leaf]:
    frame, edges, left, right = around
    rows = {s.row for s in inside} | {s.row for s in beside}
    above = [s for s in segments if s.row < min(rows)]
    below = [s for s in segments if s.row > max(rows)]
    yield from read_region(above, frame, edges)
    sides = [s for s in beside if s.right <= left + 2], inside, [s for s in beside if s.left >= right - 2]
    frames = Frame(frame.left, left), Frame(left, right), Frame(right, frame.right)
    for side, own in zip(sides, frames, strict=True):
        yield from read_region(side, own, edges)
    yield from read_region(below, frame, edges)


def _strips(leaves: list[Leaf]) -> Iterator[Strip]:
    columns: dict[tuple[int, int], int] = {}
    for leaf in leaves:
        key = (round(leaf.frame.left / 15), round(leaf.frame.right / 15))
        lines = make_lines(leaf.segments)
        if lines:
            yield Strip(Block(lines, column=columns.setdefault(key, len(columns))), leaf.frame)
