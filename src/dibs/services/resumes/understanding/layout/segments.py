"""Words that stand close together on one line: what a column is made of."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from dibs.services.resumes.document import Box, Word
from dibs.services.resumes.understanding.layout.marks import is_mark, is_sure_mark

# White of this many sizes of the letters ends a segment. Words of justified text stand closer.
_WIDE = 0.85
_BEHIND_MARK = 4.0
_TOUCHED = re.compile(
    r"^(\S*\d[-–—](?:present|now|today|current|heute|dato|aujourd'hui|présent|actualidad|actual|presente)|\S*(?:19|20)\d\d)([A-ZÀ-Ý]\w+,?)$"
    r"|^(\w*[a-zà-ÿ)])((?:January|February|March|April|June|July|August|September|October|November|December|Januar|Februar|März|Juni|Juli|Oktober|Dezember|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Okt|Nov|Dec|Dez)\.?)$"
    r"|^(\w*[a-zà-ÿ)])((?:(?:0?[1-9]|1[0-2])[./])?(?:19|20)\d\d(?:[-–—]\S*)?)$"
)
_SPACED_LETTERS = 3
_USUAL, _SPACED = 0.7, 0.9
"""How wide a capital is, in sizes, and how wide it seems in spaced words."""
_SHARED = 4
_SMALL = 0.6, 0.9
"""How large the other letters are beside the first, in small capitals."""
_SPACED_CAPITALS = 0.25
_TOUCHING = 0.14


class Segment:
    """A stretch of words on one row. Rows are numbered over the whole page, so that neighbours can be compared."""

    __slots__ = ("bottom", "is_heading", "left", "right", "row", "size", "top", "words")

    def __init__(self, words: Sequence[Word], row: int) -> None:
        self.words = tuple(words)
        self.row = row
        self.is_heading = False
        self.left = words[0].box.left
        self.right = max(word.box.right for word in words)
        self.top = min(word.box.top for word in words)
        self.bottom = max(word.box.bottom for word in words)
        self.size = max(word.size for word in words)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_bold(self) -> bool:
        return all(word.bold for word in self.words)

    @property
    def box(self) -> Box:
        return Box(self.words[0].box.page, self.left, self.top, self.right, self.bottom)


def find_segments(words: Iterable[Word]) -> list[Segment]:
    """Cut the words of a page into segments, from top to bottom and from left to right."""
    rows = _find_rows([part for word in words if word.text.strip() for part in _part_date(word)])
    parts = [
        (part, number) for number, row in enumerate(rows) for part in _cut(list(_join_letters(_join_touching(row))))
    ]
    found = [Segment(part, number) for part, number in parts if not all(is_sure_mark(word.text) for word in part)]
    edges = {edge for edge, count in Counter(round(s.left) for s in found).items() if count >= _SHARED}
    return [piece for segment in found for piece in _cut_at_edges(segment, edges)]


def _part_date(word: Word) -> Iterator[Word]:
    """Part a date from the title that it touches: 2024–presentHead."""
    match = _TOUCHED.match(word.text)
    if match is None:
        yield word
        return
    first, second = (part for part in match.groups() if part is not None)
    at = word.box.left + (word.box.right - word.box.left) * len(first) / len(word.text)
    yield replace(word, text=first, box=replace(word.box, right=at))
    yield replace(word, text=second, box=replace(word.box, left=at))


def _cut_at_edges(segment: Segment, edges: set[int]) -> Iterator[Segment]:
    """A label may nearly touch the text beside it: cut where the looks change at an edge that other lines begin at."""
    part = [segment.words[0]]
    for before, word in pairwise(segment.words):
        gap = word.box.left - before.box.right
        if (
            round(word.box.left) in edges
            and gap > 0.05 * word.size
            and _looks(before) != _looks(word)
            and not is_mark(part[0].text)
        ):
            yield Segment(part, segment.row)
            part = []
        part.append(word)
    yield Segment(part, segment.row) if part[0] is not segment.words[0] else segment


def _looks(word: Word) -> tuple[bool, int, float]:
    return word.bold, word.color, word.size


def _baseline(word: Word) -> float:
    return word.box.bottom - 0.2 * word.size


def _find_rows(words: list[Word]) -> list[list[Word]]:
    rows: list[list[Word]] = []
    for word in sorted(words, key=_baseline):
        if not rows or not _is_level(rows[-1], word):
            rows.append([])
        rows[-1].append(word)
    return [sorted(row, key=lambda word: word.box.left) for row in rows]


def _is_level(row: list[Word], word: Word) -> bool:
    """Close to the last word of the row, and not far from its first."""
    line, size = _baseline(word), min(word.size, row[-1].size)
    return line - _baseline(row[-1]) <= 0.25 * size and line - _baseline(row[0]) <= 0.5 * size


def _cut(row: list[Word]) -> Iterator[list[Word]]:
    part = row[:1]
    for before, word in pairwise(row):
        reach = max(_reach(part), min(_spread(before), _spread(word)))
        if word.box.left - before.box.right > reach * max(before.size, word.size):
            yield part
            part = []
        part.append(word)
    yield part


def _reach(part: list[Word]) -> float:
    """A list mark belongs to the text behind it, also over a wide gap."""
    return _BEHIND_MARK if len(part) == 1 and is_mark(part[0].text) else _WIDE


def _spread(word: Word) -> float:
    """Give how far words stand apart whose letters do, too: E X P E R I E N C E."""
    if len(word.text) < _SPACED_LETTERS or not word.text.isupper():
        return 0.0
    advance = (word.box.right - word.box.left) / (len(word.text) * word.size)
    return _WIDE + 2 * (advance - _USUAL) if advance > _SPACED else 0.0


def _join_touching(row: list[Word]) -> list[Word]:
    """Put a word back together whose first letter was set larger."""
    joined: list[Word] = []
    for word in row:
        last = joined[-1] if joined else None
        if last and _is_first_letter(last, word):
            box = replace(last.box, right=word.box.right, bottom=max(last.box.bottom, word.box.bottom))
            joined[-1] = replace(last, text=last.text + word.text, box=box)
        else:
            joined.append(word)
    return joined


def _goes_on(text: str) -> bool:
    """In small capitals the second half of a double name begins anew, behind its hyphen."""
    return text[0].islower() or (text[0] in "-‐’'" and text[1:2].isupper())


def _is_first_letter(last: Word, word: Word) -> bool:
    gap = abs(word.box.left - last.box.right)
    if _are_small_capitals(last, word) and gap < _TOUCHING * word.size:
        return True
    if not last.text[-1].isalpha() or not _goes_on(word.text):
        return False
    if len(last.text) == 1 and last.bold == word.bold and _SMALL[0] < word.size / last.size < _SMALL[1]:
        return gap < _SPACED_CAPITALS * word.size
    return gap < (_TOUCHING if len(last.text) == 1 and last.size > word.size else 0.06) * word.size


def _are_small_capitals(last: Word, word: Word) -> bool:
    """Programs without such letters set smaller capitals behind a large one, or behind several: T HANDIWE, BE NG."""
    if not last.text[-1].isupper() or last.bold != word.bold or not _SMALL[0] < word.size / last.size < _SMALL[1]:
        return False
    return word.text[0].islower() or (len(last.text) == 1 and word.text.isupper())


def _join_letters(row: list[Word]) -> Iterator[Word]:
    """Put a word back together whose letters were set apart: E X P E R I E N C E."""
    run: list[Word] = []
    for word in row:
        if run and (len(word.text) > 1 or not word.text.isalnum() or not _follows(run, word)):
            yield from _joined(run)
            run = []
        if len(word.text) == 1 and word.text.isalnum():
            run.append(word)
        else:
            yield word
    yield from _joined(run)


def _follows(run: list[Word], word: Word) -> bool:
    gap = word.box.left - run[-1].box.right
    usual = min((after.box.left - before.box.right for before, after in pairwise(run)), default=gap)
    return word.size == run[-1].size and gap < _WIDE * word.size and gap <= usual * 1.6 + 0.5


def _joined(run: list[Word]) -> Iterator[Word]:
    if len(run) < _SPACED_LETTERS:
        yield from run
        return
    first, last = run[0], run[-1]
    box = replace(
        first.box, right=last.box.right, top=min(w.box.top for w in run), bottom=max(w.box.bottom for w in run)
    )
    yield replace(first, text="".join(word.text for word in run), box=box)
