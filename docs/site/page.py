"""What a page of the site is, before it is drawn."""

from pathlib import PurePosixPath

import msgspec

INDEX = "README.md"


class Heading(msgspec.Struct, frozen=True):
    """A heading, and the anchor it can be reached by."""

    level: int
    text: str
    anchor: str


class Section(msgspec.Struct, frozen=True):
    """What stands under one heading, in plain words: this is what is searched."""

    heading: Heading
    text: str


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the repository, read. `links` are the files of the repository it leads to."""

    path: PurePosixPath
    title: str
    body: str
    headings: tuple[Heading, ...] = ()
    sections: tuple[Section, ...] = ()
    links: tuple[PurePosixPath, ...] = ()


def address_of(path: PurePosixPath) -> PurePosixPath:
    """Say where a file of the repository stands in the site: pictures where they were, all else as a page."""
    if path.suffix in (".png", ".svg"):
        return path
    if path.name == INDEX:
        return path.with_name("index.html")
    return path.with_suffix(".html") if path.suffix == ".md" else path.with_name(f"{path.name}.html")


def lead(origin: PurePosixPath, target: PurePosixPath) -> str:
    """Write the way from one address of the site to another, so that it also holds in a folder on a disk."""
    above = [*origin.parent.parts]
    below = [*target.parts]
    while above and below[:-1] and above[0] == below[0]:
        above, below = above[1:], below[1:]
    return "/".join([*[".."] * len(above), *below])
