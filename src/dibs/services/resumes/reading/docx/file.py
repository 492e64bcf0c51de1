"""A DOCX file: its package, its parts, and the order in which they are read."""

from collections.abc import Iterable
from typing import Any

from lxml import etree

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.docx.body import BodyReader
from dibs.services.resumes.reading.docx.margins import list_margins
from dibs.services.resumes.reading.docx.names import child, number, text_of, value, w
from dibs.services.resumes.reading.docx.package import Package
from dibs.services.resumes.reading.docx.styles import Styles, parse_color
from dibs.services.resumes.reading.docx.theme import read_theme, write_colors
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.screening.seeing import WHITE
from dibs.services.resumes.reading.sheet import HEIGHT, WIDTH, Area, Sheet

MACROS = ("vbaProject.bin", "vbaData.xml")
EMBEDDED = ("/embeddings/", "/activeX/")
Margin = tuple[Any, dict[str, str]]


def read_docx(data: bytes, limits: Limits) -> Document:
    """Read a DOCX: headers, body, footers."""
    package = Package(data, limits)
    main = _find_main(package)
    tree = package.find_tree(main)
    if tree is None or child(tree, "body") is None:
        raise refuse(Refusal.CORRUPTED, what="it has no body")
    sheet = Sheet(width=_page_width(tree))
    reader = _read_parts(package, main, tree, sheet)
    pages = sheet.pages()
    return Document(
        kind=Kind.DOCX,
        pages=pages,
        blocks=tuple(sheet.blocks),
        hidden=tuple(reader.hidden),
        flags=tuple(_find_flags(package)),
        page_count=max(len(pages), reader.page_breaks + 1),
    )


def _find_main(package: Package) -> str:
    targets = [target for kind, target in package.relations("").values() if kind == "officeDocument"]
    return targets[0] if targets else "word/document.xml"


def _read_parts(package: Package, main: str, tree: etree._Element, sheet: Sheet) -> BodyReader:
    relations = package.relations(main)
    named = dict(relations.values())
    theme = read_theme(package.find_tree(named.get("theme", "word/theme/theme1.xml")))
    styles = package.find_tree(named.get("styles", "word/styles.xml"))
    settings = package.find_tree(named.get("settings", "word/settings.xml"))
    for part in (tree, styles):
        write_colors(part, theme)
    reader = BodyReader(Styles(styles), sheet)
    margins = {
        wanted: _find_margins(package, theme, relations, list_margins(tree, settings, wanted))
        for wanted in ("header", "footer")
    }
    _read_margins(reader, sheet.whole, margins["header"])
    body = child(tree, "body")
    if body is not None:
        reader.read(body, sheet.whole, _links(relations), _background(tree))
    _read_margins(reader, sheet.whole, margins["footer"])
    return reader


def _find_margins(
    package: Package, theme: dict[str, int], relations: dict[str, tuple[str, str]], shown: Iterable[str]
) -> list[Margin]:
    """Find headers or footers, each wording once."""
    found: dict[str, Margin] = {}
    for name in sorted({relations[key][1] for key in shown if key in relations}):
        part = package.find_tree(name)
        write_colors(part, theme)
        if part is not None:
            found.setdefault(text_of(part), (part, _links(package.relations(name))))
    return list(found.values())


def _read_margins(reader: BodyReader, area: Area, margins: list[Margin]) -> None:
    for part, links in margins:
        reader.read(part, area, links)


def _links(relations: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {key: target for key, (kind, target) in relations.items() if kind == "hyperlink"}


def _background(tree: etree._Element) -> int:
    color = parse_color(value(child(tree, "background"), "color"))
    return WHITE if color is None else color


def _page_width(tree: etree._Element) -> float:
    size = next(tree.iter(w("pgSz")), None)
    width = number(value(size, "w")) / 20
    return width if HEIGHT / 4 < width < HEIGHT * 4 else WIDTH


def _find_flags(package: Package) -> list[Flag]:
    flags = [flag(Warned.MACROS)] if any(name.endswith(MACROS) for name in package.names) else []
    embedded = any(part in name for name in package.names for part in EMBEDDED)
    return [*flags, flag(Warned.SCRIPTS)] if embedded else flags
