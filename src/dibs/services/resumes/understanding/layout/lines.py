"""Lines out of segments: list marks cut off, and the white above each measured."""

from collections.abc import Iterator, Sequence

from dibs.services.resumes.document import Box, Line, Word
from dibs.services.resumes.understanding.layout.judging import is_level
from dibs.services.resumes.understanding.layout.marks import has_mark, is_mark, is_sure_mark
from dibs.services.resumes.understanding.layout.segments import Segment
from msgspec.structs import replace


def make_lines(segments: Sequence[Segment]) -> tuple[Line, ...]:
    """Join what stands on one row."""
    return tuple(_measured(_lines(segments)))


def _lines(segments: Sequence[Segment]) -> Iterator[Line]:
    for row in _gather(segments):
        line = make_line([word for segment in sorted(row, key=lambda s: s.left) for word in segment.words])
        if line is not None:
            yield line


def _gather(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Put beside each other what stands on one line, also where the letters differ in size."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda s: (s.row, s.left)):
        if rows and is_level(rows[-1][0], segment) and all(_is_beside(segment, other) for other in rows[-1]):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return rows


def _is_beside(one: Segment, other: Segment) -> bool:
    return one.left >= other.right - 1 or other.left >= one.right - 1


def make_line(words: Sequence[Word]) -> Line | None:
    """Make a line, without its list mark. A mark alone gives none."""
    first = words[0]
    if is_mark(first.text) and len(words) > 1:
        return Line(tuple(words[1:]), bound(words), bullet=True)
    if has_mark(first.text):
        return Line((replace(first, text=first.text[1:]), *words[1:]), bound(words), bullet=True)
    kept = [word for word in words if not is_sure_mark(word.text)] if is_sure_mark(first.text) else words
    return Line(tuple(kept), bound(words)) if kept else None


def bound(words: Sequence[Word]) -> Box:
    """Give the smallest box around words of one page."""
    boxes = [word.box for word in words]
    return Box(
        boxes[0].page,
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def _measured(lines: Iterator[Line]) -> Iterator[Line]:
    above: Line | None = None
    for line in lines:
        yield replace(line, gap=line.box.top - above.box.bottom) if above else line
        above = line
