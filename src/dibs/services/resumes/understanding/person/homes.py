"""Where a person lives."""

import re
from collections.abc import Iterator, Sequence

from dibs.services.resumes.profile import Field, Place
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.gazetteer import CODES, STATES
from dibs.services.resumes.understanding.normal.places import (
    has_street,
    is_town,
    judge_address,
    judge_place,
    read_place,
)
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.person.cells import SPACES
from dibs.services.resumes.understanding.person.contact import EMAIL, PHONE_LIKE
from dibs.services.resumes.understanding.sections.rows import Piece, Row

_LABEL = re.compile(
    r"^(?:e-?mail|mail|phone|tel(?:efon|éfono|ephone|éphone)?|mobile?|mobil|handy|móvil|portable|cell|fax|web(?:site|seite)?|homepage|site(?: web)?|address|adresse|anschrift|dirección|location|ort|wohnort|lieu|ciudad|city|linkedin|github|url|residence|based in|lives in|home|domicile|ville|domicilio|residencia)\s*[.:]*\s+",
    re.IGNORECASE,
)  # fmt: skip
_TOWN = re.compile(r"(?:city|town|ort|wohnort|ville|ciudad|localidad)\s*:?\s+", re.IGNORECASE)
_NAME = re.compile(r"[A-ZÀ-ÝŁŚŻČŠŽ][\w'’.-]+(?: [A-ZÀ-ÝŁŚŻČŠŽ(][\w'’.)-]+){0,3}")
_ICONS = r"[\u2190-\u2bff\ue000-\uf8ff\U0001f300-\U0001faff]"
_PHONE = r"(?<![\w/])\+?\(?\d[\d\s().-]{6,20}\d(?!\w)"
# "12 rue Saint-Denis": a street is called after the town. In English the town comes behind it: "1 Fifth Avenue New York".
_STREET = re.compile(
    r"\b(?:[Rr]ue|avenue|boulevard|bd|place|quai|[Cc]alle|[Cc]/|[Aa]venida|[Aa]vda\.?|plaza|paseo|[Rr]ua)(?: de)?$"
)
_SITE = r"(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|org|net|io|dev|example)\b(?:/\S*)?"
_CUT = re.compile(
    rf"\s*{_ICONS}\s*|\s+[|•·●◦∙▪‖¦/~⋄◇]\s+|\s+[–—]\s+|\t|\s*\|\s*|{EMAIL.pattern}|{_SITE}|{_PHONE}", re.IGNORECASE
)
_MOST_LINES = 3
_LAST_CODES = re.compile(rf"(?:,?\s+(?:{'|'.join(sorted(STATES))}))?(?:,?\s+(?:{'|'.join(sorted(CODES))}))$")


def find_location(rows: Sequence[Row]) -> Place | None:
    """Find the place that a person lives at: a line, or a part of one, that is a place and nothing else."""
    best: tuple[float, Piece] | None = None
    for index, part in enumerate(_location_parts(rows)):
        piece = part.strip(" |·•,;/")
        # "Ciudad" is the name of a line, and the beginning of towns: Ciudad de México.
        match = _LABEL.match(piece.text) if not is_town(piece.text) else None
        bare = piece.cut(match.end(), len(piece.text)) if match else piece
        bare = _without_letter(bare)
        parted = _part_town(bare)
        known = 0.9 * (parted is not bare or _is_named_town(piece.text, bare.text))
        bare = parted
        score = (
            max(judge_place(bare.text), judge_address(bare.text), known)
            + 0.3 * has_street(bare.text)
            + 0.3 * bool(match)
            - 0.01 * index
        )
        if score >= 0.5 and (best is None or score > best[0]):  # noqa: PLR2004 - half a place
            best = (score, bare)
    return _make_place(*best) if best else None


def _without_letter(piece: Piece) -> Piece:
    """Leave out a letter that stands for a word, if what is behind it is a town: "A Dresden", but "A Coruña"."""
    letter, _, rest = piece.text.partition(" ")
    is_town_behind = len(letter) == 1 and letter.isupper() and is_town(rest.partition(",")[0])
    return piece.cut(1, len(piece.text)) if is_town_behind and not is_town(piece.text.partition(",")[0]) else piece


def _part_town(piece: Piece) -> Piece:
    """Write the commas between street, town and country that some leave out: "14 Harbour Lane Bristol", "Galway IE"."""
    match = _LAST_CODES.search(piece.text)
    code = ", ".join(match[0].replace(",", " ").split()) if match else ""
    text = piece.text[: match.start()] if match else piece.text
    street, _, last = text.rpartition(",")
    words = last.split()
    for count in (3, 2, 1):
        head, tail = ", ".join(filter(None, (street, " ".join(words[:-count])))), " ".join(words[-count:])
        if (
            is_town(tail)
            and len(words) >= count
            and not _STREET.search(head)
            and (code or ("," not in text and _is_numbered(head)))
        ):
            return Piece(", ".join(filter(None, (head, tail, code))), piece.words)
    return piece


def _is_named_town(whole: str, bare: str) -> bool:
    """Tell whether a line says of a name that it is a town: "City: Warszawa"."""
    return bool(_TOWN.match(whole)) and bool(_NAME.fullmatch(bare))


def _is_numbered(text: str) -> bool:
    return has_street(text) and any(char.isdigit() for char in text)


def _location_parts(rows: Sequence[Row]) -> Iterator[Piece]:
    for index, row in enumerate(rows):
        if has_street(row.text) and not PHONE_LIKE.search(row.text):
            yield from _join_address(rows[index : index + _MOST_LINES])
        if len(row.parts) > 1 and _TOWN.match(row.text):
            yield row
        for part in row.part(SPACES):
            at = 0
            for match in _CUT.finditer(part.text):
                yield _without_title(part.cut(at, match.start()))
                at = match.end()
            yield _without_title(part.cut(at, len(part.text)))


def _join_address(rows: Sequence[Row]) -> Iterator[Piece]:
    """Put a street and its town together that stand on two lines, or on three in a narrow column."""
    joined: Piece = rows[0]
    for row in rows[1:]:
        if _CUT.search(row.text) or _LABEL.match(f"{row.text} "):
            return
        broken = is_town(f"{joined.text.rpartition(',')[2].strip()} {row.text}")
        first, last = row.text.partition(",")[0], row.text.rpartition(",")[2]
        parted = not broken and (judge_place(first) > 0 or judge_place(row.text) > 0)
        joined = Piece(
            f"{joined.text.rstrip(',')}{', ' if parted or joined.text.endswith(',') else ' '}{row.text}",
            [*joined.words, *row.words],
        )
        if judge_place(last) > 0 or re.search(r"\b\d{4,6}\b", row.text):
            yield joined
            return


def _without_title(piece: Piece) -> Piece:
    """Give the place behind what somebody is: "Civil Engineer, Lagos"."""
    at = piece.text.find(",")
    return piece.cut(at + 1, len(piece.text)) if at > 0 and judge_title(piece.text[:at]) >= 1 else piece


def _make_place(score: float, piece: Piece) -> Place:
    parts = read_place(piece.text)
    trust = min(0.93, 0.55 + 0.3 * score)

    def field(text: str | None, normal: str | None = None) -> Field | None:
        if not text:
            return None
        at = piece.text.find(text)
        return make_field(piece.cut(at, at + len(text)) if at >= 0 else piece, trust, value=normal or text)

    return Place(
        address=field(parts.address), postal_code=field(parts.postal_code), city=field(parts.city),
        region=field(parts.region), country_code=field(parts.country, parts.country_code),
    )  # fmt: skip
