"""Addresses that a narrow column broke in two."""

# ruff: noqa: SIM905 - a list of names reads best as words
import re
from collections.abc import Iterator, Sequence
from functools import reduce

from dibs.services.resumes.document import Word
from dibs.services.resumes.understanding.normal.gazetteer import CODES
from dibs.services.resumes.understanding.person.cells import order_cells
from dibs.services.resumes.understanding.sections.rows import Piece, Row

SOFT = "\u00ad"
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
_ICON = r"[\u2190-\u2bff\ue000-\uf8ff\ufe0f\U0001f300-\U0001faff]+"
_ICONS, _PICTURES = re.compile(_ICON), re.compile(rf"(?:^|(?<=\s)){_ICON}|{_ICON}(?:$|(?=\s))")
_LABEL = re.compile(r"^[^\W\d_][\w-]*:(?!/)")
_MAIL = re.compile(r"e?-?mail|correo|courriel", re.IGNORECASE)
NETWORKS = frozenset(
    "bluesky facebook github gitlab instagram linkedin mastodon medium telegram threads tiktok twitter x youtube".split()
)
"""What stands above a handle is no half of an address."""
_HALF = re.compile(r"@[\w-]+\.[\w.-]*")
_MOST_LINES = 4
_NEAR = 200
"""So many rows tell how wide a column is; a document may have thousands."""
_WHOLE = re.compile(r"^(?:https?://|www\.|[\w.+-]+@)|^[\w-]+\.(?:com|org|net|io|dev)/", re.IGNORECASE)


def join_broken(rows: Sequence[Row]) -> Iterator[Piece]:
    """Give the rows, those joined that are one address: cut off at the column's edge, or behind a mark."""
    at, rows = 0, list(order_cells(rows))
    while at < len(rows):
        lines = 1
        while lines < _MOST_LINES and at + lines < len(rows) and _is_broken(rows, at + lines - 1):
            lines += 1
        pieces: Sequence[Piece] = rows[at : at + lines]
        joined = reduce(_join, map(_bare, pieces)) if lines > 1 else pieces[0]
        yield Piece(_drop_hyphen(joined.text, rows), joined.words) if SOFT in joined.text else joined
        at += lines


def _bare(piece: Piece) -> Piece:
    """Give a piece without the pictures around it."""
    words = [word for word in piece.words if not _ICONS.fullmatch(word.text)] or piece.words
    return Piece(_PICTURES.sub("", " ".join(word.text for word in words)), words)


def _is_broken(rows: Sequence[Row], at: int) -> bool:
    row, following = rows[at : at + 2]
    above, below = _bare(row), _bare(following)
    tail, rest = _LABEL.sub("", above.text.rpartition(" ")[2]), below.text
    if row.column != following.column or " " in rest or not _TOKEN.match(rest) or not _TOKEN.match(tail):
        return False
    if _ends_sentence(row, following) or not re.search(r"[.@/]", tail + rest):
        return False
    is_begun = _is_begun(tail, rest, is_alone=_is_alone(above.words), is_labelled=_is_labelled(above.words))
    if _WHOLE.match(rest) and not is_begun:
        return False
    if "/" in tail and tail[-1].isalnum() and _DOMAIN.match(rest):
        return False
    is_half = is_begun and _HALF.fullmatch(rest) is not None
    marked = (tail[-1] in "-/_.@" and len(tail) > 1) or rest.startswith(".") or is_half
    full = len(tail) > 8 and _is_full(rows, at) and (tail.isupper() or not rest[0].isupper())  # noqa: PLR2004 - a broken word is long
    return marked or (full and not _is_whole(tail, rest))


def _is_full(rows: Sequence[Row], at: int) -> bool:
    """Tell whether the next letter found no room in a row: in its column, or in a cell beside its label."""
    row, below = rows[at], rows[at + 1].words[0]
    letter = max(0.7 * row.size, (below.box.right - below.box.left) / len(below.text))
    # What has no width stands beside nothing, not even itself.
    alike = [row, *_list_alike(rows, at)]
    if _width(row) > max(map(_width, alike)) - letter:
        return True
    is_flush = abs(below.box.left - row.words[-1].box.left) < 0.1 * row.size
    return is_flush and row.line.box.right > max(one.line.box.right for one in alike) - letter


def _is_begun(tail: str, rest: str, *, is_alone: bool, is_labelled: bool) -> bool:
    """What looks like a whole address may have begun above: behind a mark, or alone, in small letters, up to the edge."""
    if "@" not in rest or "@" in tail or tail.casefold() in NETWORKS:
        return False
    if len(tail) > 1 and tail[-1] in "_.-":
        # "Ph.D." above an address is a title, "0171-" half a number.
        return (is_alone or is_labelled) and tail[0].isalpha() and (tail[0].islower() or rest[0].isupper())
    ending = tail.rpartition(".")[2]
    return is_alone and _LOCAL.fullmatch(tail) is not None and ("." not in tail or ending not in _ENDINGS)


def _is_alone(words: Sequence[Word]) -> bool:
    """Tell whether a word stands alone in its line, or behind a label."""
    return len(words) == 1 or (len(words) == 2 and (words[0].bold != words[1].bold or words[0].text.endswith(":")))  # noqa: PLR2004


def _is_labelled(words: Sequence[Word]) -> bool:
    """Tell whether a word stands behind a label, whatever stands before that."""
    return any(word.text.endswith(":") or _MAIL.fullmatch(word.text) for word in words[-2:-1])


def _list_alike(rows: Sequence[Row], at: int) -> Iterator[Row]:
    """Give the lines above and below a row: beside them may stand others, which count as their column."""
    row, box = rows[at], rows[at].line.box
    near = rows[max(0, at - _NEAR) : at + _NEAR]
    alike = (other for other in near if other.column == row.column and other.size == row.size)
    return (one for one in alike if one.line.box.left < box.right and box.left < one.line.box.right)


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
    ending, head = tail.rpartition(".")[2].casefold(), rest.partition(".")[0]
    is_next = head.isalpha() and ending + head.casefold() in _ENDINGS
    return is_next and (ending not in _ENDINGS or len(head) == 1)


def _ends_sentence(row: Row, following: Row) -> bool:
    """A full stop behind many words ends a sentence; a label before half an address has few."""
    apart = following.line.box.top - row.line.box.bottom > row.size
    return row.words[-1].text.endswith(".") and (apart or len(row.words) > _LABEL_WORDS)


def _join(above: Piece, following: Piece) -> Piece:
    """A hyphen in front of a domain was set by the hyphenation. That inside a name may be its own."""
    text = above.text
    if text.endswith("-") and "/" not in above.words[-1].text and re.search(r"[.@]", following.text):
        text = text[:-1] + (SOFT if following.text.find("@") > 0 else "")
    return Piece(text + following.text, (*above.words, *following.words))


def _drop_hyphen(text: str, rows: Sequence[Row]) -> str:
    """Names are told more than once: in addresses of pages, too."""
    name = next(part for part in text.split() if SOFT in part).partition("@")[0].replace(SOFT, "")
    is_told = any(name.casefold() in row.text.casefold() for row in rows)
    return text.replace(SOFT, "" if is_told else "-")
