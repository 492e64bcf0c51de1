"""Headers and footers that a DOCX shows: a package may hold others, which no section names."""

from collections.abc import Iterator

from lxml import etree

from dibs.services.resumes.reading.docx.names import OFF, child, value, w


def list_margins(tree: etree._Element, settings: etree._Element | None, wanted: str) -> Iterator[str]:
    """Give the relations of the headers or footers that sections show. `wanted` is `header` or `footer`."""
    has_even = _is_on(child(settings, "evenAndOddHeaders"))
    for section in tree.iter(w("sectPr")):
        has_first = _is_on(child(section, "titlePg"))
        for node in section.iterchildren(w(f"{wanted}Reference")):
            kind = value(node, "type") or "default"
            if kind == "default" or (kind == "first" and has_first) or (kind == "even" and has_even):
                yield from (str(text) for name, text in node.attrib.items() if etree.QName(name).localname == "id")


def _is_on(node: etree._Element | None) -> bool:
    return node is not None and value(node) not in OFF
