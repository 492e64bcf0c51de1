"""Whose resume it is, and what the person calls themselves."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from dibs.services.resumes.profile import Field
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.organisations import judge_organisation
from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.person.around import in_order, is_labelled, strip_around
from dibs.services.resumes.understanding.sections.rows import Looks, Piece, Row, join_pieces
from dibs.services.resumes.understanding.sections.wording import find_exact, simplify

_WORD = re.compile(r"^[^\W\d_][^\W\d_.'’\-]*(?:[.'’\-][^\W\d_]*)*\.?,?$")
_CALLED = re.compile(r"""^["“”„«(']([^"“”„«»()']+)["“”»)'],?$""")
_PARTICLES = {
    "de",
    "da",
    "di",
    "del",
    "della",
    "van",
    "von",
    "der",
    "den",
    "la",
    "le",
    "dos",
    "das",
    "los",
    "las",
    "do",
    "du",
    "des",
    "san",
    "zur",
    "bin",
    "ibn",
    "al",
    "el",
    "y",
    "e",
    "zu",
    "ter",
    "ten",
    "af",
    "av",
}
_DOCUMENT = {
    "curriculum vitae",
    "cv",
    "resume",
    "lebenslauf",
    "bewerbung",
    "curriculum",
    "hoja de vida",
    "personal details",
    "bewerbungsunterlagen",
}
_NAMED = re.compile(
    r"(?:full ?|first ?|last ?|sur)?names?(?: ?(?:and|/|&) ?(?:sur|last ?)names?)?|(?:vor|nach)?name|(?:vor-? ?(?:und|/|,|&) ?nach|nach-? ?(?:und|/|,|&) ?vor)name"
    r"|nombres?(?: (?:completo|y apellidos?))?|apellidos?(?:(?: y|,) nombres?)?|nom(?:s)?(?: (?:et )?prénom)?|prénom(?:s)?(?: et nom)?",
    re.IGNORECASE,
)  # fmt: skip
_LOOKED_AT = 40
_SHORTEST_PART = 3
_LOWEST = 1.0
_UNDOUBTED = 0.8
_FEWEST_WORDS, _MOST_WORDS = 2, 5
_ORGANISATION = 0.5
_LARGE = 18.0
_CLOSE = 0.6
_STACKED = 3
_LARGER = 1.3
_LONGER = 0.1
_LONGEST = 0.3
_TOLD = 0.6
_LONGEST_LABEL = 7
_LOW = 0.4
_SENTENCE = re.compile(r"[a-zà-ÿ]{3}\.$|, [a-zà-ÿ]+ ")
_STACKED_SIZE = 14.0
_BETWEEN = 12
_SMALLER = 0.75
_MIXED = 0.6
_LOW_LETTERS = 1.8


class Found(NamedTuple):
    score: float
    piece: Piece
    row: Row


def find_name(rows: Sequence[Row], looks: Looks, emails: Sequence[Field]) -> Found | None:
    """Find the person's name: set large, near the top, made of names, and often in the address of the mail."""
    found = []
    for index, row in enumerate(rows[:_LOOKED_AT]):
        if _is_named(row):
            continue
        below = _find_below(rows, index, looks)
        for piece in _candidates(row, below):
            score = _judge(piece, row, looks, emails) - _lowness(row)
            more = len(piece.words) - len(row.words) if row.size > _LARGER * looks.size else 0
            score += min(_LONGER * max(more, 0), _LONGEST) + _TOLD * (index > 0 and _is_named(rows[index - 1]))
            if score >= _LOWEST:
                found.append(Found(score, piece, row))
    return max(found, key=lambda one: one.score, default=None) or _find_unmarked(rows, looks, emails)


def _find_below(rows: Sequence[Row], index: int, looks: Looks) -> Sequence[Row]:
    """Give the rows that may go on with a name. Contacts beside large letters may be read between their lines."""
    row, near = rows[index], rows[index + 1 : index + 1 + _BETWEEN]
    if row.size <= _LARGER * looks.size or not near or near[0].size == row.size:
        return near[:2]
    return [other for other in near if other.size == row.size and _is_under(row, other)][:2] or near[:2]


