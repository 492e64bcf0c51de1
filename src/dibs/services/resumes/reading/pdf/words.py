"""Characters to words.

A word ends at a space, at the end of a line, where the style changes its size or baseline, and at a gap. Many files
have no spaces at all and only move the pen; others space the letters of a heading. So a gap counts as a space only
when it stands out among the gaps of its run.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from dibs.services.resumes.reading.pdf.glyphs import Break, Glyph, Style
from dibs.services.resumes.reading.pdf.icons import ICON, is_icon_font

SPACE_GAP = 0.15
SPACED_LETTERS = 0.08
OVERLAP = 0.6
TWICE = 0.15
FEW, LONE = 2, 1.5
TOUCHING = 0.06
SMALLEST_CAPITAL, SAME_LINE = 0.6, 0.12
ACCENTS = {
    "\u00a8": "\u0308", "\u00b4": "\u0301", "\u0060": "\u0300", "\u02c6": "\u0302", "\u005e": "\u0302",
    "\u02dc": "\u0303", "\u00b8": "\u0327", "\u02c7": "\u030c", "\u02da": "\u030a", "\u02d8": "\u0306",
    "\u02dd": "\u030b", "\u00af": "\u0304", "\u02d9": "\u0307", "\u02db": "\u0328",
}  # fmt: skip


class PlacedWord(NamedTuple):
    """A word before it is known whether a person would see it."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style


def build_words(glyphs: Iterable[Glyph | Break]) -> Iterator[PlacedWord]:
    """Put characters together to words, in the order of the file."""
    yield from _join_small_capitals(_join(part) for run in _runs(glyphs) for part in _part_at_gaps(run))


def _join_small_capitals(words: Iterable[PlacedWord]) -> Iterator[PlacedWord]:
    """Put words together whose capitals are set in two sizes: "P" and "ROFILE" are one."""
    group: list[PlacedWord] = []
    for word in words:
        if group and not _are_small_capitals(group[-1], word):
            yield _join_words(group)
            group = []
        group.append(word)
    if group:
        yield _join_words(group)


def _join_words(words: list[PlacedWord]) -> PlacedWord:
    first, last = words[0], words[-1]
    top, bottom = min(word.top for word in words), max(word.bottom for word in words)
    return PlacedWord("".join(word.text for word in words), first.left, top, last.right, bottom, first.style)


def _are_small_capitals(word: PlacedWord, following: PlacedWord) -> bool:
    one, other = word.style, following.style
    if (one.font, one.color, one.upright, other.upright) != (other.font, other.color, True, True):
        return False
    size, text = max(one.size, other.size), word.text + following.text
    ratio = min(one.size, other.size) / size if size else 0.0
    touches = abs(following.left - word.right) < TOUCHING * size
    level = abs(following.bottom - word.bottom) < SAME_LINE * size
    return SMALLEST_CAPITAL < ratio < 1 and touches and level and text.isupper()


def _runs(glyphs: Iterable[Glyph | Break]) -> Iterator[list[list[Glyph]]]:
    """Give stretches of one baseline and size, each as its pieces between spaces."""
    run: list[list[Glyph]] = [[]]
    for glyph in _drop_false_ends(glyphs):
        last = run[-1][-1] if run[-1] else run[-2][-1] if len(run) > 1 else None
        if isinstance(glyph, Break):
            run += [[]] if run[-1] else []
        elif run[-1] and is_same_place(run[-1][-1], glyph) and not _is_tied(run[-1][-1], glyph):
            # A shadow or a second stroke: the one on top counts.
            run[-1][-1] = glyph
        elif last is not None and not _goes_on(last, glyph):
            yield [piece for piece in run if piece]
            run = [[glyph]]
        else:
            run[-1].append(glyph)
    if run[0]:
        yield [piece for piece in run if piece]


def _drop_false_ends(glyphs: Iterable[Glyph | Break]) -> Iterator[Glyph | Break]:
    """Leave out the end of a line between letters that stand side by side.

    The library takes some narrow columns for text that is written downwards, and ends the line behind every letter.
    """
    last: Glyph | None = None
    waiting: list[Break] = []
    for glyph in glyphs:
        if isinstance(glyph, Break):
            waiting.append(glyph)
            continue
        if Break.SPACE in waiting or (waiting and not _is_beside(last, glyph)):
            yield Break.SPACE
        yield glyph
        last, waiting = glyph, []


def _is_beside(last: Glyph | None, glyph: Glyph) -> bool:
    return last is not None and _goes_on(last, glyph) and abs(_gap(last, glyph)) < SPACE_GAP * glyph.style.size


def _is_tied(one: Glyph, other: Glyph) -> bool:
    """Tell whether one sign of the font stands for both letters, as for the "ff" of Hoffmann."""
    return one.style is other.style and (one.left, one.right) == (other.left, other.right)


