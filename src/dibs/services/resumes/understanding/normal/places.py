"""Whether a text is a place, and what its parts are."""

import re
from functools import lru_cache
from typing import NamedTuple

from dibs.services.resumes.understanding.normal.gazetteer import (
    CITIES,
    CODES,
    COUNTRIES,
    REGIONS,
    STATE_NAMES,
    STATES,
    list_towns,
)
from dibs.services.resumes.understanding.normal.organisations import judge_organisation
from dibs.services.resumes.understanding.normal.titles import judge_title

_REMOTE = {
    "remote",
    "hybrid",
    "on-site",
    "onsite",
    "home office",
    "homeoffice",
    "télétravail",
    "à distance",
    "remoto",
    "worldwide",
}
_NAME = re.compile(
    r"^[A-ZÀ-ÖØ-ÞŁŚŻ][\w.'’\-]*(?: (?:[A-ZÀ-ÖØ-ÞŁŚŻ][\w.'’\-]*|de|la|le|les|am|an|der|in|im|del|los|of|upon|sur|en|di))*$"
)
_POSTAL = re.compile(
    r"^(?:[A-Z]{1,2}-)?(\d{4,6}(?:-\d{3,4})?)\s+(.+)$|^(.+?),?\s+(\d{4,6}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2})$"
)
_STREET = re.compile(
    r"\b\d+\w?\b.*\b(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|square|apt|suite)\b"
    r"|(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer)\s*\d+"
    r"|\b\d+\s*(?:bis\s+)?,?\s*(?:rue|avenue|boulevard|place|allée|impasse|chemin|quai)\b"
    r"|\b(?:calle|c/|avenida|avda|plaza|paseo|carrera|rua|via|am|an der|im)\b.*\d"
    r"|^\d{1,4}[a-z]?,? [^\W\d]{3,}(?: [^\W\d]+){0,3}$|^[^\W\d]{3,}(?:[ -][^\W\d]+){0,3} \d{1,4}[a-z]?$",
    re.IGNORECASE,
)  # fmt: skip
_CODE = re.compile(
    r"[A-Z]{0,2}-?\d{4,6}(?:-\d{3,4})?|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{2}"
)
_SITUATED = re.compile(
    r"([A-ZÀ-Ý][\w'’-]+(?: [A-ZÀ-Ý][\w'’-]+)?) (?:am|an der|im|in der|ob der|bei|sur|on|upon|de la|del) [A-ZÀ-Ý][\w'’-]+"
)
_LAST_STATE = re.compile(r" [A-Z]{2,3}$")
_LONGEST = 90
_MOST_PIECES = 6


class Parts(NamedTuple):
    address: str | None = None
    postal_code: str | None = None
    city: str | None = None
    region: str | None = None
    country: str | None = None
    country_code: str | None = None


@lru_cache(maxsize=8192)
def judge_place(text: str) -> float:
    """Say how much a text looks like a place: 0 not at all, 1 surely."""
    text = text.strip(" ()[],;·|")
    plain = text.casefold()
    if not text or len(text) > _LONGEST:
        return 0.0
    if plain in CITIES or plain in COUNTRIES or plain in _REMOTE or plain in STATE_NAMES:
        return 1.0
    if plain in list_towns() and judge_title(text) <= 0:
        return 0.75
    pieces = [piece.strip() for piece in re.split(r",|(?<!\d)/(?!\d)| - | – |\(|\)", text) if piece.strip()]
    if len(pieces) == 1:
        head, _, tail = text.rpartition(" ")
        if (tail in STATES or tail in CODES) and _NAME.match(head) and is_town(head):
            return 1.0
        if _is_situated(text):
            return 1.0
        return 0.7 if _POSTAL.match(text) and _NAME.match(_without_code(text)) else 0.0
    return _judge_pieces(pieces)


def _judge_pieces(pieces: list[str]) -> float:
    named = [piece for piece in pieces if not has_street(piece) and not _CODE.fullmatch(piece)]
    if len(pieces) > _MOST_PIECES or not named:
        return 0.0
    if not all(_NAME.match(_without_code(piece)) or piece.casefold() in _REMOTE for piece in named):
        return 0.0
    known = [_known(piece) for piece in named]
    if known[0] and (len(named) < len(pieces) or all(known) or len(named) == 2):  # noqa: PLR2004 - city and district
        return 1.0 if len(pieces) > len(named) or any(known[1:]) else 0.8
    if len(named) < len(pieces) and len(named) <= 2 and any(has_street(piece) for piece in pieces):  # noqa: PLR2004
        return 0.7
    wide = any(_is_wide(piece) for piece in named[1:])
    return 0.9 if wide and len(named[0].split()) <= 3 and _may_be_town(named[0]) else 0.0  # noqa: PLR2004 - names are short


