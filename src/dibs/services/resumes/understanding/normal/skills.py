"""Skills, and their names in ESCO.

`data/skills.txt` is our own list of names and aliases, `data/esco.txt` what ESCO calls them (see NOTICE).
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_ESCO = "http://data.europa.eu/esco/skill/"
# Short names that mean this only beside others of their field.
_BY_CONTEXT = {
    "ml": {"python", "r", "data", "sql", "tensorflow", "pytorch", "scikit-learn", "ai", "nlp", "spark", "pandas", "java", "cloud"},
    "pr": {"marketing", "social media", "communication", "copywriting", "events", "press"},
    "ai": {"python", "data", "ml", "machine learning", "tensorflow", "pytorch", "nlp", "java", "sql", "c++"},
}  # fmt: skip
_SMALL = {"pandas", "dbt", "scikit-learn", "pytest", "gRPC", "iOS", "jQuery", "macOS"}
_LONGEST = 4
_JOINERS = {"&", "+", "/", "and", "und", "et", "y"}
"""What stands around these is one thing: "HTML & CSS"."""


class Known(NamedTuple):
    """A skill's name in the taxonomy, and its address there."""

    name: str
    reference: str | None


@cache
def _table() -> dict[str, Known]:
    data = files("dibs.services.resumes.understanding") / "data"
    esco: dict[str, tuple[str, str]] = {}
    for line in (data / "esco.txt").read_text(encoding="utf-8").splitlines():
        uri, label, *names = line.split("|")
        for name in (label, *names):
            esco.setdefault(name.casefold(), (label, _ESCO + uri))
    table: dict[str, Known] = {}
    for line in (data / "skills.txt").read_text(encoding="utf-8").splitlines():
        names = line.split("|")
        address = next((esco[name.casefold()][1] for name in names if name.casefold() in esco), None)
        table.update({name.casefold(): Known(names[0], address) for name in names})
    return {name: Known(label, uri) for name, (label, uri) in esco.items()} | table


def find_skill(text: str, beside: Sequence[str] = ()) -> Known | None:
    """Find a skill by any of its names. What is ambiguous is only found beside skills of its field."""
    plain = text.casefold().strip(" .")
    if plain in _BY_CONTEXT and not _BY_CONTEXT[plain] & {other.casefold() for other in beside}:
        return None
    # A point in front may belong to the name: .NET.
    return _table().get(text.casefold().strip().rstrip(" .")) or _table().get(plain)


def cut_skills(words: Sequence[str]) -> list[int]:
    """Cut words that nothing parts into skills: give where each begins, or nothing where too few are known."""
    starts, known, at = [], 0, 0
    while at < len(words):
        length = _count_known(words[at:])
        if at == 0 or ((length or not words[at][0].islower()) and not _JOINERS.intersection(words[at - 1 : at + 1])):
            starts.append(at)
        known += length
        at += length or 1
    return starts if len(starts) > 1 and known >= 0.6 * len(words) else []


def _count_known(words: Sequence[str]) -> int:
    """Count the words of the longest skill at the front. A small letter hardly begins one."""
    if words[0][0].islower() and words[0] not in _SMALL:
        return 0
    lengths = range(min(_LONGEST, len(words)), 0, -1)
    return next((length for length in lengths if find_skill(" ".join(words[:length]))), 0)
