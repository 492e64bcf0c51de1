"""Documents that go on and on: what is over the limits is left out, and that is said."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from dibs.services.resumes.document import Block, Document, Flag, Line, Page, Word
from dibs.services.resumes.flags import Warned, flag
from dibs.services.resumes.reading.limits import Limits

LONGEST_WORD = 1_000
"""No address is as long. Whatever looks for one begins at many letters of a word: twice as long takes four times."""


def shorten(document: Document, limits: Limits) -> Document:
    """Leave out pages and text over the limits, and the ends of words that nobody could read."""
    return _cut_words(_leave_out(document, limits))


def _cut_words(document: Document) -> Document:
    if all(len(word.text) <= LONGEST_WORD for page in document.pages for word in page.words):
        return document
    pages = tuple(replace(page, words=_cut(page.words)) for page in document.pages)
    blocks = None if document.blocks is None else tuple(_cut_lines(block) for block in document.blocks)
    flags = (*document.flags, flag(Warned.WORD_CUT, limit=f"{LONGEST_WORD:,}"))
    return replace(document, pages=pages, blocks=blocks, flags=flags)


def _cut_lines(block: Block) -> Block:
    return replace(block, lines=tuple(replace(line, words=_cut(line.words)) for line in block.lines))


def _cut(words: Iterable[Word]) -> tuple[Word, ...]:
    return tuple(
        word if len(word.text) <= LONGEST_WORD else replace(word, text=word.text[:LONGEST_WORD]) for word in words
    )


def _leave_out(document: Document, limits: Limits) -> Document:
    flags: list[Flag] = []
    if len(document.pages) > limits.max_pages or (
        document.blocks is not None and document.page_count > limits.max_pages
    ):
        flags.append(flag(Warned.TRUNCATED, count=document.page_count, limit=limits.max_pages))
    pages = document.pages[: limits.max_pages]
    if sum(len(word.text) for page in pages for word in page.words) > limits.max_characters:
        flags.append(flag(Warned.TEXT_CUT, limit=f"{limits.max_characters:,}"))
        pages = tuple(_cut_pages(pages, limits.max_characters))
    if not flags:
        return document
    blocks = None if document.blocks is None else tuple(_cut_blocks(document.blocks, pages))
    return replace(document, pages=pages, blocks=blocks, flags=(*document.flags, *flags))


def _cut_pages(pages: Iterable[Page], most: int) -> Iterator[Page]:
    left = most
    for page in pages:
        words = []
        for word in page.words:
            left -= len(word.text)
            if left < 0:
                break
            words.append(word)
        yield replace(page, words=tuple(words))
        if left < 0:
            return


def _cut_blocks(blocks: Iterable[Block], pages: tuple[Page, ...]) -> Iterator[Block]:
    kept = {id(word) for page in pages for word in page.words}
    for block in blocks:
        lines = tuple(line for line in block.lines if _is_kept(line, kept))
        if lines:
            yield replace(block, lines=lines)


def _is_kept(line: Line, kept: set[int]) -> bool:
    return all(id(word) in kept for word in line.words)
