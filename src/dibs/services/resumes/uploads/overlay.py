"""A page that shows where each field came from: the document's words, and a frame around each piece of evidence."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from msgspec import Struct

from dibs.services.resumes.document import Box, Document, Page, Word

_COLOURS = {
    "basics": "#2563eb", "work": "#16a34a", "education": "#9333ea", "skills": "#ea580c", "languages": "#0891b2",
    "certificates": "#ca8a04", "projects": "#db2777", "volunteer": "#65a30d",
}  # fmt: skip
_OTHER = "#64748b"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""For the page by itself: nothing in it can do anything, and its one style sheet stands in it."""
_STYLE = (
    "body{font-family:sans-serif;background:#e2e8f0;margin:1rem}svg{background:#fff;margin:0 0 1rem;display:block;"
    "max-width:100%;box-shadow:0 1px 4px #0003}rect{fill-opacity:.14;stroke-width:.8}text{font-family:sans-serif;"
    "white-space:pre}"
)


def draw_overlay(document: Document, resume: dict[str, Any]) -> str:
    """Draw all pages with their evidence as one HTML page by itself; a frame's tooltip names its field."""
    frames = list_frames(resume)
    body = "".join(_draw_page(page, frames.get(page.number, [])) for page in list_pages(document))
    head = f'<meta charset="utf-8"><title>Evidence</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en">{head}{body}</html>'


def list_pages(document: Document) -> tuple[Page, ...]:
    """Give the pages of a document; one with all words where its format has none."""
    return document.pages or (_gather(document),)


def _gather(document: Document) -> Page:
    """Make a page of a format that has none: its words have places all the same."""
    words = tuple(word for block in document.blocks or () for line in block.lines for word in line.words)
    right = max((word.box.right for word in words), default=500.0)
    bottom = max((word.box.bottom for word in words), default=700.0)
    return Page(1, right + 40, bottom + 40, words)


class Frame(Struct, frozen=True):
    """A frame around a piece of evidence, and what it is evidence of."""

    box: Box
    colour: str
    title: str


def list_frames(resume: dict[str, Any]) -> dict[int, list[Frame]]:
    """Give the frames of each page, by its number."""
    found: dict[int, list[Frame]] = {}
    for path, field in resume.get("meta", {}).get("fields", {}).items():
        colour = _COLOURS.get(re.split(r"[.\[]", path)[0], _OTHER)
        title = f"{path}: {field['value']} ({field['confidence']:.0%})"
        for evidence in field["evidence"]:
            box = Box(evidence["page"], *evidence["box"])
            found.setdefault(box.page, []).append(Frame(box, colour, title))
    return found


def _draw_frame(frame: Frame) -> str:
    box, colour = frame.box, frame.colour
    place = f'x="{box.left:.1f}" y="{box.top:.1f}" width="{box.right - box.left:.1f}"'
    size = f'height="{box.bottom - box.top:.1f}" fill="{colour}" stroke="{colour}"'
    return f"<rect {place} {size}><title>{escape(frame.title)}</title></rect>"


def _draw_page(page: Page, frames: list[Frame]) -> str:
    drawn = "".join([*_draw_words(page), *map(_draw_frame, frames)])
    return f'<svg viewBox="0 0 {page.width:.0f} {page.height:.0f}" width="{page.width:.0f}">{drawn}</svg>'


def _draw_words(page: Page) -> Iterator[str]:
    for word in page.words:
        yield _draw_word(word)


def _draw_word(word: Word) -> str:
    box = word.box
    weight = ' font-weight="bold"' if word.bold else ""
    place = (
        f'x="{box.left:.1f}" y="{box.bottom - 0.22 * word.size:.1f}" textLength="{max(box.right - box.left, 1):.1f}"'
    )
    return f'<text {place} font-size="{word.size:.1f}"{weight}>{escape(word.text)}</text>'
