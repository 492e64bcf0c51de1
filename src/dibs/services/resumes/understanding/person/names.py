"""Whose resume it is, and what the person calls themselves."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from dibs.services.resumes.profile import Field
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.organisations import judge_organisation
from dibs.services.resumes.understanding.normal.places import judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Looks, Piece, Row, join_pieces
from dibs.services.resumes.understanding.sections.wording import find_exact, simplify

_TITLE_WORDS = r"dr|prof|(?:med|phil|jur|rer|nat|habil|h\.c)(?=\.)|mr|mrs|ms|miss|dipl\.?-ing|ing|herr|frau|m|mme|sr|sra|phd|md|mba|msc|bsc|jr|ii|iii|esq|cpa|rn|pmp"
_ADDED = re.compile(rf"^(?:(?:{_TITLE_WORDS})\.?\s+)+|(?:,\s*(?:{_TITLE_WORDS})\.?)+$", re.IGNORECASE)
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
_LABEL = re.compile(
    r"^(?:full ?name|name|nombre(?: y apellidos)?|nom(?: et prénom)?|vor- und nachname|vorname, name)\s*:\s*",
    re.IGNORECASE,
)
_CV_OF = re.compile(
    r"^(?:curriculum vitae|cv|r[ée]sum[ée]|lebenslauf)(?:\s+(?:of|von|de)|\s*[:–—|-])\s+|\s*[:–—|-]\s*(?:curriculum vitae|cv|r[ée]sum[ée]|lebenslauf)$",
    re.IGNORECASE,
)
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
        below = rows[index + 1 : index + 3]
        for piece in _candidates(row, below):
            score = _judge(piece, row, looks, emails) - _lowness(row)
            more = len(piece.words) - len(row.words) if row.size > _LARGER * looks.size else 0
            score += min(_LONGER * max(more, 0), _LONGEST) + _TOLD * (index > 0 and _is_named(rows[index - 1]))
            if score >= _LOWEST:
                found.append(Found(score, piece, row))
    return max(found, key=lambda one: one.score, default=None) or _find_unmarked(rows, looks, emails)


def _is_named(row: Row) -> bool:
    """Tell whether a row only says that a name follows, as the cell before it in a form."""
    return bool(_NAMED.fullmatch(row.text.strip(" :")))


def _find_unmarked(rows: Sequence[Row], looks: Looks, emails: Sequence[Field]) -> Found | None:
    """Where no letters are larger than others, as in plain text, a name is the first thing that is said."""
    first = next((row for row in rows if simplify(row.text) not in _DOCUMENT), None)
    if first is None or any(row.size > looks.size for row in rows):
        return None
    piece = _bare(first)
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
    whole = _bare(row)
    split = [_bare(part) for part in row.parts]
    pieces = split if any(len(part.words) > 1 for part in split) else [whole, *split]
    pieces += [
        _bare(row.cut(0, row.text.find(mark))) for mark in (" | ", " – ", " - ", ", ", " — ", " · ") if mark in row.text
    ]
    pieces += cut
    if following is not None and _may_go_on(row, following):
        joined = _join_names(row, following)
        return [joined] if row.text.endswith("-") else [*pieces, joined]
    return pieces


def _cut_at_look(row: Row) -> list[Piece]:
    """A name may be followed on its line by what somebody is, in smaller or paler letters."""
    first = row.words[0]
    count = next((i for i, word in enumerate(row.words) if (word.size, word.color) != (first.size, first.color)), 0)
    smaller = count > 1 and row.words[count].size <= first.size
    return [_bare(Piece(" ".join(word.text for word in row.words[:count]), row.words[:count]))] if smaller else []


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
        return False
    close = following.starts_bold == row.starts_bold and following.gap < _CLOSE * row.size
    most = (4, 3) if row.size >= _LARGE and close else (2, 2)
    return len(row.words) <= most[0] and len(following.words) <= most[1]


def _stack(rows: Sequence[Row]) -> Piece | None:
    """In a narrow panel each word of a name may have a line of its own."""
    if len(rows) < _STACKED or rows[0].size < _STACKED_SIZE or any(len(_main_words(row)) > 1 for row in rows):
        return None
    looks = {(row.size, row.starts_bold, row.column) for row in rows}
    close = all(row.gap < _CLOSE * row.size for row in rows[1:])
    return _join_names(_join_names(rows[0], rows[1]), rows[2]) if len(looks) == 1 and close else None


def _main_words(row: Row) -> list[str]:
    return [word.text for word in row.words if word.text.casefold() not in _PARTICLES]


def _join_names(row: Piece, following: Piece) -> Piece:
    """A double name may be broken behind its hyphen."""
    joined = join_pieces([row, following])
    return Piece(joined.text.replace("- ", "-", 1), joined.words) if row.text.endswith("-") else joined


def _bare(piece: Piece) -> Piece:
    for pattern in (_LABEL, _CV_OF, _ADDED):
        for match in list(pattern.finditer(piece.text))[::-1]:
            begin, end = match.span()
            piece = piece.cut(end, len(piece.text)) if begin == 0 else piece.cut(0, begin)
    return piece


def _judge(piece: Piece, row: Row, looks: Looks, emails: Sequence[Field]) -> float:
    text = piece.text.strip()
    words = text.split()
    if not 1 <= len(words) <= 6 or simplify(text) in _DOCUMENT or (row.bullet and row.size <= looks.size):  # noqa: PLR2004 - names
        return 0.0
    if not all(_is_word(word) for word in words) or not _is_capital(words):
        return 0.0
    ratio = max(word.size for word in piece.words) / looks.size if piece.words else 1.0
    score = 0.8 + min(max(ratio - 1, 0), 1.6) * 1.2 + 0.25 * piece.words[0].bold
    score += 1.4 * _matches(words, emails) - 0.9 * (judge_title(text) > 0.5) - 0.8 * (judge_place(text) > 0.5)  # noqa: PLR2004
    score -= 2.0 * bool(find_exact(text)) + 0.4 * (len(words) == 1) + 0.5 * (words[-1].casefold() in _PARTICLES)
    return score + _TOLD * bool(_LABEL.match(row.text))


def _is_word(word: str) -> bool:
    """Tell whether a word may be part of a name: letters with the marks that scripts set on them, or what one is called."""
    called = _CALLED.match(word)
    bare = "".join(char for char in (called[1] if called else word) if not unicodedata.category(char).startswith("M"))
    return bool(_WORD.match(bare))


def _is_capital(words: Sequence[str]) -> bool:
    # Not every script has capitals.
    return all(not word[0].islower() or word.casefold() in _PARTICLES for word in words) and words[0][0].isalpha()


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
    shown = " ".join(_titled(word) for word in text.split()) if text.isupper() else text
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


def _split(row: Row) -> list[Piece]:
    pieces = []
    for part in row.parts:
        at = 0
        for match in re.finditer(r"\s+[|•·]\s+|\s+[–—-]\s+|,\s+", part.text):
            pieces.append(part.cut(at, match.start()))
            at = match.end()
        pieces.append(part.cut(at, len(part.text)))
    return [piece.strip(" |•·–—-,") for piece in pieces if piece.text]
