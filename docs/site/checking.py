"""Whether everything a built site leads to is there, and whether it asks anybody else."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

# What a browser fetches without being asked to.
_FETCHED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src", "video": "src"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.twice: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.twice += [found["id"]] if found["id"] in self.anchors else []
            self.anchors.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in _FETCHED and _FETCHED[tag] in found:
            self.fetched.append(found[_FETCHED[tag]])


def find_faults(site: Path) -> list[str]:
    """Name every link that leads nowhere, and every file that would be fetched from elsewhere."""
    # Links are followed to whole paths, so pages are known by theirs.
    site = site.resolve()
    pages = {page: _read(page) for page in sorted(site.rglob("*.html"))}
    return [
        *(f"{page.relative_to(site)}: {fault}" for page in pages for fault in _judge(page, pages)),
        *(f"{style.relative_to(site)}: fetches something" for style in sorted(site.rglob("*.css")) if _fetches(style)),
    ]


def _read(page: Path) -> _Reader:
    reader = _Reader()
    reader.feed(page.read_text())
    return reader


def _judge(page: Path, pages: dict[Path, _Reader]) -> Iterator[str]:
    reader = pages[page]
    # A heading that is called as a part of the page itself would look and act like that part.
    yield from (f"two things are called #{anchor}" for anchor in reader.twice)
    for link in [*reader.links, *reader.fetched]:
        if ":" in link or link.startswith("//"):
            if link in reader.fetched:
                yield f"{link} is fetched from elsewhere"
            continue
        target, _, anchor = link.partition("#")
        file = (page.parent / unquote(target)).resolve() if target else page
        if not file.is_file():
            yield f"{link} is not there"
        elif anchor and unquote(anchor) not in pages[file].anchors:
            yield f"{link} is there, but nothing on it is called #{anchor}"


def _fetches(style: Path) -> bool:
    text = style.read_text()
    return "url(" in text or "@import" in text
