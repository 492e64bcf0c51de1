"""What a river means: two columns, a rail of labels beside a text, or dates that hang on the lines to their left."""

from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise
from statistics import median_low

from dibs.services.resumes.understanding.layout.marks import has_mark, is_mark
from dibs.services.resumes.understanding.layout.rivers import River
from dibs.services.resumes.understanding.layout.segments import Segment
from dibs.services.resumes.understanding.normal.dates import (
    find_broken,
    find_dates,
    is_bare_range,
    is_finish,
    is_month,
    is_pair,
    is_rest,
    is_unfinished,
)
from dibs.services.resumes.understanding.normal.levels import is_drawn, is_rating
from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.sections.asking import find_asked
from dibs.services.resumes.understanding.sections.rows import is_set_alike
from dibs.services.resumes.understanding.sections.wording import find_exact

_LABEL_CHARACTERS = 42
_MARGIN_CHARACTERS = 40
_MOST = 0.75
_GROUP_WHITE = 0.75
_CELL_WHITE = 0.4
_ROLE_LINES = 3
_LARGE = 1.5
_EVEN = 1.2
_COLUMN_ROWS = 3
_FEWEST_LABELS = 2
_PAIR = 2
_FLUSH = 4.0
_RAGGED = 15.0
_SURE = 0.6
_SOME = 0.3


class Verdict(Enum):
    COLUMNS = auto()
    """Each side is read by itself, the left one first."""
    ROWS = auto()
    """Labels or dates on the left, each read before what stands beside it."""
    JOIN = auto()
    """One text: what stands on the right belongs to its line."""
    OPEN = auto()
    """Too little to tell."""


def judge(river: River) -> Verdict:
    """Decide by alignment first: texts that share no rows are columns, whatever they say."""
    left, right = river.left, river.right
    if _hangs_right(left, right) or _are_only_dates(right) or _are_heads(left, right):
        return Verdict.JOIN
    if _is_rail(left, right):
        return Verdict.ROWS
    if min(len(_rows(left)), len(_rows(right))) < _COLUMN_ROWS and not _is_apart(river):
        return Verdict.OPEN
    return Verdict.COLUMNS


