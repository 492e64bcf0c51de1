"""Drawn areas that stand behind a sidebar, and drawn lines that part columns."""

from dibs.services.resumes.document import Box, Page, Word

_WHITE = 0xF8F8F8


def find_panels(page: Page) -> list[Box]:
    """Find tall coloured areas that are narrower than the page, the largest first."""
    panels = [shape.box for shape in page.shapes if shape.fill is not None and _is_panel(shape.box, page)]
    return sorted(panels, key=lambda box: (box.right - box.left) * (box.bottom - box.top), reverse=True)


def _is_panel(box: Box, page: Page) -> bool:
    width, height = box.right - box.left, box.bottom - box.top
    return 0.12 * page.width < width < 0.62 * page.width and height > 0.35 * page.height


def find_edges(page: Page) -> list[float]:
    """Find where upright lines and the sides of panels suggest a river."""
    upright = [s.box for s in page.shapes if s.box.right - s.box.left < 4 and s.box.bottom - s.box.top > 60]  # noqa: PLR2004 - points
    edges = {round(box.right + 1.6) for box in upright}
    edges.update(round(side) for box in find_panels(page) for side in (box.left, box.right))
    return sorted(float(edge) for edge in edges)


def draw_marks(page: Page) -> list[Word]:
    """Give the words of a page, with list marks that were drawn instead of written."""
    dots = [shape.box for shape in page.shapes if shape.fill is not None and _is_dot(shape.box)]
    found = [_mark(dot, word) for dot in dots if (word := _find_behind(dot, page.words))]
    return [*page.words, *found]


def _mark(dot: Box, word: Word) -> Word:
    """Set the mark on the line of its word: a dot floats higher than a letter."""
    return Word("•", Box(dot.page, dot.left, word.box.top, dot.right, word.box.bottom), size=word.size)


def _is_dot(box: Box) -> bool:
    width, height = box.right - box.left, box.bottom - box.top
    return 1.2 < width < 7.5 and 0.7 < width / max(height, 0.1) < 1.4  # noqa: PLR2004 - points


def _find_behind(dot: Box, words: tuple[Word, ...]) -> Word | None:
    middle = (dot.top + dot.bottom) / 2
    beside = [word for word in words if word.box.top < middle < word.box.bottom]
    behind = [word for word in beside if 0 < word.box.left - dot.right < 30]  # noqa: PLR2004 - points
    close_before = any(-3 < dot.left - word.box.right < word.size for word in beside)
    return None if close_before else min(behind, key=lambda word: word.box.left, default=None)