def _is_under(row: Row, other: Row) -> bool:
    one, two = row.line.box, other.line.box
    close = 0 <= two.top - one.top < (1 + _CLOSE) * (one.bottom - one.top)
    return one.page == two.page and close and two.left < one.right and one.left < two.right


def _is_named(row: Row) -> bool:
    """Tell whether a row only says that a name follows, as the cell before it in a form."""
    return bool(_NAMED.fullmatch(row.text.strip(" :")))


def _find_unmarked(rows: Sequence[Row], looks: Looks, emails: Sequence[Field]) -> Found | None:
    """Where no letters are larger than others, as in plain text, a name is the first thing that is said."""
    first = next((row for row in rows if simplify(row.text) not in _DOCUMENT), None)
    if first is None or any(row.size > looks.size for row in rows):
        return None
    piece = strip_around(first)
    named = _FEWEST_WORDS <= len(piece.words) <= _MOST_WORDS and _judge(piece, first, looks, emails) >= _UNDOUBTED
    return Found(_LOWEST, piece, first) if named and judge_organisation(piece.text) < _ORGANISATION else None


def _lowness(row: Row) -> float:
    """A name stands high on the first page, in whatever column."""
    return min(0.9, row.line.box.top / 500) + (row.line.box.page > 1)


def _candidates(row: Row, below: Sequence[Row]) -> list[Piece]:
    stacked = _stack([row, *below])
    if stacked is not None and below[0].text.endswith("-"):
        return [stacked]
    pieces = _split_name(row, below[0] if below else None)
    return pieces if stacked is None else [*pieces, stacked]


def _split_name(row: Row, following: Row | None) -> list[Piece]:
    cut = _cut_at_look(row)
    if cut and _title_behind(row, len(cut[0].words), following):
        return cut
    whole = strip_around(row)
    split = [strip_around(part) for part in row.parts]
    pieces = split if any(len(part.words) > 1 for part in split) else [whole, *split]
    pieces += [
        strip_around(row.cut(0, row.text.find(mark)))
        for mark in (" | ", " – ", " - ", ", ", " — ", " · ")
        if mark in row.text
    ]
    pieces += [*cut, *_cut_large(row)]
    if following is not None and _may_go_on(row, following):
        joined = _join_names(_get_large(row), _get_large(following))
        return [joined] if row.text.endswith("-") else [*pieces, joined]
    return pieces


def _cut_at_look(row: Row) -> list[Piece]:
    """A name may be followed on its line by what somebody is, in smaller or paler letters."""
    first = row.words[0]
    count = next((i for i, word in enumerate(row.words) if (word.size, word.color) != (first.size, first.color)), 0)
    smaller = count > 1 and row.words[count].size <= first.size
    return (
        [strip_around(Piece(" ".join(word.text for word in row.words[:count]), row.words[:count]))] if smaller else []
    )


def _cut_large(row: Row) -> list[Piece]:
    """What stands beside a name in small letters is read with it where nothing parts them."""
    large = [word for word in row.words if word.size == row.size]
    at = row.words.index(large[0])
    beside = len(large) < len(row.words) and row.words[at : at + len(large)] == tuple(large)
    is_small = all(word.size < _SMALLER * row.size for word in row.words if word.size != row.size)
    return [strip_around(Piece(" ".join(word.text for word in large), large))] if beside and is_small else []


def _get_large(row: Row) -> Piece:
    """Give the large letters of a row, or all of it where none are larger."""
    return next(iter(_cut_large(row)), row)


