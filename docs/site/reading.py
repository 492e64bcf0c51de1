"""From the text of a file to a page."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from docs.site.page import INDEX, Heading, Page, Section, address_of, lead

_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_SCHEME = re.compile(r"[a-z]+:")
_FORMATTER = HtmlFormatter(nowrap=True)


class BadPage(Exception):
    """A page that cannot be made; the message says where and why."""


def read_page(house: Path, path: PurePosixPath) -> Page:
    """Read one file of the repository."""
    text = (house / path).read_text()
    return _read_prose(house, path, text) if path.suffix == ".md" else _read_source(path, text)


def _read_source(path: PurePosixPath, text: str) -> Page:
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    return Page(path=path, title=str(path), body=f"<h1>{path}</h1>\n<pre><code>{_paint(text, lexer)}</code></pre>")


def _read_prose(house: Path, path: PurePosixPath, text: str) -> Page:
    reader = MarkdownIt("commonmark", renderer_cls=_Renderer).enable(["table", "strikethrough"])
    tokens = [token for token in reader.parse(text) if not _is_comment(token, path)]
    headings = tuple(_mark_headings(tokens))
    if not headings:
        raise BadPage(f"{path} has no heading: begin it with one, it is the page's name.")
    links = tuple(_lead_links(tokens, house, path))
    return Page(
        path=path,
        title=headings[0].text,
        body=reader.renderer.render(tokens, reader.options, {}),
        headings=headings,
        sections=tuple(_cut_sections(tokens, headings)),
        links=links,
    )


def _is_comment(token: Token, path: PurePosixPath) -> bool:
    if token.type != "html_block":
        return False
    if _COMMENT.sub("", token.content).strip():
        raise BadPage(f"{path} has HTML of its own, {token.content.strip()[:60]!r}: write it in Markdown.")
    return True


def _mark_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give every heading the anchor that GitHub would give it, so that links hold in both places."""
    taken: dict[str, int] = {}
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            text = _plain(content)
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            taken[slug] = taken.get(slug, -1) + 1
            anchor = f"{slug}-{taken[slug]}" if taken[slug] else slug
            token.attrSet("id", anchor)
            yield Heading(int(token.tag[1]), text, anchor)


def _plain(inline: Token) -> str:
    return "".join(child.content or " " for child in inline.children or [] if not child.nesting)


def _lead_links(tokens: Sequence[Token], house: Path, path: PurePosixPath) -> Iterator[PurePosixPath]:
    """Turn links to files into links to pages, and tell which files those were."""
    for token in (child for block in tokens for child in block.children or []):
        name = {"link_open": "href", "image": "src"}.get(token.type)
        link = str(token.attrGet(name) or "") if name else ""
        if _SCHEME.match(link) and token.type == "link_open":
            token.attrSet("rel", "noreferrer")
        elif link and name:
            target, _, anchor = link.partition("#")
            found = find_target(house, path, target) if target else path
            token.attrSet(name, lead(address_of(path), address_of(found)) + (f"#{anchor}" if anchor else ""))
            yield found


def find_target(house: Path, origin: PurePosixPath, link: str) -> PurePosixPath:
    """Find the file that a link leads to; a folder is the page it has."""
    target = PurePosixPath(posixpath.normpath(origin.parent / link))
    if (house / target).is_dir():
        target /= INDEX
    if target.parts[0] == ".." or not (house / target).is_file():
        raise BadPage(f"{origin} links to {link}, which is not there: mend the link.")
    return target


def _cut_sections(tokens: Sequence[Token], headings: tuple[Heading, ...]) -> Iterator[Section]:
    texts: list[list[str]] = [[] for _ in headings]
    number = -1
    for before, token in pairwise(tokens):
        number += before.type == "heading_open"
        if token.type == "inline" and before.type != "heading_open":
            texts[max(number, 0)].append(_plain(token))
        elif token.type == "fence":
            texts[max(number, 0)].append(token.content)
    for heading, parts in zip(headings, texts, strict=True):
        yield Section(heading, " ".join(" ".join(parts).split()))


class _Renderer(RendererHTML):
    """Draws code in colours; a wide table scrolls in a box of its own, and keys can reach it there."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        token = tokens[idx]
        try:
            lexer = get_lexer_by_name(token.info or "text")
        except ClassNotFound:
            lexer = TextLexer()
        return f"<pre><code>{_paint(token.content, lexer)}</code></pre>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        return '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        return "</table></div>\n"


def _paint(text: str, lexer: Any) -> str:
    return str(highlight(text, lexer, _FORMATTER)).rstrip("\n")