def is_same_place(one: "Glyph | PlacedWord", other: "Glyph | PlacedWord") -> bool:
    """Tell whether the same was drawn twice, hardly apart."""
    near = TWICE * other.style.size
    return one.text == other.text and abs(one.left - other.left) < near and abs(one.top - other.top) < near


def drop_twins(words: Iterable[PlacedWord]) -> list[PlacedWord]:
    """Keep one of the words that were drawn twice at one place."""
    kept: list[PlacedWord] = []
    known: dict[str, list[PlacedWord]] = {}
    for word in words:
        others = known.setdefault(word.text, [])
        if not any(is_same_place(other, word) for other in others):
            others.append(word)
            kept.append(word)
    return kept


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    """Tell whether a character stands on the line of the one before, at its size, further on."""
    is_alike = last.style is glyph.style or (
        last.style.upright == glyph.style.upright and abs(last.style.size - glyph.style.size) <= 0.1 * glyph.style.size
    )
    if not is_alike or is_icon_font(last.style.font) != is_icon_font(glyph.style.font):
        return False
    if not glyph.style.upright:
        return abs(last.left - glyph.left) < (1 - OVERLAP) * (glyph.right - glyph.left)
    if last.style is glyph.style and abs(_gap(last, glyph)) < TOUCHING * glyph.style.size:
        # One stroke of the pen, though an underscore hangs below its neighbours.
        return True
    shared = min(last.bottom, glyph.bottom) - max(last.top, glyph.top)
    return shared > OVERLAP * min(last.bottom - last.top, glyph.bottom - glyph.top) and glyph.right > last.left


def _part_at_gaps(run: list[list[Glyph]]) -> Iterator[list[Glyph]]:
    if not run:
        return
    size = run[0][0].style.size or 1.0
    letters = _letter_gap(run, size)
    if letters:
        run = [[glyph for piece in run for glyph in piece]]
    for piece in run:
        part = [piece[0]]
        for before, glyph in pairwise(piece):
            if _gap(before, glyph) > letters + _find_space(before.style, glyph.style) * size:
                yield part
                part = []
            part.append(glyph)
        yield part


def _find_space(one: Style, other: Style) -> float:
    """A bold label may hardly be set apart from what stands behind it."""
    return SPACE_GAP if one.bold == other.bold else TOUCHING


def _letter_gap(run: list[list[Glyph]], size: float) -> float:
    """Give the gap between the letters of a spaced word, 0 in ordinary text.

    Spaced letters look like words of one letter each: then the spaces that the file or the library put between
    them count for nothing, and only larger gaps do.
    """
    touch = any(_gap(a, b) < SPACED_LETTERS * size for piece in run for a, b in pairwise(piece))
    if len(run) > FEW and sum(len(piece) for piece in run) < LONE * len(run) and not touch:
        gaps = [_gap(a, b) for a, b in _neighbours([glyph for piece in run for glyph in piece])]
    else:
        gaps = [_gap(a, b) for piece in run for a, b in _neighbours(piece)]
    usual = median(gaps) if gaps else 0.0
    return usual if usual > SPACED_LETTERS * size else 0.0


def _neighbours(glyphs: list[Glyph]) -> Iterable[tuple[Glyph, Glyph]]:
    return pairwise(glyphs)


def _gap(before: Glyph, glyph: Glyph) -> float:
    if glyph.style.upright:
        return glyph.left - before.right
    return max(glyph.top - before.bottom, before.top - glyph.bottom)


def _join(glyphs: list[Glyph]) -> PlacedWord:
    return PlacedWord(
        text=ICON if is_icon_font(glyphs[0].style.font) else _spell(glyphs),
        left=min(glyph.left for glyph in glyphs),
        top=min(glyph.top for glyph in glyphs),
        right=max(glyph.right for glyph in glyphs),
        bottom=max(glyph.bottom for glyph in glyphs),
        style=glyphs[0].style,
    )


def _spell(glyphs: list[Glyph]) -> str:
    """Write the word; accents that were drawn over a letter by themselves become part of it."""
    text = ""
    waiting = ""
    for index, glyph in enumerate(glyphs):
        following = glyphs[index + 1] if index + 1 < len(glyphs) else None
        if glyph.text in ACCENTS and following is not None and following.left < (glyph.left + glyph.right) / 2:
            waiting = ACCENTS[glyph.text]
            continue
        text += glyph.text + waiting
        waiting = ""
    return unicodedata.normalize("NFC", _untie(text))


def _untie(text: str) -> str:
    """Write ligatures as their letters."""
    return "".join(unicodedata.normalize("NFKC", char) if "\ufb00" <= char <= "\ufb06" else char for char in text)
