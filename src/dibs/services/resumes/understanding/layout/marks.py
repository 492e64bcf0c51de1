"""Marks in front of list items, and strokes over labels."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from dibs.services.resumes.document import Word

_GLYPHS = frozenset("•◦▪▫●○■□‣⁃∙·➢➣➤►▶▸▹▻✓✔✦✧❖◆◇»›→⮚➔⇒∗⋄★☆◾◽⚫⚪◉⦿")
_DASHES = frozenset("-–—*+o§>")
_PRIVATE = range(0xE000, 0xF900)
_STROKE = "ㅡ"
"""A Korean letter that templates draw a stroke with."""
_MOST_STROKES = 40
_ALIGNED = 3.0
_BELOW = 1.2


def is_mark(text: str) -> bool:
    """Tell whether a word is nothing but a list mark. A dash counts: ask only at the front of a line."""
    return len(text) == 1 and (text in _GLYPHS or text in _DASHES or ord(text) in _PRIVATE)


def is_sure_mark(text: str) -> bool:
    return len(text) == 1 and (text in _GLYPHS or ord(text) in _PRIVATE)


def has_mark(text: str) -> bool:
    """Tell whether a word begins with a mark that was set without white behind it."""
    return len(text) > 1 and text[0] in _GLYPHS


def drop_strokes(words: Sequence[Word]) -> list[Word]:
    """Leave out strokes. A label begins where the stroke over it stands, level with its text: it takes that place."""
    strokes = [word for word in words if word.text == _STROKE]
    if not strokes or len(strokes) > _MOST_STROKES:
        return list(words)
    moved = {id(word): stroke for stroke in strokes for word in _find_below(stroke, words)}
    return [_lift(word, moved[id(word)]) if id(word) in moved else word for word in words if word.text != _STROKE]


def _find_below(stroke: Word, words: Sequence[Word]) -> Iterator[Word]:
    """Give the words of the line under a stroke, up to the first gap."""
    edge = 0.0
    for word in words:
        under = 0 < word.box.top - stroke.box.top < _BELOW * (word.size + stroke.size)
        first = abs(word.box.left - stroke.box.left) < _ALIGNED
        if (
            word.box.page == stroke.box.page
            and under
            and word.text != _STROKE
            and (first or 0 < word.box.left - edge < word.size)
        ):
            yield word
            edge = word.box.right


def _lift(word: Word, stroke: Word) -> Word:
    up = word.box.bottom - stroke.box.bottom
    return replace(word, box=replace(word.box, top=word.box.top - up, bottom=word.box.bottom - up))
