"""Where the work is done: places, and whether it is done from anywhere."""

import re
from collections.abc import Iterable

from dibs.apps.postings.model import Place, Workplace
from dibs.apps.postings.reading.fields import clean_line

_BETWEEN_PLACES = re.compile(r"\s*(?:[;|•\n]|\s/\s|\s+or\s+|\s+oder\s+|\s+ou\s+)\s*")
_REMOTE = re.compile(
    r"\b(?:(?:fully[ -])?remote(?:ly)?|work from (?:home|anywhere)|anywhere|télétravail|teletravail|home[ -]?office"
    r"|remoto|remota|a distancia|homeoffice|zdaln\w+|praca zdalna|thuiswerk\w*|distans)\b|リモート|在宅|远程",
    re.IGNORECASE,
)
_HYBRID = re.compile(r"\b(?:hybrid\w*|hybride|híbrido|hibrido|ibrido|hybryd\w*)\b|ハイブリッド", re.IGNORECASE)
_ONSITE = re.compile(
    r"\b(?:on[ -]?site|in[ -]office|in[ -]person|vor ort|sur site|presencial|in sede|stacjonarn\w*)\b", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|no|non|nicht|kein|keine)\s*$", re.IGNORECASE)
MOST_PLACES = 100


def split_places(text: str | None) -> tuple[Place, ...]:
    """Take a list of places in one text apart: `Berlin; London`, `New York, NY or Remote`."""
    names = (clean_line(name) for name in _BETWEEN_PLACES.split(text or ""))
    return gather_places(Place(name=name) for name in names if name)


def make_place(city: str | None, region: str | None, country: str | None, *, name: str | None = None) -> Place | None:
    """Make a place of its parts, called by a name of its own or by its parts; None without any."""
    parts = [part for part in (city, region, country) if part]
    # Boards join parts that nobody filled in: `Köln, , Germany`.
    named = [part.strip() for part in (name or "").split(",") if part.strip()]
    called = ", ".join(named or dict.fromkeys(parts))
    return Place(name=called, city=city, region=region, country=country) if called else None


def gather_places(places: Iterable[Place | None]) -> tuple[Place, ...]:
    """Keep each place once, the one with the most parts, in the order they were named first."""
    kept: dict[str, Place] = {}
    for place in places:
        if place is None:
            continue
        key = place.name.casefold()
        if key not in kept or (kept[key].city is None and place.city is not None):
            kept[key] = place
    return tuple(kept.values())[:MOST_PLACES]


def read_workplace(*texts: str | None) -> Workplace | None:
    """Tell from words whether work is remote, hybrid or on site; None if none of them is there."""
    said = " · ".join(text for text in texts if text)[:2000]
    for pattern, workplace in ((_HYBRID, Workplace.HYBRID), (_REMOTE, Workplace.REMOTE), (_ONSITE, Workplace.ONSITE)):
        found = pattern.search(said)
        if found and not _NOT.search(said[: found.start()]):
            return workplace
    return None