def _may_be_town(piece: str) -> bool:
    return judge_organisation(piece) < 0.5 and judge_title(piece) <= 0  # noqa: PLR2004 - half


def _is_wide(piece: str) -> bool:
    """Tell whether a piece is a country, a region or a state."""
    plain = _without_code(piece).casefold()
    return plain in COUNTRIES or plain in STATE_NAMES or plain in REGIONS or _is_code(piece)


def _known(piece: str) -> bool:
    return _is_wide(piece) or is_town(_LAST_STATE.sub("", _without_code(piece)))


def is_town(text: str) -> bool:
    """Tell whether a text is the name of a town, perhaps with where that lies: "Freiburg im Breisgau"."""
    plain = text.casefold()
    return plain in CITIES or plain in list_towns() or _is_situated(text)


def _is_situated(text: str) -> bool:
    match = _SITUATED.fullmatch(text)
    return match is not None and (match[1].casefold() in CITIES or match[1].casefold() in list_towns())


def _is_code(piece: str) -> bool:
    first, _, code = piece.strip().partition(" ")
    # Behind a state stands its postal code: in "R/GA London" there is none.
    return first in STATES and " " not in code and (not code or any(char.isdigit() for char in code))


def _without_code(piece: str) -> str:
    match = _POSTAL.match(piece.strip())
    return (match[2] or match[3]).strip() if match else piece.strip()


def has_street(text: str) -> bool:
    return bool(_STREET.search(text))


def read_place(text: str) -> Parts:
    """Take a place apart. What is not known is taken for the city, the street first."""
    pieces = [piece.strip() for piece in re.split(r",|\n| - | – | \| |·|•|\(|\)", text) if piece.strip()]
    found: dict[str, str] = {}
    town = find_town(pieces)
    if town is not None and town > 0:
        found["address"] = ", ".join(pieces[:town])
        pieces = pieces[town:]
    for piece in pieces:
        _read_piece(piece, found)
    if "city" not in found and "country" in found and found["country"].casefold() in CITIES:
        found["city"] = found["country"]
    return Parts(**found)


def find_town(pieces: list[str]) -> int | None:
    """Give the last piece that is the name of a known town, if what stands before it may be a street."""
    for index in range(len(pieces) - 1, -1, -1):
        plain = _without_code(pieces[index]).casefold()
        if (plain in STATE_NAMES or plain in REGIONS) and index > 0 and is_town(pieces[index - 1]):
            # "Buffalo, New York", "Montréal, Québec": the state bears the name of a town.
            continue
        if (
            plain in CITIES
            or _is_situated(_without_code(pieces[index]))
            or (plain in list_towns() and plain not in STATE_NAMES and plain not in COUNTRIES)
        ):
            return index
    return None


def judge_address(text: str) -> float:
    """Say how much a text looks like an address: more freely than a place, for the head of a resume."""
    pieces = [piece.strip() for piece in re.split(r",|\(|\)", text) if piece.strip()]
    if len(text) > _LONGEST or len(pieces) > _MOST_PIECES or "@" in text or not any(char.isdigit() for char in text):
        return 0.0
    return 0.75 if find_town(pieces) else 0.0


def _read_piece(piece: str, found: dict[str, str]) -> None:
    if _CODE.fullmatch(piece) and any(char.isdigit() for char in piece):
        found.setdefault("postal_code", piece)
    elif not _read_wide(piece, found):
        _read_narrow(piece, found)


def _read_wide(piece: str, found: dict[str, str]) -> bool:
    """Take a piece for a country."""
    plain = piece.casefold()
    if "city" in found and len(piece) == 2 and piece.isupper() and piece not in STATES and piece in CODES:  # noqa: PLR2004
        found |= {"country": piece, "country_code": piece}
    elif plain in COUNTRIES and "country" not in found and (found or plain not in STATE_NAMES):
        found |= {"country": piece, "country_code": COUNTRIES[plain]}
    elif "country" in found and piece in CODES:
        found["country_code"] = piece
    else:
        return False
    return True


def _read_narrow(piece: str, found: dict[str, str]) -> None:
    plain = piece.casefold()
    if has_street(piece) and "address" not in found:
        found["address"] = piece
    elif (_is_code(piece) or plain in STATE_NAMES) and "city" in found and "region" not in found:
        code, _, rest = piece.partition(" ") if _is_code(piece) else (piece, "", "")
        found["region"] = code
        if rest.strip():
            found["postal_code"] = rest.strip()
    elif match := _POSTAL.match(piece):
        found["postal_code"] = match[1] or match[4]
        found.setdefault("city", (match[2] or match[3]).strip())
    elif "city" not in found and not any(char.isdigit() for char in piece):
        found["city"] = piece
    elif "region" not in found and not any(char.isdigit() for char in piece):
        found["region"] = piece
    elif piece.replace(" ", "").replace("-", "").isalnum() and "postal_code" not in found:
        found["postal_code"] = piece
