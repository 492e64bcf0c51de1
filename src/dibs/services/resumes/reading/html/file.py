"""An HTML file."""

from typing import Any

from selectolax.lexbor import LexborHTMLParser

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.html.columns import hide_columns
from dibs.services.resumes.reading.html.css.sheets import Rules, match_rules
from dibs.services.resumes.reading.html.encoding import decode_html
from dibs.services.resumes.reading.html.flow import FlowReader
from dibs.services.resumes.reading.sheet import Sheet


def read_html(data: bytes) -> Document:
    """Read the text that a browser would show."""
    text, flags = decode_html(data)
    tree = LexborHTMLParser(text)
    if tree.root is None or tree.body is None:
        raise refuse(Refusal.CORRUPTED, what="it has no body")
    rules = match_rules(tree)
    hide_columns(tree.body, rules)
    sheet, reader = _read_body(tree.body, rules)
    if reader.forget_unseen():
        # How much stands in a cell or a column is asked once more, without what nobody sees.
        sheet, _ = _read_body(tree.body, rules)
    pages = sheet.pages()
    return Document(
        kind=Kind.HTML,
        pages=pages,
        blocks=tuple(sheet.blocks),
        hidden=tuple(reader.hidden),
        flags=(*flags, *_find_flags(tree)),
        page_count=len(pages),
    )


def _read_body(body: Any, rules: Rules) -> tuple[Sheet, FlowReader]:
    sheet = Sheet()
    reader = FlowReader(rules, sheet)
    reader.read(body, sheet.whole)
    return sheet, reader


def _find_flags(tree: LexborHTMLParser) -> list[Flag]:
    return [flag(Warned.SCRIPTS)] if tree.css_first("script:not([type]), object, embed, iframe") is not None else []
