"""Sizes of letters on scans, as few as there were when the page was set: what is measured varies from line to line."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from dibs.services.resumes.document import Page

LEAST, MOST = 0.92, 1.085
"""What lies between these shares of a size that many letters have is that size, measured badly."""


def even_sizes(pages: Iterable[Page]) -> list[Page]:
    """Give the pages of one document with their sizes brought to the few that they were set in."""
    listed = list(pages)
    letters: Counter[float] = Counter()
    for page in listed:
        for word in page.words:
            letters[word.size] += len(word.text)
    meant = dict(_gather(letters))
    return [replace(page, words=tuple(replace(word, size=meant[word.size]) for word in page.words)) for page in listed]


def _gather(letters: Counter[float]) -> Iterator[tuple[float, float]]:
    """Give each size with the one that it is meant to be: the commonest sizes draw those beside them."""
    left = dict(letters)
    while left:
        common = max(left, key=lambda size: (left[size], size))
        near = [size for size in left if LEAST * common <= size <= MOST * common]
        for size in near:
            yield size, common
            del left[size]
