"""Words of a PDF page that a person would not see.

What looks suspicious by its numbers (the colour of the paper, something drawn over it, cut away) is put to the test:
the page is drawn with and without those words. Where nothing changes, nobody sees them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from PIL import ImageChops

from dibs.services.resumes.reading.pdf.frame import Frame
from dibs.services.resumes.reading.pdf.objects import Drawing, Drawn, DrawnText
from dibs.services.resumes.reading.pdf.pictures import draw
from dibs.services.resumes.reading.pdf.words import PlacedWord
from dibs.services.resumes.reading.screening.seeing import LEAST_ALPHA, LEAST_SIZE, WHITE, Reason, is_same_color

SLACK = 2.0
SQUEEZED = 0.1
SCALE = 1.5
LEAST_CHANGES = (24, 24, 60)
"""Of red, green and blue: the eye hardly sees a little blue, as pale yellow on white lacks it."""
MOST_AREAS = 400
LEAST_SIDE = 3.0
MOST_LOST = 0.4


class Parted(NamedTuple):
    seen: list[PlacedWord]
    hidden: list[tuple[PlacedWord, Reason]]


def part_hidden(page: Any, frame: Frame, words: list[PlacedWord], drawing: Drawing) -> Parted:
    """Part the words that a person would see from those that are hidden."""
    backdrops, strips = _largest(drawing), _thin(drawing)
    suspects: list[tuple[PlacedWord, Reason]] = []
    parted = Parted([], [])
    for word in words:
        sure = _find_sure_reason(word, frame)
        if sure is not None:
            parted.hidden.append((word, sure))
            continue
        doubt = _find_doubt(word, drawing.texts.get(word.style.drawn), backdrops, strips)
        if doubt is None:
            parted.seen.append(word)
        else:
            suspects.append((word, doubt))
    return _put_to_test(page, words, suspects, parted, drawing) if suspects else parted


def _largest(drawing: Drawing) -> list[Drawn]:
    """Give the areas that can be behind or before words, in the order of drawing."""
    wide = [
        area
        for area in (*drawing.areas, *drawing.images)
        if area.right - area.left > LEAST_SIDE and area.bottom - area.top > LEAST_SIDE
    ]
    wide.sort(key=lambda area: (area.right - area.left) * (area.bottom - area.top), reverse=True)
    return sorted(wide[:MOST_AREAS], key=lambda area: area.order)


def _find_sure_reason(word: PlacedWord, frame: Frame) -> Reason | None:
    if word.style.mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return Reason.INVISIBLE
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    if not (-SLACK < across < frame.width + SLACK and -SLACK < down < frame.height + SLACK):
        return Reason.OFF_PAGE
    tall = word.bottom - word.top if word.style.upright else word.right - word.left
    if word.style.size < LEAST_SIZE and tall < LEAST_SIZE * 1.5:
        return Reason.TINY
    wide = word.right - word.left if word.style.upright else word.bottom - word.top
    return Reason.TINY if wide < SQUEEZED * len(word.text) * word.style.size else None


def _thin(drawing: Drawing) -> list[Drawn]:
    """Give the strips and lines that could cover words together."""
    thin = [area for area in drawing.areas if area.covers and min(_sides(area)) <= LEAST_SIDE]
    return thin[:MOST_AREAS]


def _sides(area: Drawn) -> tuple[float, float]:
    return area.right - area.left, area.bottom - area.top


def _is_striped(word: PlacedWord, order: int, strips: list[Drawn]) -> bool:
    """Tell whether strips that were drawn after a word make up most of its box."""
    lost = 0.0
    for area in strips:
        if area.order > order and area.top < word.bottom and area.bottom > word.top:
            across = min(area.right, word.right) - max(area.left, word.left)
            lost += max(across, 0.0) * (min(area.bottom, word.bottom) - max(area.top, word.top))
    return lost > MOST_LOST * (word.right - word.left) * (word.bottom - word.top)


def _find_doubt(word: PlacedWord, text: DrawnText | None, areas: list[Drawn], strips: list[Drawn]) -> Reason | None:
    if word.style.alpha < LEAST_ALPHA:
        return Reason.TRANSPARENT
    if text is None:
        return Reason.SAME_COLOR if is_same_color(word.style.color, WHITE) else None
    if text.optional or text.odd:
        return Reason.INVISIBLE
    if word.style.mode == pdfium.FPDF_TEXTRENDERMODE_CLIP or (text.clip and _is_outside(word, text.clip)):
        return Reason.CLIPPED
    if strips and _is_striped(word, text.order, strips):
        return Reason.COVERED
    return _compare(word, text.order, [area for area in areas if _holds(area, word)])


def _compare(word: PlacedWord, order: int, areas: list[Drawn]) -> Reason | None:
    """Compare a word with what was drawn at its place before and after it."""
    if any(area.covers for area in areas if area.order > order):
        return Reason.COVERED
    below = WHITE
    for area in areas:
        if area.order < order and area.covers and area.fill is not None:
            below = area.fill
    return Reason.SAME_COLOR if is_same_color(word.style.color, below) else None


def _holds(area: Drawn, word: PlacedWord) -> bool:
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return area.left <= across <= area.right and area.top <= down <= area.bottom


def _is_outside(word: PlacedWord, clip: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = clip
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return not (left - 1 <= across <= right + 1 and top - 1 <= down <= bottom + 1)


def _put_to_test(
    page: Any, words: list[PlacedWord], suspects: list[tuple[PlacedWord, Reason]], parted: Parted, drawing: Drawing
) -> Parted:
    before = draw(page, SCALE)
    _switch_off(suspects, words, drawing)
    after = draw(page, SCALE)
    change = ImageChops.difference(before, after)
    hidden = list(parted.hidden)
    found: set[int] = set()
    scale = before.width / max(pdfium.FPDF_GetPageWidthF(page), 1.0)
    for word, reason in suspects:
        text = drawing.texts.get(word.style.drawn)
        picture = before if text is None or text.nested else change
        if not _is_seen_in(picture, word, scale):
            hidden.append((word, reason))
            found.add(id(word))
    gone = found | {id(word) for word, _ in parted.hidden}
    return Parted([word for word in words if id(word) not in gone], hidden)


def _switch_off(suspects: Iterable[tuple[PlacedWord, Reason]], words: Iterable[PlacedWord], drawing: Drawing) -> None:
    """Switch off the suspects, and with them what the library took for a second drawing of other text.

    Of a text and its shadow it gives only the first: the page may show the second.
    """
    twins = drawing.texts.keys() - {word.style.drawn for word in words}
    for key in {word.style.drawn for word, _ in suspects} | twins:
        text = drawing.texts.get(key)
        if text is not None and not text.nested:
            pdfium.FPDFPageObj_SetIsActive(text.handle, 0)


def _is_seen_in(picture: Any, word: PlacedWord, scale: float) -> bool:
    """Tell whether the colours within a word's box differ: blue on black is dim, but it is seen."""
    sides = (word.left * scale, word.top * scale, word.right * scale + 1, word.bottom * scale + 1)
    box = (
        max(int(sides[0]), 0),
        max(int(sides[1]), 0),
        min(int(sides[2]), picture.width),
        min(int(sides[3]), picture.height),
    )
    if box[2] <= box[0] or box[3] <= box[1]:
        return False
    found = zip(picture.crop(box).getextrema(), LEAST_CHANGES, strict=False)
    return any(most - least >= needed for (least, most), needed in found)
