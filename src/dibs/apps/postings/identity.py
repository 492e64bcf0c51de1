"""When two postings are the same: by id, by company, title and place, by their text. Pure."""

import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b

from msgspec import Struct

from dibs.apps.postings.model import Posting, Workplace

_FORMS = """
inc incorporated llc llp ltd limited plc corp corporation co company gmbh ag kg se ug ohg mbh sa sas sarl srl spa bv nv
ab as asa oy oyj aps pty pte kk holding holdings group international
"""
_LEGAL = frozenset(_FORMS.split())
_ASIDE = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]")
_GENDERS = re.compile(
    r"\b[mfwdxhg]\s?[/|*]\s?[mfwdxhg](?:\s?[/|*]\s?[mfwdxhg*])*|\b(?:all genders|h/f|f/h)\b|[:*]in(?:nen)?\b"
)
_NUMBERED = re.compile(r"(?:\b(?:req|ref|job|id)\b|#)[\s.#:-]*[a-z]{0,3}-?\d{3,}\b")
_WORDS = re.compile(r"[^\W_]+(?:[+#]+)?")
_SAME_WORDS = {
    "sr": "senior", "snr": "senior", "jr": "junior", "jnr": "junior", "eng": "engineer", "engr": "engineer",
    "dev": "developer", "mgr": "manager", "mgmt": "management", "swe": "software engineer", "sde": "software engineer",
    "ux": "ux", "vp": "vice president", "assoc": "associate", "asst": "assistant", "admin": "administrator",
    "ops": "operations", "fullstack": "full stack", "frontend": "front end", "backend": "back end", "devops": "devops",
}  # fmt: skip
_NOISE = frozenset(
    {"remote", "hybrid", "onsite", "fulltime", "parttime", "vollzeit", "teilzeit", "home", "office", "homeoffice"}
)
SHINGLE = 4
HASHES = 64
SIMILAR = 0.8
_LEAST_WORDS = 40
_MASK = (1 << 32) - 1
# Odd multipliers and offsets that make 64 hashes out of one; fixed, because sketches are stored.
_TURNS = tuple(
    (int.from_bytes(blake2b(f"turn {number}".encode(), digest_size=4).digest(), "big") | 1, number * 0x9E3779B1 & _MASK)
    for number in range(HASHES)
)


class Ring(StrEnum):
    """How two postings are akin, from the surest to the vaguest."""

    POSTING = "posting"
    ROLE = "role"
    TEXT = "text"


class Whereabouts(Struct, frozen=True, kw_only=True):
    """Where a posting is for."""

    places: frozenset[str]
    is_anywhere: bool


class Face(Whereabouts, frozen=True, kw_only=True):
    """What postings are compared by."""

    board: str
    external_id: str
    company: str
    title: str
    sketch: bytes

    @property
    def role(self) -> str:
        """Company and title as one key. Without the place: one role in three cities is one role."""
        return f"{self.company}|{self.title}" if self.company and self.title else ""


def describe(board: str, posting: Posting, aliases: Mapping[str, str] | None = None) -> Face:
    """Take from a posting what it is compared by; `aliases` say which companies are one."""
    company, where = company_key(posting.company or ""), locate(posting)
    return Face(
        board=board,
        external_id=posting.external_id,
        company=(aliases or {}).get(company, company),
        title=title_key(posting.title, [place.city or place.name for place in posting.places]),
        places=where.places,
        is_anywhere=where.is_anywhere,
        sketch=sketch(posting.text),
    )


def locate(posting: Posting) -> Whereabouts:
    """Take from a posting where it is for."""
    return Whereabouts(
        places=frozenset(filter(None, (place_key(place.city or place.name) for place in posting.places))),
        is_anywhere=posting.workplace is Workplace.REMOTE or not posting.places,
    )


def find_ring(one: Face, other: Face) -> Ring | None:
    """Tell how two postings are akin; None: they are not."""
    if (one.board, one.external_id) == (other.board, other.external_id):
        return Ring.POSTING
    if one.role and one.role == other.role:
        return Ring.ROLE
    return Ring.TEXT if similarity(one.sketch, other.sketch) >= SIMILAR else None


def share_place(one: Whereabouts, other: Whereabouts) -> bool:
    """Tell whether two postings of one role are for the same place, as far as anybody can see."""
    return one.is_anywhere or other.is_anywhere or bool(one.places & other.places)


def company_key(name: str) -> str:
    """Write a company's name without legal forms, case, accents and signs: `Héron, Inc.` is `heron`."""
    words = _WORDS.findall(_plain(name.replace("&", " and ").replace(".", "")))
    kept = [word for word in words if word not in _LEGAL] or words
    return " ".join(kept)


def title_key(title: str, cities: list[str] | None = None) -> str:
    """Write a title without genders, numbers of requisitions, places and ways of working, in whole words."""
    plain = _ASIDE.sub(" ", _GENDERS.sub(" ", _NUMBERED.sub(" ", _plain(title))))
    words = [part for word in _WORDS.findall(plain) for part in _SAME_WORDS.get(word, word).split()]
    away = {word for city in cities or [] for word in _WORDS.findall(_plain(city.split(",")[0]))}
    kept = [word for word in words if word not in _NOISE and word not in away]
    return " ".join(kept or words)


def place_key(name: str) -> str:
    """Write a place by its first part: `Berlin, Germany` and `BERLIN` are one."""
    words = _WORDS.findall(_plain(name.split(",", maxsplit=1)[0]))
    return " ".join(word for word in words if word not in _NOISE)


def sketch(text: str) -> bytes:
    """Draw 64 bytes by which texts are compared; nothing for a text that is too short to say anything.

    One byte of the least hash of all runs of four words, for each of 64 ways of hashing.
    """
    words = _WORDS.findall(_plain(text))[:20_000]
    if len(words) < _LEAST_WORDS:
        return b""
    runs = {" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1)}
    seeds = [int.from_bytes(blake2b(run.encode(), digest_size=4).digest(), "big") for run in runs]
    return bytes(min((seed * turn + offset) & _MASK for seed in seeds) >> 8 & 0xFF for turn, offset in _TURNS)


def similarity(one: bytes, other: bytes) -> float:
    """Estimate which part of two texts is common; 0 where there is nothing to compare."""
    if len(one) != HASHES or len(other) != HASHES:
        return 0.0
    # All bytes in one step: a claim is compared with thousands of texts.
    differing = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    equal = differing.to_bytes(HASHES, "big").count(0)
    # One in 256 agrees by chance.
    return max(0.0, (equal / HASHES - 1 / 256) / (1 - 1 / 256))


def _plain(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text[:200_000].casefold())
    return "".join(letter for letter in spread if not unicodedata.combining(letter))
