"""Which segments are headings: the layout needs to know, because a heading rules what stands under or beside it."""

from collections.abc import Sequence

from dibs.services.resumes.document import Line
from dibs.services.resumes.understanding.layout.marks import has_mark, is_mark
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.sections.headings import Headings
from dibs.services.resumes.understanding.sections.rows import Looks, Row


def mark_headings(segments: Sequence[Segment]) -> None:
    """Mark the segments that look like headings and say what headings say."""
    rows = [Row(Line(s.words, s.box, bullet=is_mark(s.words[0].text) or has_mark(s.words[0].text))) for s in segments]
    headings = Headings(rows, Looks(rows))
    for segment, row in zip(segments, rows, strict=True):
        segment.is_heading = headings.find(row, strictly=True) is not None
