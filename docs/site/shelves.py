"""What stands in the menu, in the order in which the indexes of the shelves name it."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from docs.site.page import INDEX, Page

DOCS = PurePosixPath("docs")
SHELVES = ("tutorials", "how-to", "reference", "explanation", "decisions")
PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


class Shelf(msgspec.Struct, frozen=True):
    """A part of the menu: its index, and its pages with how deep they stand."""

    index: Page
    pages: tuple[tuple[int, Page], ...]


def arrange(pages: Mapping[PurePosixPath, Page]) -> list[Shelf]:
    """Put every page on its shelf; the last one holds what is about the project."""
    shelves = [
        Shelf(pages[DOCS / name / INDEX], tuple(_walk(pages, pages[DOCS / name / INDEX], 0))) for name in SHELVES
    ]
    about = [pages[PurePosixPath(name)] for name in PROJECT]
    return [*shelves, Shelf(pages[DOCS / INDEX], tuple((0, page) for page in about))]


def _walk(pages: Mapping[PurePosixPath, Page], index: Page, depth: int) -> Iterator[tuple[int, Page]]:
    seen = {index.path}
    for link in index.links:
        if link in seen or index.path.parent not in link.parents:
            continue
        seen.add(link)
        yield depth, pages[link]
        if link.name == INDEX:
            yield from _walk(pages, pages[link], depth + 1)