def group(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Gather what stands under each other without white between."""
    groups: list[list[Segment]] = []
    ordered = sorted(segments, key=lambda s: (s.row, s.left))
    usual = 0.0
    for before, segment in pairwise([ordered[0], *ordered]):
        white = segment.top - before.bottom
        # Lines of a table stand far apart: white that is hardly more than that between the last ones parts nothing.
        alike = is_set_alike(before.words[0], segment.words[0])
        size = (max if alike else min)(segment.size, before.size)
        if not groups or white > max(_GROUP_WHITE * size, _EVEN * usual):
            groups.append([])
            usual = 0.0
        elif segment.row != before.row:
            usual = white
        groups[-1].append(segment)
    return groups


def group_labels(segments: Sequence[Segment], beside: Sequence[Segment] = ()) -> list[list[Segment]]:
    """Gather the lines of one label; a heading or another date begins the next."""
    groups: list[list[Segment]] = []
    count_asking = _count_asking_lines if _asks_often(segments) else _count_none
    for part in (cell for whole in group(segments) for cell in _cut_cells(whole, beside)):
        if pairs := _pair_up(part):
            groups += pairs
            continue
        at = 0
        groups.append([])
        while at < len(part):
            lines = _count_heading_lines(part[at:]) or count_asking(part[at:])
            own = part[at : at + max(lines, 1)]
            last = groups[-1]
            dated = last and _is_dated(last) and ((_is_dated(own) and not _goes_on(last, own)) or _is_like(last, own))
            if last and (lines or is_headed(last) or dated or count_asking(last) == len(last)):
                groups.append([])
            groups[-1].extend(own)
            at += len(own)
    return groups


def _cut_cells(part: list[Segment], beside: Sequence[Segment]) -> list[list[Segment]]:
    """Cut the labels of a table: each has a line of its text beside it, and they stand farther apart than lines of one."""
    cells = [part[:1]]
    for at, (before, segment) in enumerate(pairwise(part), 1):
        asks = _names_role(part[at:]) and not _is_in_name(cells[-1], segment)
        apart = segment.top - before.bottom > _CELL_WHITE * segment.size or asks
        label = cells[-1] if is_month(before.text) else [before]
        broken = _goes_on(label, [segment]) or is_pair(before.text, segment.text)
        broken = broken or _is_in_heading(part, at) or _is_large(segment, beside)
        level = _count_level([segment], beside) and _count_level([cells[-1][0], before], beside)
        if apart and segment.row != before.row and not broken and level:
            cells.append([])
        cells[-1].append(segment)
    return cells


def _is_in_name(cell: Sequence[Segment], segment: Segment) -> bool:
    """Tell whether a word of forms is the rest of a bold name: "Riverside", "School"."""
    return cell[-1].is_bold and segment.is_bold and not _names_role(cell)


def _is_in_heading(part: Sequence[Segment], at: int) -> bool:
    """Tell whether a line goes on with a heading that began above it."""
    return any(_count_heading_lines(part[at - back :]) > back for back in range(1, min(at + 1, _ROLE_LINES)))


def _is_large(segment: Segment, beside: Sequence[Segment]) -> bool:
    """Tell whether a line takes the height of several beside it, so that it is level with one by chance."""
    return segment.size > _LARGE * median_low([s.size for s in beside] or [segment.size])


def _names_role(part: Sequence[Segment]) -> bool:
    """Tell whether a label begins that says what stands beside it, in one line or in several."""
    return any(find_asked(" ".join(s.text for s in part[:count])) for count in range(1, _ROLE_LINES + 1))


def _pair_up(part: list[Segment]) -> list[list[Segment]]:
    """Give starts with their ends, where a label is nothing but these; dates that only rise are a list."""
    texts = [s.text for s in part]
    rises = [is_pair(*pair) for pair in pairwise(texts)]
    if len(part) % _PAIR or not all(rises[::_PAIR]) or any(rises[1::_PAIR]):
        return []
    return [part[at : at + _PAIR] for at in range(0, len(part), _PAIR)]


def _is_like(label: Sequence[Segment], below: Sequence[Segment]) -> bool:
    """What is set like the bold name over the dates begins another label, also without white above it."""
    first, own = label[0], below[0]
    named = first.is_bold and not _is_dated([first])
    return named and own.is_bold and own.size == first.size and own.row > label[-1].row and _is_dated([label[-1]])


def _goes_on(label: Sequence[Segment], below: Sequence[Segment]) -> bool:
    """A range may break off in its narrow cell, beside the lines of a name."""
    if is_rest(below[0].text):
        return True
    flush = [s for s in label if abs(s.left - below[0].left) < _FLUSH] or label
    if is_month(flush[-1].text):
        return is_unfinished(" ".join(s.text for s in flush))
    if find_broken(flush[-1].text, below[0].text) is not None:
        return True
    return is_unfinished(flush[-1].text) or is_unfinished(label[-1].text)


def _count_heading_lines(part: Sequence[Segment]) -> int:
    """Count the lines that together say what headings say: RELEVANT over EXPERIENCE."""
    for count in (3, 2):
        lines = part[:count]
        if (
            len(lines) == count
            and all(is_set_alike(lines[0].words[0], s.words[0]) for s in lines)
            and find_exact(" ".join(s.text for s in lines))
        ):
            return count
    return int(part[0].is_heading)


def _are_heads(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Tell whether a row says on both sides what the columns under it hold: a table, to be read row by row."""
    heads = [s for s in right if find_asked(s.text)]
    return any(is_level(one, other) for one in left if find_asked(one.text) for other in heads)


def _asks_often(segments: Sequence[Segment]) -> bool:
    """Tell whether questions stand under each other: one alone is the head of a column."""
    return len({s.row for s in segments if find_asked(s.text)}) > 1


def _count_none(_part: Sequence[Segment]) -> int:
    return 0


def _count_asking_lines(part: Sequence[Segment]) -> int:
    """Count the lines that together ask for a part of an entry, as a form does."""
    counts = (count for count in (3, 2, 1) if find_asked(" ".join(s.text for s in part[:count])))
    return min(next(counts, 0), len(part))


def is_level(one: Segment, other: Segment) -> bool:
    """Tell whether two segments stand on one line, also in letters of different size."""
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > 0.5 * min(one.bottom - one.top, other.bottom - other.top)


def _count_level(side: Sequence[Segment], other: Sequence[Segment]) -> int:
    """Count the segments of a side that have one of the other side beside them."""
    return sum(any(is_level(one, two) for two in other) for one in side)


def _rows(segments: Sequence[Segment]) -> set[int]:
    return {s.row for s in segments}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _hangs_right(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Dates or places, sparse, each on the row of something to its left."""
    right = _without_titles(left, right)
    if any(_is_item(s) for s in right) or _share(_count_level(right, left), len(right)) < _MOST:
        return False
    if any(len(s.text) > _MARGIN_CHARACTERS for s in right):
        return False
    marginal = _share(sum(is_marginal(s.text) for s in right), len(right))
    sparse = len(_rows(right)) <= 0.67 * len(_rows(left))
    if marginal >= 0.5:  # noqa: PLR2004 - half
        return sparse or marginal >= _MOST
    return sparse and _is_flush_right(right) and not any(s.is_heading for s in right)


def _without_titles(left: Sequence[Segment], right: Sequence[Segment]) -> Sequence[Segment]:
    """Headings of the whole text may be set flush right, alone on their lines, over the dates of their entries."""
    titles = [s for s in right if s.is_heading and not _count_level([s], left)]
    rest = [s for s in right if s not in titles]
    flush = max(s.right for s in right) - min(s.right for s in right) < _FLUSH
    return rest if rest and flush else right


def _are_only_dates(segments: Sequence[Segment]) -> bool:
    """Nothing but ranges of dates, and perhaps their places: no text of its own, wherever between the lines it stands."""
    dates = [s for s in segments if is_bare_range(s.text) or is_unfinished(s.text)]
    others = [s for s in segments if s not in dates]
    return bool(dates) and all(is_finish(s.text) or judge_place(s.text) >= _SURE for s in others)


def _is_flush_right(segments: Sequence[Segment]) -> bool:
    """The right edges agree and the left ones do not."""
    rights, lefts = [s.right for s in segments], [s.left for s in segments]
    return max(rights) - min(rights) < _FLUSH and (len(segments) == 1 or max(lefts) - min(lefts) > _FLUSH)


def has_items(segments: Sequence[Segment]) -> bool:
    return any(_is_item(s) for s in segments)


def _is_item(segment: Segment) -> bool:
    marked = is_mark(segment.words[0].text) or has_mark(segment.words[0].text)
    return marked and not is_rest(segment.text) and not is_drawn(segment.text)


@lru_cache(maxsize=4096)
def is_marginal(text: str) -> bool:
    """Tell whether a text is a date, a place or a level, as margins hold them."""
    spans = find_dates(text)
    kept = len(text) - sum(span.end - span.begin for span in spans)
    return (bool(spans) and kept <= 14) or judge_place(text) >= 0.6 or is_rating(text)  # noqa: PLR2004 - room for a remark


def _is_rail(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    groups = group_labels(left, right)
    if any(_is_item(s) or len(s.text) > _LABEL_CHARACTERS for s in left):
        return False
    beside = _rows(right)
    aligned = _share(_count_level([part[0] for part in groups], right), len(groups))
    # Where the text has the headings, what says the same in the margin names a group: "Technical".
    headed = [part for part in groups if (_has_heading(part) if _has_heading(right) else is_headed(part))]
    if _is_form(groups, right):
        return True
    if headed and _count_headings(right) >= max(2, len(headed) / 2):
        return False
    if headed:
        return _is_headed_rail(groups, headed, right)
    if aligned < _MOST:
        return False
    several = len(groups) > 1
    some_dated = several and _share(sum(_is_dated(part) for part in groups), len(groups)) > _SOME
    # A range that its margin broke in two is one label.
    sparse = (len(groups) if some_dated else len(_rows(left))) <= 0.7 * len(beside)
    dated = are_dated(groups) and (several or sparse or (len(left) > 1 and _are_one_range(left)))
    told = dated or (sparse and several) or _are_roles(groups) or _are_labels(left, right)
    told = told or (several and _are_dated_beside(groups, right))
    return told and not _has_heading(left)


def _is_headed_rail(groups: list[list[Segment]], headed: list[list[Segment]], right: Sequence[Segment]) -> bool:
    plain = [part for part in groups if part not in headed and not _is_dated(part) and not _is_role(part)]
    told = [part for part in groups if part not in plain]
    blocks = [*told, *_join_tables(plain)]
    named = _share(len(told), len(blocks))
    aligned = _share(_count_level([part[0] for part in blocks], right), len(blocks))
    if named >= 0.7 and (aligned >= _MOST or (named > 0.9 and len(headed) > 1)):  # noqa: PLR2004 - nearly all
        return True
    return len(headed) > 1 and _is_flush_rail(groups, right)


def _join_tables(groups: list[list[Segment]]) -> list[list[Segment]]:
    """Put the labels of a table together, which count once however many they are: "Name", "Address", "Telephone"."""
    segments = [s for part in groups for s in part]
    return group(segments) if segments else []


def _is_form(groups: list[list[Segment]], right: Sequence[Segment]) -> bool:
    """Questions, each level with its answer, and perhaps headings between them. Beside each other they head columns."""
    if any(find_asked(s.text) for s in right):
        return False
    asking = [part for part in groups if _count_asking_lines(part) == len(part)]
    headed = [part for part in groups if part not in asking and is_headed(part)]
    level = _count_level([part[0] for part in asking], right)
    return len(asking) > 1 and len(asking) + len(headed) >= _MOST * len(groups) and level >= _MOST * len(asking)


def _is_flush_rail(groups: list[list[Segment]], right: Sequence[Segment]) -> bool:
    """Headings, dates and names of what stands beside them, all pushed to the right, against their text."""
    labels = [s for part in groups for s in part]
    if len(groups) > len(_rows(right)):
        return False
    edge = median_low(s.right for s in labels)
    flush = [s for s in labels if abs(s.right - edge) < _FLUSH]
    ragged = max(s.left for s in flush) - min(s.left for s in flush) > _RAGGED
    told = sum(is_headed(part) or _is_dated(part) or _count_level(part[:1], right) > 0 for part in groups)
    return ragged and len(flush) >= _MOST * len(labels) and told >= _MOST * len(groups)


def are_headings(segments: Sequence[Segment]) -> bool:
    """Tell whether a margin holds nothing but what looks like its headings."""
    return len({(round(s.size, 1), s.is_bold) for s in segments}) == 1


def is_headed(part: list[Segment]) -> bool:
    """Tell whether a label is a heading, perhaps one in several lines."""
    return any(s.is_heading for s in part) or find_exact(" ".join(s.text for s in part)) is not None


def _is_dated(part: list[Segment]) -> bool:
    return any(find_dates(s.text) for s in part)


def are_dated(groups: list[list[Segment]]) -> bool:
    """Tell whether most labels hold dates."""
    return _share(sum(_is_dated(part) for part in groups), len(groups)) >= 0.6  # noqa: PLR2004


def _are_one_range(label: Sequence[Segment]) -> bool:
    return is_bare_range(" ".join(s.text for s in label))


def _are_dated_beside(groups: list[list[Segment]], right: Sequence[Segment]) -> bool:
    """Names, what was done, and dates in a third cell: each name has its dates on its first line."""
    dates = [s for s in right if find_dates(s.text) and is_marginal(s.text)]
    return _count_level([part[0] for part in groups], dates) == len(groups) >= len(dates) / _PAIR


def _is_role(part: list[Segment]) -> bool:
    return find_asked(" ".join(s.text for s in part)) is not None


def _are_roles(groups: list[list[Segment]]) -> bool:
    """A form: labels say what stands beside them."""
    said = sum(map(_is_role, groups))
    return said >= _FEWEST_LABELS and said >= _MOST * len(groups)


def _are_labels(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """A table of names and values: every row has both, in two styles, one bold."""
    if _count_level(left, right) < len(left) or len(_rows(left)) < _FEWEST_LABELS:
        return False
    bold_left, bold_right = (_share(sum(s.is_bold for s in side), len(side)) for side in (left, right))
    return bold_left - bold_right > 0.6 or all(s.text.endswith(":") for s in left)  # noqa: PLR2004 - most


def _count_headings(segments: Sequence[Segment]) -> int:
    return sum(s.is_heading for s in segments)


def _has_heading(segments: Sequence[Segment]) -> bool:
    return any(s.is_heading for s in segments)


def _is_apart(river: River) -> bool:
    """Few rows, but so far apart, or so differently set, that one line cannot have been meant."""
    return not _count_level(river.right, river.left) or any(s.is_heading for s in river.right)
