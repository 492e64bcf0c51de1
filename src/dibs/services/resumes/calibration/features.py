"""What speaks for a field beside its own score: the company it keeps in its entry and in the document."""

import math
import re
from collections.abc import Iterator
from itertools import groupby

from dibs.services.resumes.document import Document, Kind
from dibs.services.resumes.profile import Field, Profile

NAMES = ("one", "score", "sure", "scanned", "marked_up", "entry", "document", "length", "commas", "digits", "repeated")
"""The features in the order of the weights; `one` is the constant of the formula."""
_LEAST, _MOST = 0.02, 0.98
_SURE = 0.9
_PARTED = re.compile(r"[,;|]|\s[-\u2013\u2014]\s")
_CORE = {
    "work": ("name", "position", "startDate"),
    "education": ("institution", "studyType", "endDate"),
    "basics": ("name", "email", "phone"),
}

Vector = tuple[float, ...]


def make_features(profile: Profile, document: Document) -> Iterator[tuple[str, Field, Vector]]:
    """Each field with its path and what is known about it."""
    listed = list(profile.fields())
    entries = {entry: dict(inside) for entry, inside in groupby(listed, key=lambda pair: _entry_of(pair[0]))}
    complete = {entry: _find_completeness(entry, fields) for entry, fields in entries.items()}
    careers = [share for entry, share in complete.items() if entry.startswith(("work", "education"))]
    whole = sum(careers) / len(careers) if careers else 0.0
    scanned = float(any(page.scanned for page in document.pages))
    marked_up = float(document.kind in (Kind.HTML, Kind.DOCX))
    values = [field.value for _, field in listed]
    for path, field in listed:
        repeated = float(values.count(field.value) > 1)
        told = (scanned, marked_up, complete[_entry_of(path)], whole, *_look(field.value), repeated)
        yield path, field, (1.0, *_weigh(field.confidence), *told)


def _entry_of(path: str) -> str:
    """`work[0]` of `work[0].position`, `basics` of `basics.location.city`."""
    return path.partition(".")[0]


def _find_completeness(entry: str, fields: dict[str, Field]) -> float:
    core = _CORE.get(entry.partition("[")[0])
    if core is None:
        return 1.0
    return sum(f"{entry}.{name}" in fields for name in core) / len(core)


def _weigh(score: float) -> tuple[float, float]:
    kept = min(max(score, _LEAST), _MOST)
    return math.log(kept / (1 - kept)), float(score >= _SURE)


def _look(value: str) -> tuple[float, float, float]:
    """A long value, one of several parts, one with numbers in it: each is more often two things in one."""
    words = len(value.split())
    return math.log1p(words), float(bool(_PARTED.search(value))), float(bool(re.search(r"\d", value)))
