"""Addresses that a narrow column broke in two."""

# ruff: noqa: SIM905 - a list of names reads best as words
import re
from collections.abc import Iterator, Sequence
from functools import reduce

from dibs.services.resumes.understanding.normal.gazetteer import CODES
from dibs.services.resumes.understanding.sections.rows import Piece, Row

_LABEL_WORDS = 3
_TOKEN = re.compile(r"^[\w.@/+~%-]+$")
_LOCAL = re.compile(r"[a-z][a-z0-9._+-]+")
_DOMAIN = re.compile(r"^[\w-]+(?:\.[\w-]+)+$")
_ENDINGS = {code.casefold() for code in CODES} | set(
    "com org net edu gov mil int info biz name pro coop museum aero jobs eu uk example io dev app tech ai online "
    "mail test email cloud blog site website page link click store shop xyz design studio agency digital academy works "
    "world space live life art engineer engineering systems solutions consulting software services group media "
    "team network today zone house photo photography education university school health care law legal finance "
    "bank ngo mobi asia africa gmbh ltd inc llc berlin wien koeln hamburg bayern paris london madrid barcelona "
    "amsterdam tokyo nyc cat swiss lat".split()
)
_PAGE_ENDINGS = {"com", "org", "net", "io", "dev", "de", "fr", "es"}
_ICONS = re.compile(r"^[\u2190-\u2bff\ue000-\uf8ff\U0001f300-\U0001faff]+")
_MOST_LINES = 3
_NEAR = 200
"""So many rows tell how wide a column is; a document may have thousands."""
_WHOLE = re.compile(r"^(?:https?://|www\.|[\w.+-]+@)|^[\w-]+\.(?:com|org|net|io|dev)/")


def join_broken(rows: Sequence[Row]) -> Iterator[Piece]:
    """Give the rows, those joined that are one address: cut off at the column's edge, or behind a mark."""
    at = 0
    while at < len(rows):
        lines = 1
        while lines < _MOST_LINES and at + lines < len(rows) and _is_broken(rows, at + lines - 1):
            lines += 1
        pieces: Sequence[Piece] = rows[at : at + lines]
        yield reduce(_join, pieces)
        at += lines


def _is_broken(rows: Sequence[Row], at: int) -> bool:
    row, following = rows[at : at + 2]
    tail, rest = _ICONS.sub("", row.words[-1].text), following.text
    if row.column != following.column or len(following.words) > 1 or not _TOKEN.match(rest):
        return False
    if _ends_sentence(row, following):
        return False
    if _WHOLE.match(rest) and not _is_begun(tail, rest, is_alone=len(row.words) == 1):
        return False
    if not _TOKEN.match(tail) or not re.search(r"[.@/]", tail + rest):
        return False
    if "/" in tail and tail[-1].isalnum() and _DOMAIN.match(rest):
        return False
    marked = tail[-1] in "-/_." and len(tail) > 1
    full = len(tail) > 8 and _width(row) > _find_room(rows, at) - 0.7 * row.size  # noqa: PLR2004 - a broken word is long
    return marked or rest.startswith(".") or (full and not _is_whole(tail, rest) and not rest[0].isupper())


def _is_begun(tail: str, rest: str, *, is_alone: bool) -> bool:
    """What looks like a whole address may have begun above: behind a mark, or alone, in small letters, up to the edge."""
    if "@" not in rest or "@" in tail:
        return False
    ending = tail.rpartition(".")[2]
    return (tail[-1:] in "_." and len(tail) > 1) or (
        is_alone and _LOCAL.fullmatch(tail) is not None and ("." not in tail or ending not in _ENDINGS)
    )


def _find_room(rows: Sequence[Row], at: int) -> float:
    """Give the width of the lines above and below a row: beside them may stand others, which count as their column."""
    row, box = rows[at], rows[at].line.box
    near = rows[max(0, at - _NEAR) : at + _NEAR]
    alike = (other for other in near if other.column == row.column and other.size == row.size)
    return max(_width(one) for one in alike if one.line.box.left < box.right and box.left < one.line.box.right)


def _width(row: Row) -> float:
    return row.line.box.right - row.line.box.left


def _is_whole(tail: str, rest: str) -> bool:
    """An address ends with an ending that there is, unless what stands below makes another one of it."""
    ending = tail.rpartition(".")[2].casefold()
    if "." not in tail or _is_ending_cut(tail, rest):
        return False
    if "@" in tail:
        return ending in _ENDINGS or len(ending) == 2  # noqa: PLR2004 - a country
    return ending in _PAGE_ENDINGS


def _is_ending_cut(tail: str, rest: str) -> bool:
    """No domain ends with what is left of the line, and one does with the next line: "mail.exam", "ple"."""
    ending = tail.rpartition(".")[2].casefold()
    is_next = rest.isalpha() and ending + rest.casefold() in _ENDINGS
    return is_next and (ending not in _ENDINGS or len(rest) == 1)


def _ends_sentence(row: Row, following: Row) -> bool:
    """A full stop behind many words ends a sentence; a label before half an address has few."""
    apart = following.line.box.top - row.line.box.bottom > row.size
    return row.words[-1].text.endswith(".") and (apart or len(row.words) > _LABEL_WORDS)


def _join(above: Piece, following: Piece) -> Piece:
    """A hyphen in front of a domain was set by the hyphenation."""
    text = above.text
    if text.endswith("-") and "/" not in above.words[-1].text and re.search(r"[.@]", following.text):
        text = text[:-1]
    return Piece(text + following.text, (*above.words, *following.words))
