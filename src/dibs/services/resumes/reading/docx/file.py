"""A DOCX file: its package, its parts, and the order in which they are read."""

from lxml import etree

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.docx.body import BodyReader
from dibs.services.resumes.reading.docx.names import child, number, text_of, value, w
from dibs.services.resumes.reading.docx.package import Package
from dibs.services.resumes.reading.docx.styles import Styles, parse_color
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.screening.seeing import WHITE
from dibs.services.resumes.reading.sheet import HEIGHT, WIDTH, Area, Sheet

MACROS = ("vbaProject.bin", "vbaData.xml")
EMBEDDED = ("/embeddings/", "/activeX/")


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
    reader = BodyReader(Styles(package.find_tree(named.get("styles", "word/styles.xml"))), sheet)
    area = sheet.whole
    _read_margins(package, reader, area, relations, "header")
    body = child(tree, "body")
    if body is not None:
        reader.read(body, area, _links(relations), _background(tree))
    _read_margins(package, reader, area, relations, "footer")
    return reader


def _read_margins(
    package: Package, reader: BodyReader, area: Area, relations: dict[str, tuple[str, str]], wanted: str
) -> None:
    """Read headers or footers, each wording once."""
    seen: set[str] = set()
    for name in sorted({target for kind, target in relations.values() if kind == wanted}):
        part = package.find_tree(name)
        text = text_of(part) if part is not None else ""
        if part is not None and text not in seen:
            seen.add(text)
            reader.read(part, area, _links(package.relations(name)))


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
