"""Letters that are never drawn: tags, zero widths, direction marks. They can carry words that nobody sees."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from dibs.services.resumes.document import Block, Document, Hidden, Line, Word
from dibs.services.resumes.reading.screening.seeing import Reason

TAGS = re.compile("[\U000e0000-\U000e007f]+")
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
ZERO_WIDTH = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u180e\u115f\u1160\u3164\uffa0\u034f]+"
)
JOINERS = re.compile(
    "(?<![\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]+"
)
QUIET = re.compile("\u00ad")
ANY = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
MESSAGE = 4
"""So many letters without width in a row are no accident of a word processor."""


def screen_letters(document: Document) -> Document:
    """Take letters that are never drawn out of every word, and put aside what they say."""
    if not any(ANY.search(word.text) for page in document.pages for word in page.words):
        return document
    hidden = [found for page in document.pages for word in page.words for found in _messages(word)]
    pages = tuple(replace(page, words=_clean_words(page.words)) for page in document.pages)
    blocks = None if document.blocks is None else tuple(_clean_blocks(document.blocks))
    return replace(document, pages=pages, blocks=blocks, hidden=(*document.hidden, *hidden))


def _messages(word: Word) -> list[Hidden]:
    found = []
    for letters in TAGS.findall(word.text):
        text = "".join(chr(ord(letter) - 0xE0000) for letter in letters if ord(letter) > 0xE001F)  # noqa: PLR2004
        found.append(Hidden(text or f"{len(letters)} letters", Reason.TAG_CHARACTERS.value, word.box))
    for pattern in (ZERO_WIDTH, SELECTORS, JOINERS):
        runs = [letters for letters in pattern.findall(word.text) if len(letters) >= MESSAGE]
        found += [Hidden(f"{len(letters)} letters", Reason.ZERO_WIDTH.value, word.box) for letters in runs]
    return found


def clean(text: str) -> str:
    """Take letters that are never drawn out of a text."""
    for pattern in (TAGS, SELECTORS, ZERO_WIDTH, JOINERS, QUIET):
        text = pattern.sub("", text)
    return text


def _clean_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    cleaned = (replace(word, text=clean(word.text)) if ANY.search(word.text) else word for word in words)
    return tuple(word for word in cleaned if word.text)


def _clean_blocks(blocks: tuple[Block, ...]) -> list[Block]:
    return _keep(blocks, lambda block: replace(block, lines=tuple(_clean_lines(block.lines))))


def _clean_lines(lines: tuple[Line, ...]) -> list[Line]:
    cleaned = (replace(line, words=_clean_words(line.words)) for line in lines)
    return [line for line in cleaned if line.words]


def _keep(blocks: tuple[Block, ...], change: Callable[[Block], Block]) -> list[Block]:
    return [changed for block in blocks if (changed := change(block)).lines]
