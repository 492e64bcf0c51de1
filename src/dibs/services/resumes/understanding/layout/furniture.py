"""What a page carries for the paper's sake: page numbers, and names that stand on every page."""

import re
from collections import Counter
from statistics import median

from dibs.services.resumes.document import Page
from dibs.services.resumes.understanding.layout.segments import Segment

_MARGIN = 0.085
_LARGE = 1.3
_NUMBERED = re.compile(
    r"\b(?:page|seite|página|pagina|pág\.)\s*\d{1,2}\b|\b\d{1,2}\s*(?:/|of|von|sur)\s*\d{1,2}\b", re.IGNORECASE
)
_COUNT = re.compile(
    r"^\W*(?:page|seite|página|pagina|pág\.?|p\.?|s\.)?\s*\d{1,2}\s*(?:(?:/|of|von|sur|de|\|)\s*\d{1,2})?\W*$",
    re.IGNORECASE,
)


def drop_furniture(pages: list[tuple[Page, list[Segment]]]) -> list[list[Segment]]:
    """Leave out page numbers, and what is repeated in the margins of other pages after its first time."""
    seen: Counter[str] = Counter()
    kept = []
    usual = median([s.size for _, segments in pages for s in segments] or [1.0])
    feet = _find_feet(pages)
    for page, segments in pages:
        edge = [s for s in segments if _is_edge(s, page)]
        repeated = {_shape(s.text) for s in edge if seen[_shape(s.text)]} if page.number > 1 else set()
        gone = {s for s in edge if _shape(s.text) in repeated or (_COUNT.match(s.text) and len(pages) > 1)}
        gone |= {s for s in segments if _is_foot(s, page) and _COUNT.match(s.text)}
        gone |= {s for s in segments if _is_foot(s, page) and _shape(s.text) in feet}
        seen.update(_shape(s.text) for s in segments if s in edge or s.size >= _LARGE * usual)
        kept.append([s for s in segments if s not in gone])
    return kept


def _find_feet(pages: list[tuple[Page, list[Segment]]]) -> set[str]:
    """Find what the foot of several pages says around their numbers: "Page 1 - Curriculum vitae of" over a name."""
    counts = Counter(
        shape for page, segments in pages for shape in {_shape(s.text) for s in segments if _is_foot(s, page)}
    )
    repeated = {shape for shape, count in counts.items() if count > 1}
    numbered = any(_NUMBERED.search(s.text) for page, segments in pages for s in segments if _is_foot(s, page))
    return repeated if numbered else set()


def _is_foot(segment: Segment, page: Page) -> bool:
    return segment.top > page.height * (1 - _MARGIN)


def _is_edge(segment: Segment, page: Page) -> bool:
    return segment.bottom < page.height * _MARGIN or _is_foot(segment, page)


def _shape(text: str) -> str:
    """Give the text with page numbers made equal. Years stay: another entry is no repetition."""
    return re.sub(r"(?<!\d)\d{1,2}(?!\d)", "#", text.casefold())
