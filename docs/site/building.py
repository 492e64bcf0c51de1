"""All pages, drawn and written."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from docs.site.page import Page, address_of, lead
from docs.site.reading import read_page
from docs.site.shelves import DOCS, PROJECT, Shelf, arrange

HERE = Path(__file__).parent
HOUSE = HERE.parents[1]
MARK = HOUSE / "src/dibs/web/pages/static/mark.svg"
START = PurePosixPath("README.md")
FILES = PurePosixPath("files")


def build(target: Path) -> int:
    """Write the site into a folder, in the place of what was there; give the number of its pages."""
    pages = gather(HOUSE)
    shutil.rmtree(target, ignore_errors=True)
    _copy_files(target, pages)
    shelves, environment = arrange(pages), _make_environment()
    for page in pages.values():
        file = target / address_of(page.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_draw(environment, page, shelves))
    (target / FILES / "index.js").write_text(f"window.dibsPages = {_make_index(pages)};\n")
    return len(pages)


def gather(house: Path) -> dict[PurePosixPath, Page]:
    """Read the front page, all of the shelves, and whatever they link to."""
    found = [file.relative_to(house) for file in sorted((house / DOCS).rglob("*.md"))]
    waiting = [START, *map(PurePosixPath, PROJECT), *map(PurePosixPath, found)]
    pages: dict[PurePosixPath, Page] = {}
    while waiting:
        path = waiting.pop(0)
        if path not in pages and not _is_picture(path):
            pages[path] = read_page(house, path)
            waiting += pages[path].links
    return pages


def _is_picture(path: PurePosixPath) -> bool:
    return address_of(path) == path


def _copy_files(target: Path, pages: Mapping[PurePosixPath, Page]) -> None:
    shutil.copytree(HERE / "static", target / FILES)
    shutil.copy(MARK, target / FILES)
    for picture in {link for page in pages.values() for link in page.links if _is_picture(link)}:
        (target / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / picture, target / picture)


def _make_environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _draw(environment: Environment, page: Page, shelves: list[Shelf]) -> str:
    here = address_of(page.path)

    def way(path: PurePosixPath | str) -> str:
        return lead(here, address_of(PurePosixPath(path)))

    return environment.get_template(
        "page.html"
    ).render(
        page=page,
        body=Markup(page.body),  # noqa: S704 - drawn from our own pages, in which HTML is refused
        contents=[heading for heading in page.headings[1:] if heading.level == 2],  # noqa: PLR2004
        shelves=shelves,
        way=way,
        file=lambda name: lead(here, FILES / name),
        root=lead(here, PurePosixPath("x"))[:-1],
        beside=_find_neighbours(page, shelves),
    )


def _find_neighbours(page: Page, shelves: list[Shelf]) -> tuple[Page | None, Page | None]:
    for shelf in shelves:
        row = [one for _, one in shelf.pages]
        if page in row:
            place = row.index(page)
            return (row[place - 1] if place else None, row[place + 1] if place + 1 < len(row) else None)
    return None, None


def _make_index(pages: Mapping[PurePosixPath, Page]) -> str:
    rows: list[list[Any]] = [
        [str(address_of(page.path)), page.title, section.heading.text, section.heading.anchor, section.text]
        for page in pages.values()
        for section in page.sections
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