def _title_behind(row: Row, count: int, following: Row | None) -> Piece | None:
    """What somebody is may begin behind the name in smaller letters and go on in the next line."""
    rest = row.without(count)
    if following is None or not rest.words or not rest.words[0].size == following.size < row.size:
        return None
    whole = join_pieces([rest, following])
    return whole if judge_title(whole.text) >= 1 and following.gap < _CLOSE * row.size else None


def _may_go_on(row: Row, following: Row) -> bool:
    """A name may take two lines: two short ones, or, in letters larger than text ever is, a long one."""
    if following.size != row.size:
        return _are_two_sizes(row, following)
    close = following.starts_bold == row.starts_bold and following.gap < _CLOSE * row.size
    most = (4, 3) if row.size >= _LARGE and close else (2, 2)
    return len(_main_words(_get_large(row))) <= most[0] and len(_main_words(_get_large(following))) <= most[1]


def _are_two_sizes(row: Row, following: Row) -> bool:
    """A given name may be set larger or smaller than the family's below it."""
    large = min(row.size, following.size) >= _STACKED_SIZE and following.gap < _CLOSE * max(row.size, following.size)
    return (
        large
        and len(row.words) == 1
        and len(_main_words(following)) <= _FEWEST_WORDS
        and judge_title(following.text) <= 0
    )


def _stack(rows: Sequence[Row]) -> Piece | None:
    """In a narrow panel each word of a name may have a line of its own."""
    if len(rows) < _STACKED or rows[0].size < _STACKED_SIZE or any(len(_main_words(row)) > 1 for row in rows):
        return None
    looks = {(row.size, row.starts_bold, row.column) for row in rows}
    close = all(row.gap < _CLOSE * row.size for row in rows[1:])
    return _join_names(_join_names(rows[0], rows[1]), rows[2]) if len(looks) == 1 and close else None


def _main_words(row: Piece) -> list[str]:
    return [word.text for word in row.words if word.text.casefold() not in _PARTICLES]


def _join_names(row: Piece, following: Piece) -> Piece:
    """A double name may be broken behind its hyphen."""
    joined = join_pieces([row, following])
    return Piece(joined.text.replace("- ", "-", 1), joined.words) if row.text.endswith("-") else joined


def _judge(piece: Piece, row: Row, looks: Looks, emails: Sequence[Field]) -> float:
    text = piece.text.strip()
    words = text.split()
    if not 1 <= len(words) <= 6 or simplify(text) in _DOCUMENT or (row.bullet and row.size <= looks.size):  # noqa: PLR2004 - names
        return 0.0
    if not piece.words:
        return 0.0
    largest = max(piece.words, key=lambda word: word.size)
    ratio = largest.size / looks.size
    if not all(_is_word(word) for word in words) or not (_is_capital(words) or _is_set_low(words, ratio)):
        return 0.0
    score = 0.8 + min(max(ratio - 1, 0), 1.6) * 1.2 + 0.25 * largest.bold
    score += 1.4 * _matches(words, emails) - 0.9 * (judge_title(text) > 0.5) - 0.8 * (judge_place(text) > 0.5)  # noqa: PLR2004
    score -= (
        2.0 * (bool(find_exact(text)) or _are_headings(words))
        + 0.4 * (len(words) == 1)
        + 0.5 * (words[-1].casefold() in _PARTICLES)
    )
    return score + _TOLD * is_labelled(row.text) - _MIXED * _is_mixed(piece)


def _is_mixed(piece: Piece) -> bool:
    """Tell whether large and small letters stand on one line: a name, and something beside it."""
    sizes = [word.size for word in piece.words]
    return len(piece.boxes) == 1 and min(sizes) < _SMALLER * max(sizes)


def _are_headings(words: Sequence[str]) -> bool:
    """Tell whether two headings stand side by side: "Contact", "Skills"."""
    halves = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    return any(find_exact(first) and find_exact(second) for first, second in halves)


def _is_word(word: str) -> bool:
    """Tell whether a word may be part of a name: letters with the marks that scripts set on them, or what one is called."""
    called = _CALLED.match(word)
    bare = "".join(char for char in (called[1] if called else word) if not unicodedata.category(char).startswith("M"))
    return bool(_WORD.match(bare))


