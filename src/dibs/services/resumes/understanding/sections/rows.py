"""Lines, with what is known of their looks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from dibs.services.resumes.document import Block, Box, Line, Word
from dibs.services.resumes.understanding.normal.dates import Span, find_dates

Style = tuple[float, bool, bool, int, int | None]
_MOSTLY = 0.6
_WIDE = 1.5
_SMALL_CAPITAL = 0.75


class Piece:
    """Some words, and the text that they stand for: what a field is made of."""

    __slots__ = ("text", "words")

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = tuple(words)

    def __repr__(self) -> str:
        return f"Piece({self.text!r})"

    @property
    def boxes(self) -> tuple[Box, ...]:
        """One box for each line that the words stand on."""
        found: list[Box] = []
        for word in self.words:
            box = word.box
            if found and found[-1].page == box.page and _on_one_line(found[-1], box):
                last = found[-1]
                top, bottom = min(last.top, box.top), max(last.bottom, box.bottom)
                found[-1] = Box(last.page, min(last.left, box.left), top, max(last.right, box.right), bottom)
            else:
                found.append(box)
        return tuple(found)

    @property
    def clarity(self) -> float:
        """How sure the reader was of the words."""
        return min((word.confidence for word in self.words), default=1.0)

    def cut(self, begin: int, end: int) -> "Piece":
        """Give the part between two characters, without white around it."""
        text = self.text[begin:end]
        begin += len(text) - len(text.lstrip())
        end = begin + len(text.strip())
        at, kept = 0, []
        for word in self.words:
            if at < end and at + len(word.text) > begin:
                kept.append(word)
            at += len(word.text) + 1
        return Piece(self.text[begin:end], kept)

    def strip(self, characters: str) -> "Piece":
        begin = len(self.text) - len(self.text.lstrip(characters))
        return self.cut(begin, len(self.text.rstrip(characters)))


def _on_one_line(last: Box, box: Box) -> bool:
    return min(last.bottom, box.bottom) - max(last.top, box.top) > 0.5 * min(
        box.bottom - box.top, last.bottom - last.top
    )


def join_pieces(pieces: Sequence[Piece]) -> Piece:
    """Put pieces behind each other; a word that was divided at the end of a line is put together."""
    text = ""
    for piece in pieces:
        divided = text.endswith("-") and text[-2:-1].isalpha() and piece.text[:1].islower()
        text = text[:-1] + piece.text if divided else f"{text} {piece.text}" if text else piece.text
    return Piece(text, [word for piece in pieces for word in piece.words])


class Row(Piece):
    """A line of the document, the smallest thing that sections are made of."""

    def __init__(self, line: Line, *, starts: bool = False, column: int = 0, heading: int | None = None) -> None:
        super().__init__(line.text, line.words)
        self.line = line
        self.starts = starts
        self.column = column
        self.heading = heading
        self.bullet = line.bullet
        self.gap = line.gap
        self.continues = False
        """It ends what the row above it says."""
        self.edge = 0.0
        """How far the lines of its column reach, as far as that is known."""

    @cached_property
    def size(self) -> float:
        return max(word.size for word in self.words)

    @cached_property
    def is_bold(self) -> bool:
        return _share(self.words, lambda word: word.bold) >= _MOSTLY

    @cached_property
    def starts_bold(self) -> bool:
        return self.words[0].bold

    @cached_property
    def is_italic(self) -> bool:
        return _share(self.words, lambda word: word.italic) >= _MOSTLY

    @cached_property
    def is_caps(self) -> bool:
        letters = [char for char in self.text if char.isalpha()]
        return len(letters) > 2 and all(char.isupper() for char in letters)  # noqa: PLR2004 - initials are no caps

    @cached_property
    def style(self) -> Style:
        first = self.words[0]
        return (round(first.size * 2) / 2, first.bold, self.is_caps, first.color, self.heading)

    @cached_property
    def spans(self) -> list[Span]:
        return find_dates(self.text)

    @cached_property
    def parts(self) -> list[Piece]:
        """What stands between wide gaps."""
        return self.part(_WIDE)

    def part(self, wide: float) -> list[Piece]:
        """Give what stands between gaps that are wider than so many letters are tall."""
        groups: list[list[Word]] = [[self.words[0]]]
        for before, word in pairwise(self.words):
            gap = word.box.left - before.box.right
            if gap > wide * max(before.size, word.size):
                groups.append([])
            groups[-1].append(word)
        return [Piece(" ".join(word.text for word in words), words) for words in groups]

    def unmarked(self) -> "Row":
        """Give the row as if no list mark stood before it."""
        line = Line(self.line.words, self.line.box, self.gap)
        return Row(line, starts=self.starts, column=self.column, heading=self.heading)

    def told(self, *, starts: bool) -> "Row":
        """Give the row, beginning something or not."""
        line = Line(self.words, self.line.box, self.gap, bullet=self.bullet)
        return Row(line, starts=starts, column=self.column, heading=self.heading)

    def without(self, count: int) -> "Row":
        """Give the row without its first words."""
        words = self.words[count:]
        return Row(Line(words, self.line.box, self.gap), column=self.column)


def is_set_alike(one: Word, other: Word) -> bool:
    """Tell whether two words are set alike. In small capitals a line may begin without a large one."""
    if one.bold != other.bold or one.size == other.size:
        return one.bold == other.bold
    is_caps = one.text.isupper() and other.text.isupper() and one.color == other.color
    return is_caps and min(one.size, other.size) / max(one.size, other.size) > _SMALL_CAPITAL


def as_row(part: Piece, row: Row) -> Row:
    """Give a part of a row as a row of its own."""
    return Row(Line(part.words, row.line.box))


def _share(words: Iterable[Word], holds: object) -> float:
    total = good = 0
    for word in words:
        total += len(word.text)
        good += len(word.text) if holds(word) else 0  # type: ignore[operator]
    return good / total if total else 0.0


def make_rows(block: Block, *, starts: bool) -> Iterator[Row]:
    """Give the rows of a block; `starts`: its first one begins something."""
    for index, line in enumerate(block.lines):
        if line.words:
            yield Row(line, starts=starts and index == 0, column=block.column, heading=block.heading)


class Looks:
    """What is usual in a document: the size and the colour of its running text."""

    def __init__(self, rows: Sequence[Row]) -> None:
        sizes: Counter[float] = Counter()
        colors: Counter[int] = Counter()
        bold = total = 0
        for row in rows:
            for word in row.words:
                sizes[round(word.size * 2) / 2] += len(word.text)
                colors[word.color] += len(word.text)
                total += len(word.text)
                bold += len(word.text) if word.bold else 0
        self.size = _median(sizes) or 10.0
        self.color = colors.most_common(1)[0][0] if colors else 0
        self.is_bold = bold > _MOSTLY * total


def _median(sizes: Counter[float]) -> float | None:
    total, seen = sum(sizes.values()), 0
    for size in sorted(sizes):
        seen += sizes[size]
        if seen * 2 >= total:
            return size
    return None
