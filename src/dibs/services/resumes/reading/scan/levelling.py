"""Boxes of words on scans, as letters are set: on one line, and as high as their font.

A recogniser draws its boxes around the ink, so that "on" seems to stand lower and to be smaller than "by" beside it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from dibs.services.resumes.reading.scan.ink import FOOT, FOOTED
from dibs.services.resumes.reading.scan.recogniser import SeenWord

ABOVE, BELOW = 0.78, 0.22
"""What of a font's size stands above the line and below it."""
NEXT = 2.0
CLOSE = 0.3
ALIKE = 0.8


def level_words(words: Sequence[SeenWord]) -> list[SeenWord]:
    """Give the words with boxes from the top to the bottom of their font."""
    return [level for run in _find_runs(words) for level in _level_run(run)]


def _find_runs(words: Sequence[SeenWord]) -> Iterator[list[SeenWord]]:
    """Words of one size that follow each other closely."""
    run = list(words[:1])
    for before, word in pairwise(words):
        if not _follows(before, word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _follows(before: SeenWord, word: SeenWord) -> bool:
    level = word.top < before.bottom and before.top < word.bottom
    alike = min(before.size, word.size) >= ALIKE * max(before.size, word.size)
    return level and alike and -1 <= word.left - before.right < NEXT * word.size


def _level_run(run: Sequence[SeenWord]) -> Iterator[SeenWord]:
    size = median(_size(word) for word in run)
    line = median(_find_line(word, size) for word in run)
    for word in run:
        own = _find_line(word, size)
        at = line if abs(own - line) < CLOSE * size else own
        yield word._replace(top=at - ABOVE * size, bottom=at + BELOW * size)


def _size(word: SeenWord) -> float:
    return word.size or word.bottom - word.top


def _find_line(word: SeenWord, size: float) -> float:
    """Give where a word stands: some letters reach below that."""
    return word.bottom - (FOOT * size if any(letter in FOOTED for letter in word.text) else 0.0)
