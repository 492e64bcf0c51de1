"""A picture of a page, to a page of words."""

from math import cos, radians, sin
from typing import Any

from PIL import Image

from dibs.services.resumes.document import Box, Page, Word
from dibs.services.resumes.reading.scan.levelling import level_words
from dibs.services.resumes.reading.scan.looks import tell_looks
from dibs.services.resumes.reading.scan.marks import mend_marks
from dibs.services.resumes.reading.scan.misread import mend_letters
from dibs.services.resumes.reading.scan.recogniser import Recogniser, Seen, SeenWord

A4_WIDTH = 595.0
LONG_SIDE, LEAST_SIDE = 2_600, 1_500
FINE_SIDE = 2_339
SURE = 0.6
STRAIGHT, SLANTED = 0.2, 0.7
TURNS = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)


def read_scan(picture: Any, recogniser: Recogniser, *, number: int = 1, width: float = A4_WIDTH) -> Page:
    """Read the words of a picture. A page that makes no sense is tried on its sides and its head."""
    picture = _scale(picture)
    seen = recogniser.see(picture)
    if seen.words and seen.confidence < SURE:
        picture, seen = _turn(picture, seen, recogniser)
    if recogniser.needs_level_lines and abs(seen.slope) > SLANTED:
        picture = picture.rotate(seen.slope, resample=Image.Resampling.BICUBIC, fillcolor="white")
        seen = recogniser.see(picture)
    if picture.width > picture.height and width < A4_WIDTH:
        width = A4_WIDTH
    scale = width / picture.width
    told = _tell_looks(picture, seen.words)
    words = mend_marks(level_words([_straighten(mend_letters(word), seen.slope, picture.width / 2) for word in told]))
    return Page(
        number=number,
        width=width,
        height=round(picture.height * scale, 2),
        words=tuple(_as_word(word, number, scale) for word in words),
        scanned=True,
    )


def confidence_of(pages: list[Page]) -> float:
    """Give the mean confidence of recognised pages, by letters; 1 where there are none."""
    words = [word for page in pages if page.scanned for word in page.words]
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 1.0


def _scale(picture: Any) -> Any:
    """Bring a picture to about 200 dpi of a page: finer takes longer, coarser is hard to read."""
    side = max(picture.size)
    if LEAST_SIDE <= side <= LONG_SIDE:
        return picture
    factor = FINE_SIDE / side
    if factor > 1:
        factor = min(factor, 3.0)
    size = (max(round(picture.width * factor), 1), max(round(picture.height * factor), 1))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _turn(picture: Any, seen: Seen, recogniser: Recogniser) -> tuple[Any, Seen]:
    best, best_seen = picture, seen
    for turn in TURNS:
        turned = picture.transpose(turn)
        again = recogniser.see(turned)
        if _weigh(again) > _weigh(best_seen):
            best, best_seen = turned, again
        if best_seen.confidence > SURE + 0.2 and len(best_seen.words) > len(seen.words) / 2:
            break
    return best, best_seen


def _weigh(seen: Seen) -> float:
    return sum(len(word.text) * max(word.confidence - 0.4, 0) for word in seen.words)


def _tell_looks(picture: Any, words: list[SeenWord]) -> list[SeenWord]:
    import numpy as np  # noqa: PLC0415 - comes with the recognisers

    return tell_looks(np.asarray(picture.convert("L")).astype("float32"), words)


def _straighten(word: SeenWord, slope: float, middle: float) -> SeenWord:
    """Turn a word back by the slope of the page, so that lines are level."""
    if abs(slope) < STRAIGHT:
        return word
    across, down = (word.left + word.right) / 2 - middle, (word.top + word.bottom) / 2
    angle = radians(-slope)
    moved_across = across * cos(angle) - down * sin(angle) - across
    moved_down = across * sin(angle) + down * cos(angle) - down
    return word._replace(
        left=word.left + moved_across,
        right=word.right + moved_across,
        top=word.top + moved_down,
        bottom=word.bottom + moved_down,
    )


def _as_word(word: SeenWord, number: int, scale: float) -> Word:
    places = (word.left, word.top, word.right, word.bottom)
    return Word(
        text=word.text,
        box=Box(number, *(round(place * scale, 2) for place in places)),
        size=round((word.size or word.bottom - word.top) * scale, 1),
        bold=word.bold,
        confidence=round(word.confidence, 3),
    )
