"""Documents that go on and on: what is over the limits is left out, and that is said."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from dibs.services.resumes.document import Block, Document, Flag, Line, Page
from dibs.services.resumes.flags import Warned, flag
from dibs.services.resumes.reading.limits import Limits


def shorten(document: Document, limits: Limits) -> Document:
    """Leave out pages and text over the limits."""
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
