"""How words of a scan look: the size of their letters, and whether they are bold, both told by their ink.

The strokes of bold letters are thicker, in sizes of the font, than is usual on the page.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from dibs.services.resumes.reading.scan.ink import share_of
from dibs.services.resumes.reading.scan.recogniser import SeenWord

BOLD = 1.4
"""Strokes of bold letters are four tenths thicker than those of the same letters in the usual weight."""
SPREAD, FARTHEST = 0.12, 3.0
"""How far a word's weight is off as a rule, and how often that at most."""
CHANGE = 6.0
"""How sure it must be that the weight changes within a line."""
FEWEST_LETTERS, MANY_LETTERS = 3, 8
FAINT = 0.2
SAMPLES = 400
NEXT = 1.0
SMALLEST, LARGEST = 0.6, 1.6
"""What is measured is believed between these shares of what the recogniser says."""


class Ink(NamedTuple):
    """What was measured of a word, in pixels: the size of its font, and how thick its strokes are."""

    size: float
    stroke: float


class Run(NamedTuple):
    """Words that follow each other closely on one line, with what was measured of them."""

    words: list[SeenWord]
    inks: list[Ink | None]
    size: float

    @property
    def weights(self) -> list[float | None]:
        return [ink.stroke / self.size if ink and self.size else None for ink in self.inks]


def tell_looks(grey: Any, words: Sequence[SeenWord]) -> list[SeenWord]:
    """Give the words of a picture with size and weight told. `grey` is the picture as an array of brightness."""
    runs = [_measure_run(grey, run) for run in find_runs(words)]
    usual = _find_usual(
        [(weight, len(w.text)) for run in runs for w, weight in zip(run.words, run.weights, strict=True)]
    )
    return [word for run in runs for word in _tell_run(run, usual)]


def find_runs(words: Sequence[SeenWord]) -> Iterator[list[SeenWord]]:
    """Give the words that follow each other closely on one line."""
    run: list[SeenWord] = []
    for word in words:
        if run and not _is_next(run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _is_next(before: SeenWord, word: SeenWord) -> bool:
    height = word.size or word.bottom - word.top
    level = before.top < word.bottom and word.top < before.bottom
    return level and -1 <= word.left - before.right < NEXT * height


def _measure_run(grey: Any, words: list[SeenWord]) -> Run:
    inks = [_measure(grey, word) for word in words]
    told = median(word.size or word.bottom - word.top for word in words)
    sizes = [ink.size for ink in inks if ink and SMALLEST * told < ink.size < LARGEST * told]
    return Run(words, inks, median(sizes) if sizes else told)


def _measure(grey: Any, word: SeenWord) -> Ink | None:
    """Measure the ink of a word; None where it has too little."""
    import numpy as np  # noqa: PLC0415 - comes with the recognisers

    left, top, right, bottom = (
        max(int(side), 0) for side in (word.left - 1, word.top - 1, word.right + 2, word.bottom + 2)
    )
    part = grey[top:bottom, left:right]
    if sum(char.isalnum() for char in word.text) < FEWEST_LETTERS or not part.size:
        return None
    shades = np.sort(part.ravel()[:: max(part.size // SAMPLES, 1)])
    darkest, brightest = shades[len(shades) // 32], shades[-1 - len(shades) // 32]
    ink = np.clip((brightest - part) / max(brightest - darkest, 1.0), 0.0, 1.0)
    if (ink > 0.5).mean() > 0.5:  # noqa: PLR2004 - half: light letters on a dark ground
        ink = 1.0 - ink
    marked = ink > 0.5  # noqa: PLR2004 - half as dark as the darkest
    rows = marked.any(axis=1).nonzero()[0]
    strokes = np.count_nonzero(np.diff(marked, axis=1)) / 2
    size = float(rows[-1] - rows[0] + 1) / share_of(word.text) if len(rows) else 0.0
    return Ink(size, float(ink[ink > FAINT].sum() / max(strokes, 1.0)))


def _find_usual(weights: Sequence[tuple[float | None, int]]) -> float:
    """Give the weight that half of the letters have at most."""
    known = sorted((weight, letters) for weight, letters in weights if weight is not None)
    half, seen = sum(letters for _, letters in known) / 2, 0
    for weight, letters in known:
        seen += letters
        if seen >= half:
            return weight
    return 0.0


def _tell_run(run: Run, usual: float) -> Iterator[SeenWord]:
    doubts = [_doubt(weight, usual, len(word.text)) for weight, word in zip(run.weights, run.words, strict=True)]
    for word, is_bold in zip(run.words, _decide(doubts), strict=True):
        yield word._replace(size=run.size, bold=is_bold)


def _doubt(weight: float | None, usual: float, letters: int) -> tuple[float, float]:
    """Say how badly a weight fits the usual one, and how badly it fits bold."""
    if weight is None or not usual:
        return 0.0, 0.0
    sure = min(letters, MANY_LETTERS) / MANY_LETTERS
    above, below = weight / usual - 1.0, BOLD - weight / usual
    return sure * min(max(above / SPREAD, 0.0), FARTHEST) ** 2, sure * min(max(below / SPREAD, 0.0), FARTHEST) ** 2


def _decide(doubts: Sequence[tuple[float, float]]) -> list[bool]:
    """Choose for each word of a run, so that all fit best together: people seldom change the weight within a line."""
    costs = doubts[0]
    came: list[tuple[int, int]] = []
    for usual, bold in doubts[1:]:
        came.append((int(costs[1] + CHANGE < costs[0]), int(costs[1] <= costs[0] + CHANGE)))
        costs = (min(costs[0], costs[1] + CHANGE) + usual, min(costs[1], costs[0] + CHANGE) + bold)
    state = int(costs[1] < costs[0])
    chosen = [state]
    for back in reversed(came):
        state = back[state]
        chosen.append(state)
    return [bool(one) for one in reversed(chosen)]