def _is_capital(words: Sequence[str]) -> bool:
    # Not every script has capitals.
    return all(not word[0].islower() or word.casefold() in _PARTICLES for word in words) and words[0][0].isalpha()


def _is_set_low(words: Sequence[str], ratio: float) -> bool:
    """Some set a name in small letters, if in very large ones."""
    return ratio > _LOW_LETTERS and _FEWEST_WORDS <= len(words) <= _MOST_WORDS and all(word.islower() for word in words)


def _matches(words: Sequence[str], emails: Sequence[Field]) -> float:
    """Say how much of a name stands in an address."""
    best = 0.0
    for email in emails:
        local = simplify(email.value.split("@")[0]).replace(" ", "")
        parts = [simplify(word).replace(" ", "") for word in words]
        variants = [_umlauts(word) for word in words]
        hits = [
            part
            for part, other in zip(parts, variants, strict=True)
            if len(part) >= _SHORTEST_PART and (part in local or other in local)
        ]
        best = max(best, min(1.0, 0.55 * len(hits)))
    return best


def _umlauts(word: str) -> str:
    written = word.casefold()
    for letter, pair in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ø", "oe"), ("å", "aa")):
        written = written.replace(letter, pair)
    return simplify(written).replace(" ", "")


def make_name(found: Found | None) -> Field | None:
    if found is None:
        return None
    text = found.piece.text.strip(" ,|–-")
    shown = in_order(text)
    if text.isupper() or text.islower() or shown != text:
        shown = " ".join(_titled(word) if word.isupper() or word.islower() else word for word in shown.split())
    return make_field(found.piece, min(0.98, 0.5 + 0.2 * found.score), value=shown)


def _titled(word: str) -> str:
    if word.casefold() in _PARTICLES:
        return word.lower()
    return re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), word)


def find_label(rows: Sequence[Row], name: Found | None) -> Field | None:
    """Find the title under the name: the first line near it that is one."""
    if name is None:
        return None
    at = next((index for index, row in enumerate(rows) if row is name.row), 0)
    if broken := _title_behind(name.row, len(name.piece.words), next(iter(rows[at + 1 : at + 2]), None)):
        return make_field(broken, 0.8)
    near = [*rows[at : at + 5], *rows[max(at - 2, 0) : at]]
    for row in (row for row in near if not _is_told(row)):
        told = name.piece.text if row is name.row and row.text.startswith(name.piece.text) else ""
        for piece in _split(row.without(len(name.piece.words)) if told and told != row.text else row):
            if piece.text not in name.piece.text and judge_title(piece.text) >= 1 and not row.spans:
                return make_field(piece, 0.8)
    return None


def _is_told(row: Row) -> bool:
    """Tell whether a row tells of the person in a sentence, which may begin with a title."""
    listed = any(char.isdigit() or char in "@|•·" for char in row.text)
    runs = sum(word.text[0].islower() for word in row.words) >= _LOW * len(row.words) and not row.is_bold
    return len(row.words) > _LONGEST_LABEL and not listed and (runs or bool(_SENTENCE.search(row.text)))


def _part_by_size(piece: Piece) -> list[Piece]:
    runs = [list(run) for _, run in groupby(piece.words, key=lambda word: word.size)]
    return [Piece(" ".join(word.text for word in run), run) for run in runs]


def _split(row: Row) -> list[Piece]:
    pieces = []
    for part in (sized for whole in row.parts for sized in _part_by_size(whole)):
        at = 0
        for match in re.finditer(r"\s+[|•·]\s+|\s+[–—-]\s+|,\s+", part.text):
            pieces.append(part.cut(at, match.start()))
            at = match.end()
        pieces.append(part.cut(at, len(part.text)))
    return [piece.strip(" |•·–—-,") for piece in pieces if piece.text]
