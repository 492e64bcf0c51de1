"""One page of a PDF: its words, what is drawn around them, and what is hidden."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from dibs.services.resumes.document import Box, Hidden, Link, Page, Shape, Word
from dibs.services.resumes.reading.pdf.frame import Frame, read_frame
from dibs.services.resumes.reading.pdf.glyphs import read_glyphs
from dibs.services.resumes.reading.pdf.hiding import part_hidden
from dibs.services.resumes.reading.pdf.links import keep_seen, read_links
from dibs.services.resumes.reading.pdf.objects import Drawing, read_drawing
from dibs.services.resumes.reading.pdf.words import PlacedWord, build_words, drop_twins
from dibs.services.resumes.reading.screening.seeing import Reason

MOST_SHAPES = 2_000
MANY_SHAPES = 30
SLACK = 1.0
UNKNOWN = "\ufffd"
LONGEST_HIDDEN = 5_000
FEW_LETTERS = 10
"""A page with fewer letters is a picture of a page, if anything is drawn on it."""


class ReadPage(NamedTuple):
    page: Page
    hidden: tuple[Hidden, ...]
    is_cut: bool
    """It has more letters than could be read."""
    is_unmapped: bool
    """Its letters have no meaning to a program, so it is looked at as a picture."""


def read_page(document: Any, page: Any, number: int, *, most: int) -> ReadPage:
    """Read one page, no more than so many letters of it."""
    frame = read_frame(page)
    drawing = read_drawing(page, frame)
    words, is_cut = _read_words(page, frame, most)
    found = list(read_links(document, page, frame, number))
    parted = part_hidden(page, frame, words, drawing)
    seen = drop_twins(parted.seen)
    links = keep_seen(found, frame, seen, drawing)
    is_unmapped = _is_unmapped(seen)
    scanned = is_unmapped or _is_picture(seen, drawing)
    read = Page(
        number=number,
        width=round(frame.width, 2),
        height=round(frame.height, 2),
        words=() if scanned else tuple(_as_word(word, number, links) for word in seen),
        shapes=tuple(_shapes(drawing, number)),
        scanned=scanned,
        links=links,
    )
    return ReadPage(read, tuple(_join_hidden(parted.hidden, number)), is_cut, is_unmapped)


def _read_words(page: Any, frame: Frame, most: int) -> tuple[list[PlacedWord], bool]:
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return [], False
    try:
        words = list(build_words(read_glyphs(text_page, frame, most=most)))
        return words, pdfium.FPDFText_CountChars(text_page) > most
    finally:
        pdfium.FPDFText_ClosePage(text_page)


def _is_picture(words: list[PlacedWord], drawing: Drawing) -> bool:
    """Tell whether a page must be looked at: hardly a letter, but much is drawn.

    A last page may hold one short word and a rule below it: that is text.
    """
    letters = sum(len(word.text) for word in words)
    if not letters:
        return bool(drawing.images or drawing.areas)
    return letters < FEW_LETTERS and bool(drawing.images or len(drawing.areas) > MANY_SHAPES)


def _is_unmapped(words: list[PlacedWord]) -> bool:
    """Tell whether the file gives most letters no meaning."""
    letters = sum(len(word.text) for word in words)
    unknown = sum(1 for word in words for letter in word.text if letter == UNKNOWN or "\ue000" <= letter <= "\uf8ff")
    return unknown > letters / 2


def _join_hidden(words: list[tuple[PlacedWord, Reason]], number: int) -> Iterator[Hidden]:
    """Put hidden words together that follow each other for one reason."""
    for reason, group in groupby(words, key=lambda found: found[1]):
        found = [word for word, _ in group]
        left, top = min(word.left for word in found), min(word.top for word in found)
        right, bottom = max(word.right for word in found), max(word.bottom for word in found)
        box = Box(number, round(left, 2), round(top, 2), round(right, 2), round(bottom, 2))
        yield Hidden(" ".join(word.text for word in found)[:LONGEST_HIDDEN], reason.value, box)


def _as_word(word: PlacedWord, number: int, links: tuple[Link, ...]) -> Word:
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return Word(
        text=word.text,
        box=Box(number, round(word.left, 2), round(word.top, 2), round(word.right, 2), round(word.bottom, 2)),
        size=word.style.size,
        bold=word.style.bold,
        italic=word.style.italic,
        color=word.style.color,
        font=word.style.font,
        link=next((link.target for link in links if _holds(link.box, across, down)), None),
    )


def _holds(box: Box, across: float, down: float) -> bool:
    return box.left - SLACK <= across <= box.right + SLACK and box.top - SLACK <= down <= box.bottom + SLACK


def _shapes(drawing: Drawing, number: int) -> Iterator[Shape]:
    for area in drawing.areas[:MOST_SHAPES]:
        box = Box(number, round(area.left, 2), round(area.top, 2), round(area.right, 2), round(area.bottom, 2))
        yield Shape(box, area.fill)
