"""A section cut into its entries: where each begins, its dates, the lines that name it, and what is told of it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile
from statistics import median
from typing import NamedTuple

from dibs.services.resumes.understanding.fields.listed import take_off_marks
from dibs.services.resumes.understanding.normal.dates import Span
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Row

_PROSE_WORDS = 11
_MOST_ABOVE = 3
_MOST_HEAD = 4
_MOST_BELOW = 3
_CLOSE = 0.4
_FEWEST = 4
_NEARLY = 0.8
_EVEN = 1.3
_TITLED = 0.5
_INDENT = 3.0
_FLUSH = 2.0
_SPACE = 0.25
_TOLD = 3
_ENDED = re.compile(r"[.!?;:]$")
_SENTENCE = re.compile(r"(?<!\b\w)(?<!\b(?:Inc|Ltd|Pvt|Pte))(?<!\bCorp)[.;]$")
_WHERE = re.compile(r"^(?:at|bei|chez)(?: (?:the|der|dem|of|[A-ZÀ-Ý&][\w'’.&-]*))+$")
# Words inside names: "University of Science and Technology, Kumasi." is no sentence.
_LINKS = frozenset({
    "of", "and", "the", "for", "in", "at", "de", "la", "le", "du", "des", "der", "und", "für", "et", "y", "en", "del", "di", "von",
})  # fmt: skip
_LOW = re.compile(r"^(?:[a-zà-ÿ](?![A-ZÀ-Ý])|\()")
_REMARK = re.compile(r"\d+\s*(?:years?|yrs?|months?|mos?|jahre?|monate?|ans?|mois|años?|meses)\b", re.IGNORECASE)


class Entry(NamedTuple):
    """`head` are the rows that name the entry, `body` those that tell of it. Both may hold the dates."""

    head: list[Row]
    body: list[Row]
    dated: list[tuple[Row, Span]]


def find_entries(rows: Sequence[Row]) -> list[Entry]:
    """Cut at the rows that hold dates; the first entry shows how far above its dates an entry begins."""
    rows = take_off_marks([row for row in rows if any(char.isalnum() for char in _REMARK.sub("", row.text))])
    rows = _lift_dates(_even_out(rows))
    for above, row in pairwise(rows):
        row.continues = not row.spans and (_is_in_item(above, row) or _is_in_prose(above, row))
    anchors = _find_anchors(rows)
    if not anchors:
        return _find_undated(rows)
    starts = _find_starts(rows, anchors)
    ends = [*starts[1:], len(rows)]
    entries = [_make(rows[start:end], anchor - start) for start, end, anchor in zip(starts, ends, anchors, strict=True)]
    lead = rows[: starts[0]]
    return [*(_find_undated(lead) if any(not is_prose(row) for row in lead) else []), *entries]


def _even_out(rows: list[Row]) -> list[Row]:
    """Where nearly every row is a paragraph of its own, none begins anything but those with more white above them."""
    led = [row for row in rows if row.starts]
    if len(rows) < _FEWEST or len(led) < _NEARLY * len(rows) or any(row.heading is not None for row in rows):
        return rows
    usual = median(row.gap for row in led)
    return [row.told(starts=row.gap > _EVEN * usual) if row.starts else row for row in rows]


def _lift_dates(rows: list[Row]) -> list[Row]:
    """Where dates stand behind each entry, as a column to its right is read, put them behind its first row."""
    dated = [index for index, row in enumerate(rows) if is_dates_only(row)]
    ends = [index for index in dated if index + 1 == len(rows) or rows[index + 1].style == rows[0].style]
    closes = bool(dated) and dated[-1] == len(rows) - 1
    if not closes or ends != dated or any(index == 0 or not is_prose(rows[index - 1]) for index in dated):
        return rows
    lifted: list[Row] = []
    for begin, end in pairwise([-1, *dated]):
        lifted += [rows[begin + 1], rows[end], *rows[begin + 2 : end]]
    return lifted


def _is_in_item(above: Row, row: Row) -> bool:
    """A line flush with the text of the item above it, not with its mark, goes on with it."""
    item = above.bullet or above.continues
    left = above.words[0].box.left
    marked = above.continues or left - above.line.box.left > _INDENT
    return item and marked and _is_next(above, row) and abs(row.words[0].box.left - left) < _FLUSH


def _is_in_prose(above: Row, row: Row) -> bool:
    """A line goes on with running text whose next word had no room."""
    box = row.words[0].box
    full = row.edge > 0 and above.words[-1].box.right + _SPACE * row.size + box.right - box.left > row.edge
    return (
        full and _is_next(above, row) and is_prose(above) and above.style == row.style and not _ENDED.search(above.text)
    )


def _is_next(above: Row, row: Row) -> bool:
    return not row.bullet and not row.starts and above.column == row.column and 0 < row.gap < _CLOSE * row.size


def is_prose(row: Row) -> bool:
    """Running text: a list item, a sentence, or many words without a date."""
    if row.bullet or row.continues:
        return True
    words = len(row.text.split())
    if row.spans and words <= _PROSE_WORDS and not _is_sentence(row):
        return False
    if len(row.parts) > 1 and words <= 2 * _PROSE_WORDS:
        return False
    low = sum(word.text[:1].islower() for word in row.words)
    told = sum(word.text[:1].islower() and word.text not in _LINKS for word in row.words)
    if _names_title(row):
        return False
    if _SENTENCE.search(row.text) and told >= 2 and (words > 4 or told > 0.5 * words):  # noqa: PLR2004 - a short sentence
        return True
    if _LOW.match(row.text) and words > 2 and not row.is_bold and not _WHERE.match(row.text):  # noqa: PLR2004 - the end of a sentence
        return True
    return words >= _PROSE_WORDS and low > 0.5 * words and not row.is_bold


def _is_sentence(row: Row) -> bool:
    """A sentence may name a year, or what looks like one."""
    told = sum(word.text[:1].islower() and word.text not in _LINKS for word in row.words)
    return told >= _TOLD and _ENDED.search(row.text) is not None and not any(span.is_range for span in row.spans)


def _names_title(row: Row) -> bool:
    """A bold title, its employer behind it: no sentence, although some put a full stop behind both."""
    bold = list(takewhile(lambda word: word.bold, row.words))
    return len(bold) < len(row.words) and judge_title(" ".join(word.text for word in bold).strip(" ,")) >= _TITLED


def is_dates_only(row: Row) -> bool:
    """Nothing but dates, and perhaps how long that was."""
    if not row.spans:
        return False
    text = row.text
    for span in reversed(row.spans):
        text = text[: span.begin] + text[span.end :]
    return len(re.sub(r"[\W\d_]", "", _REMARK.sub("", text))) <= 4  # noqa: PLR2004 - "ca."


def _find_anchors(rows: Sequence[Row]) -> list[int]:
    """Give the rows whose dates stand for an entry: ranges if there are any, single dates otherwise."""
    plain = [index for index, row in enumerate(rows) if row.spans and not is_prose(row)]
    ranged = [index for index in plain if any(span.is_range for span in rows[index].spans)]
    if ranged:
        single = [index for index in plain if index not in ranged and _is_like(rows[index], [rows[i] for i in ranged])]
        return _thin(rows, sorted(ranged + single))
    if plain:
        return _thin(rows, plain)
    return [index for index, row in enumerate(rows) if any(span.is_range for span in row.spans) and row.bullet]


def _is_like(row: Row, others: Sequence[Row]) -> bool:
    """A single date counts beside ranges if it stands where they stand."""
    spans = row.spans
    tail = spans[-1].end >= len(row.text) - 2 or is_dates_only(row)
    right = any(abs(row.line.box.right - other.line.box.right) < 3 for other in others)  # noqa: PLR2004 - points
    left = spans[0].begin == 0 and any(abs(row.line.box.left - other.line.box.left) < 3 for other in others)  # noqa: PLR2004
    return tail and (right or left)


def _thin(rows: Sequence[Row], anchors: list[int]) -> list[int]:
    """Two rows of dates under each other, the second without a name of its own, are one entry."""
    kept: list[int] = []
    for index in anchors:
        if kept and index == kept[-1] + 1 and is_dates_only(rows[index]) and is_dates_only(rows[kept[-1]]):
            continue
        kept.append(index)
    return kept


def _find_starts(rows: Sequence[Row], anchors: list[int]) -> list[int]:
    usual = _count_above(rows, anchors[0], -1)
    if usual > _MOST_ABOVE:
        usual = _guess_above(rows, anchors)
    first = anchors[0] - usual
    model = rows[first]
    starts = [first]
    for before, anchor in pairwise(anchors):
        options = range(min(_count_above(rows, anchor, before), _MOST_ABOVE) + 1)
        best = max(options, key=lambda above: _judge_start(rows, anchor - above, above - usual, model))
        starts.append(anchor - best)
    return starts


def _guess_above(rows: Sequence[Row], anchors: list[int]) -> int:
    """Where much stands over the first dates, the white above the rows over all dates shows where entries begin."""

    def count(above: int) -> float:
        firsts = [rows[anchor - above] for anchor in anchors if anchor >= above]
        return sum((row.gap > 0.5 * row.size or row.starts) and not is_prose(row) for row in firsts) - 0.1 * above

    return max(range(_MOST_ABOVE + 1), key=count)


def _count_above(rows: Sequence[Row], anchor: int, before: int) -> int:
    """Count the rows over the dates that could still name the entry."""
    count = 0
    while anchor - count - 1 > before and not is_prose(rows[anchor - count - 1]):
        count += 1
        at = anchor - count
        above = rows[max(before + 1, at - _MOST_ABOVE) : at]
        if rows[at].starts and not (_is_led(rows[at], above) or _is_under_name(rows[at], above)):
            break
    return count


def _is_led(row: Row, above: Sequence[Row]) -> bool:
    """A heading in the markup goes with what follows it, although each is a block of its own."""
    for other in reversed(above):
        if is_prose(other) or other.spans:
            return False
        if other.heading is not None and (row.heading is None or row.heading > other.heading):
            return True
    return False


def _is_under_name(row: Row, above: Sequence[Row]) -> bool:
    """Rows of a table are blocks of their own: a plain one does not begin what a bold one over it has begun."""
    for other in reversed(above):
        if is_prose(other) or other.spans or row.is_bold:
            return False
        if other.is_bold and other.heading is None:
            return True
    return False


def _judge_start(rows: Sequence[Row], start: int, off: int, model: Row) -> float:
    row = rows[start]
    above = rows[start - 1] if start else row
    points = 1.5 * (off == 0) - 0.3 * abs(off)
    points += 1.5 * (row.style == model.style) - 0.5 * (row.is_bold != model.is_bold)
    points += 1.0 * (row.gap > 0.5 * row.size and row.gap > 1.3 * max(above.gap, 0.1)) + 0.6 * (
        row.gap > 0.9 * row.size
    )
    points += 1.2 * row.starts + 0.6 * (above.bullet or is_prose(above))
    points -= 2.5 * _is_second_line(above, row)
    points += 0.7 * (abs(row.line.box.left - model.line.box.left) < 2)  # noqa: PLR2004 - points
    return points


def _is_second_line(above: Row, row: Row) -> bool:
    """A bold name may take two lines: no entry begins with the second."""
    alike = above is not row and above.style == row.style and above.is_bold and row.is_bold
    return alike and not above.spans and not row.starts and 0 < row.gap < _CLOSE * row.size


def _make(rows: Sequence[Row], anchor: int) -> Entry:
    """The head goes on below the dates while rows look like names, not like text."""
    end = anchor + 1
    if not rows[anchor].bullet:
        while end < len(rows) and not _ends_head(rows, end, anchor):
            end += 1
    head, body = list(rows[:end]), list(rows[end:])
    return Entry(head, body, [(row, span) for row in head for span in row.spans])


def _ends_head(rows: Sequence[Row], index: int, anchor: int) -> bool:
    row = rows[index]
    if is_prose(row):
        return True
    if index + 1 < len(rows) and _LOW.match(rows[index + 1].text) and not rows[index + 1].bullet and not row.is_bold:
        return True
    named = sum(not is_dates_only(other) for other in rows[:index])
    below = sum(not is_dates_only(other) for other in rows[anchor + 1 : index])
    # In a table the name of an entry may have a cell of its own, behind all that stands beside it.
    is_cell = row.starts and row.is_bold
    return named >= _MOST_HEAD or (named > 0 and below >= _MOST_BELOW and not is_cell)


def _find_undated(rows: Sequence[Row]) -> list[Entry]:
    """Without dates, what looks like the first row begins an entry."""
    if not rows:
        return []
    model = rows[0]
    styles = Counter(row.style for row in rows)
    alike = [
        i for i, row in enumerate(rows) if row.style == model.style and not is_prose(row) and row.bullet == model.bullet
    ]
    distinct = model.is_bold or model.is_italic or styles[model.style] < 0.5 * len(rows)
    gapped = [i for i, row in enumerate(rows) if i == 0 or row.starts or row.gap > 0.6 * row.size]
    starts = alike if distinct else [i for i in gapped if not is_prose(rows[i])] or [0]
    starts = [i for i in starts if i == 0 or i - 1 not in starts or rows[i].gap > 0.5 * rows[i].size] or [0]
    ends = [*starts[1:], len(rows)]
    return [_make(rows[start:end], 0) for start, end in zip(starts, ends, strict=True) if end > start]
