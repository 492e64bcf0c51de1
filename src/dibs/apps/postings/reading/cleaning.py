"""HTML of strangers, turned into text that a person could have typed."""

import html
import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dibs.apps.postings.reading.encodings import mend_misread, unescape_rest
from dibs.apps.postings.reading.fields import drop_invisible
from dibs.kit.text import cut_middle, printable

LONGEST_HTML = 1_000_000
LONGEST_TEXT = 200_000
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]{0,2000}|!--)>?")
_ESCAPED_TAG = re.compile(r"&(?:amp;)*(?:lt|#60|#x3c);\s{0,3}/?[a-zA-Z!]", re.IGNORECASE)
_CLOSING_TAG = re.compile(r"</(?:p|div|ul|ol|li|span|strong|b|em|i|h[1-6]|a)>", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_MANY_LINES = re.compile(r"\n{3,}")
_UNSEEN = frozenset(
    {"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "head", "title", "select"}
)
_LINES = frozenset(
    {"address", "article", "aside", "blockquote", "div", "dd", "dt", "figure", "footer", "header", "hr", "main"}
    | {"nav", "pre", "section", "tr", "li", "form", "fieldset"}
)
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table"})
_CELLS = frozenset({"td", "th"})
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![\d.])|opacity\s*:\s*0(?![\d.])")
_MOST_ESCAPES = 3
_ANY_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]{0,2000}>")
# They need no closing tag, so that a long list of them is not deep.
_CHILDLESS = frozenset({"br", "img", "hr", "input", "meta", "link", "wbr", "col", "p", "li", "td", "th", "tr"})
_DEEPEST = 1_000


def clean_html(source: str) -> str:
    """Give what a reader of the page sees: no markup, no scripts, nothing hidden; one blank line between paragraphs."""
    text = _clean_once(mend_misread(cut_middle(source, LONGEST_HTML)))
    # Parts of a page are escaped once more than the rest where somebody pasted them in.
    return _clean_once(text) if _CLOSING_TAG.search(text) else text


def _clean_once(source: str) -> str:
    markup = _unescape(source)
    if not _TAG.search(markup):
        return _tidy(html.unescape(markup))
    if _is_too_deep(markup):
        return _tidy(html.unescape(_ANY_TAG.sub("\n", markup)))
    return _tidy("".join(_walk(markup)))


def _is_too_deep(markup: str) -> bool:
    """No page is that deep on purpose, and a parser takes time that grows with the square of it."""
    depth = 0
    for found in _ANY_TAG.finditer(markup):
        depth += -1 if found[1] else 1
        depth = max(depth - (found[2].lower() in _CHILDLESS), 0)
        if depth > _DEEPEST:
            return True
    return False


def _unescape(source: str) -> str:
    """Some boards escape their HTML once, and some of their customers once more."""
    for _ in range(_MOST_ESCAPES):
        if _TAG.search(source) or not _ESCAPED_TAG.search(source):
            break
        source = html.unescape(source)
    return source


class _Page:
    """Text as it is written, with breaks that do not add up."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._breaks = 0
        self._bullet = ""

    def write(self, text: str) -> None:
        if text.strip():
            self.parts.append("\n" * self._breaks + self._bullet)
            self._breaks, self._bullet = 0, ""
        self.parts.append(text)

    def start_item(self) -> None:
        self.break_off(1)
        self._bullet = "- "

    def break_off(self, lines: int) -> None:
        # Between a bullet and its text there is no break.
        if not self._bullet:
            self._breaks = max(self._breaks, lines)

    def next_line(self) -> None:
        self._breaks += 1


def _walk(markup: str) -> list[str]:
    page = _Page()
    node: LexborNode | None = LexborHTMLParser(markup.replace("\x00", "")).body
    # Nodes are compared by what is in them, which takes as long as writing it.
    end = None if node is None else node.mem_id
    while node is not None:
        below = node.child if _enter(node, page) else None
        while below is None and node is not None and node.mem_id != end:
            _leave(node, page)
            below = node.next
            node = node.parent if below is None else node
        node = below
    return page.parts


def _enter(node: LexborNode, page: _Page) -> bool:
    tag = node.tag or ""
    if tag == "-text":
        page.write((node.text_content or "").replace("\n", " ").replace("\r", " "))
        return False
    if tag in _UNSEEN or tag.startswith(("-", "_")) or _is_hidden(node):
        return False
    if tag == "li":
        page.start_item()
    elif tag == "br":
        page.next_line()
    else:
        page.break_off(_find_margin(tag))
    return True


def _leave(node: LexborNode, page: _Page) -> None:
    tag = node.tag or ""
    if tag in _CELLS:
        page.write(" ")
    page.break_off(_find_margin(tag))


def _find_margin(tag: str) -> int:
    return 2 if tag in _PARAGRAPHS else 1 if tag in _LINES else 0


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    style = (attributes.get("style") or "").lower()
    return "hidden" in attributes or bool(style and _HIDING.search(style[:1000]))


def _tidy(text: str) -> str:
    lines = [
        _BLANKS.sub(" ", line).strip() for line in drop_invisible(unescape_rest(text).replace("\r", "\n")).split("\n")
    ]
    joined = _MANY_LINES.sub("\n\n", "\n".join(line for line in lines if line != "-")).strip()
    return printable(joined, LONGEST_TEXT)
