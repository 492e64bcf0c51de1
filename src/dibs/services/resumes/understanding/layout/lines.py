"""Lines out of segments: list marks cut off, and the white above each measured."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from dibs.services.resumes.document import Box, Line, Word
from dibs.services.resumes.understanding.layout.judging import is_level
from dibs.services.resumes.understanding.layout.marks import has_mark, is_mark, is_sure_mark
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.normal.dates import (
    find_broken,
    is_bare_range,
    is_finish,
    is_pair,
    is_rest,
    is_unfinished,
    read_bare,
)

_ALIGNED = 3.0
_CLOSE = 0.5
_SPACE = 0.25
_THIRD = 2.0


def make_lines(segments: Sequence[Segment]) -> tuple[Line, ...]:
    """Join what stands on one row."""
    return tuple(_measured(iter(mend_dates(list(_carry_dates(_lines(segments)))))))


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
    if is_mark(first.text) and len(words) > 1 and not is_rest(" ".join(word.text for word in words)):
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


def _carry_dates(lines: Iterator[Line]) -> Iterator[Line]:
    """Give a line the words of its first date that stood at the end of the line above, where more than dates follow."""
    above: Line | None = None
    for line in lines:
        at = find_broken(above.text, line.text) if above and _is_next(above, line) else None
        if above is None or at is None:
            if above is not None:
                yield above
            above = line
            continue
        count = len(above.text[at:].split())
        if count < len(above.words):
            yield _relined(above, [list(above.words[:-count])])
        above = _relined(line, [[*above.words[-count:], *line.words]])
    if above is not None:
        yield above


def _is_next(above: Line, line: Line) -> bool:
    whole = is_unfinished(above.text) and is_finish(line.text)
    return not line.bullet and not whole and line.box.top - above.box.bottom < _CLOSE * line.words[0].size


def _measured(lines: Iterator[Line]) -> Iterator[Line]:
    above: Line | None = None
    for line in lines:
        yield replace(line, gap=line.box.top - above.box.bottom) if above else line
        above = line


def mend_dates(lines: list[Line]) -> list[Line]:
    """Put ranges together that a narrow cell broke in two, and the cell beside them that was broken with them."""
    mended: list[Line] = []
    for before, line, behind in zip([None, None, *lines], lines, [*lines[1:], None], strict=False):
        paired = bool(mended) and _is_pair(before, mended[-1], line, behind)
        joined = [_pair(mended[-1], line)] if paired else _mend(mended[-1], line) if mended else None
        if joined is not None:
            mended[-1:] = joined
        elif late := _mend_late(mended[-2], line) if len(mended) > 1 else None:
            mended[-2:] = [late[0], mended[-1], *late[1:]]
        else:
            mended.append(line)
    return mended


def _is_pair(before: Line | None, above: Line, below: Line, behind: Line | None) -> bool:
    """Start and end may stand under each other without a dash. Three dates under each other are a list."""
    if any(other is not None and read_bare(other.text) for other in (before, behind)) or below.bullet:
        return False
    return is_pair(above.text, below.text) and above.words[0].size == below.words[0].size


def _pair(above: Line, below: Line) -> Line:
    dash = replace(above.words[-1], text="–")
    return _relined(above, [[*above.words, dash, *below.words]])


def _mend(above: Line, below: Line) -> list[Line] | None:
    if is_unfinished(above.text) and is_finish(below.text) and not below.bullet:
        return [_relined(above, [[*above.words, *below.words]])]
    cells, rest = _cells(above), _cells(below)
    ends = [(cell, tail) for cell in (cells[-1], cells[0]) for tail in rest if _goes_on(cell, tail)]
    broken, tail = next(iter(ends), (None, None))
    if broken is None or tail is None or (below.bullet and tail is rest[0]):
        return None
    others = [cell for cell in rest if cell is not tail]
    partner = next((cell for cell in cells if cell is not broken), None)
    whole = broken + tail
    if (
        partner
        and len(others) == 1
        and abs(others[0][0].box.left - partner[0].box.left) < _ALIGNED
        and broken is cells[-1]
        and not _has_room(partner, others[0], broken)
    ):
        return [_relined(above, [partner + others[0], whole])]
    kept = [_relined(above, [whole if cell is broken else cell for cell in cells])]
    return [*kept, _relined(below, others)] if others else kept


def _mend_late(above: Line, below: Line) -> list[Line] | None:
    """Mend a range that took three lines of its cell, beside two lines of another."""
    broken = _cells(above)[-1]
    close = below.box.top - above.box.bottom < _THIRD * below.words[0].size
    if not close or not is_unfinished(_text(broken)) or len(broken) == len(above.words):
        return None
    rest = _cells(below)
    tail = next((cell for cell in rest if is_finish(_text(cell)) and _is_under(cell, broken)), None)
    if tail is None or (below.bullet and tail is rest[0]):
        return None
    others = [cell for cell in rest if cell is not tail]
    whole = _relined(above, [list(above.words), tail])
    return [whole, _relined(below, others)] if others else [whole]


def _has_room(cell: list[Word], below: list[Word], dates: list[Word]) -> bool:
    """Tell whether the first word below a cell had room in it, before the dates: then it is no rest of a broken line."""
    first, last = below[0], cell[-1]
    needed = last.box.right + _SPACE * first.size + first.box.right - first.box.left
    return needed < dates[0].box.left - first.size


def _goes_on(cell: list[Word], tail: list[Word]) -> bool:
    """Tell whether a range, or a month before its year, breaks off in a cell and goes on in the one under it."""
    above, below = _text(cell), _text(tail)
    ended = is_unfinished(above) and is_finish(below)
    whole = f"{above} {below}"
    begun = find_broken(above, below) == 0 and (is_bare_range(whole) or is_unfinished(whole))
    return (ended or begun) and _is_under(tail, cell)


def _cells(line: Line) -> list[list[Word]]:
    cells = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if word.box.left - before.box.right > word.size or _begins_dates(word, before):
            cells.append([])
        cells[-1].append(word)
    return cells


def _begins_dates(word: Word, before: Word) -> bool:
    return before.bold != word.bold and word.box.left - before.box.right > 0.5 * word.size


def _text(cell: list[Word]) -> str:
    return " ".join(word.text for word in cell)


def _is_under(cell: list[Word], above: list[Word]) -> bool:
    left = abs(cell[0].box.left - above[0].box.left) < _ALIGNED
    return left or abs(cell[-1].box.right - above[-1].box.right) < _ALIGNED


def _relined(line: Line, cells: list[list[Word]]) -> Line:
    words = [word for cell in cells for word in cell]
    return replace(line, words=tuple(words), box=bound(words))
