"""Pages drawn by hand: texts at places, as wide as their letters."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from dibs.services.resumes.document import Box, Document, Flag, Kind, Link, Page, Shape, Word
from dibs.services.resumes.profile import Field, Profile
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.layout import arrange

TODAY = date(2026, 11, 15)
LEADING = 14.0


def write(text: str, left: float, top: float, *, size: float = 10.0, page: int = 1, **looks: Any) -> Iterator[Word]:
    """Set a line of words; half a size a letter is about what fonts take."""
    for word in text.split():
        right = left + 0.5 * size * len(word)
        yield Word(word, Box(page, left, top, right, top + 1.2 * size), size=size, **looks)
        left = right + 0.25 * size


def stack(lines: Sequence[str], left: float, top: float, *, page: int = 1, step: float = LEADING) -> Iterator[Word]:
    """Set lines under each other. `#` marks a heading, `**` bold, `-` a list item, a blank line white."""
    for number, line in enumerate(lines):
        at = top + number * step
        if line.startswith("#"):
            yield from write(line[1:].upper(), left, at, size=13, bold=True, page=page)
        elif line.startswith("**"):
            yield from write(line[2:], left, at, bold=True, page=page)
        elif line.startswith("- "):
            yield from write("•", left, at, page=page)
            yield from write(line[2:], left + 12, at, page=page)
        else:
            yield from write(line, left, at, page=page)


def draw(*words: Iterator[Word], shapes: Sequence[Shape] = (), links: Sequence[Link] = (), number: int = 1) -> Page:
    flat = tuple(word for some in words for word in some)
    return Page(number, 595.0, 842.0, flat, tuple(shapes), links=tuple(links))


def make(*pages: Page, flags: Sequence[Flag] = ()) -> Document:
    return Document(Kind.PDF, pages, flags=tuple(flags), page_count=len(pages))


def read(*pages: Page) -> list[str]:
    """Give the lines of some pages in reading order, the white between columns as a bar."""
    return [line.text for strip in arrange(make(*pages)) for line in strip.block.lines]


def parse(*pages: Page) -> Profile:
    return understand(make(*pages), today=TODAY)


def said(*fields: Field | None) -> tuple[str | None, ...]:
    """Give the values of some fields."""
    return tuple(field.value if field else None for field in fields)


def list_bullets(page: Page) -> list[bool]:
    return [line.bullet for strip in arrange(make(page)) for line in strip.block.lines]
