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
_LONGEST = 4


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
        uri = next((esco[name.casefold()][1] for name in names if name.casefold() in esco), None)
        table.update({name.casefold(): Known(names[0], uri) for name in names})
    return {name: Known(label, uri) for name, (label, uri) in esco.items()} | table


def find_skill(text: str, beside: Sequence[str] = ()) -> Known | None:
    """Find a skill by any of its names. What is ambiguous is only found beside skills of its field."""
    plain = text.casefold().strip(" .")
    if plain in _BY_CONTEXT and not _BY_CONTEXT[plain] & {other.casefold() for other in beside}:
        return None
    return _table().get(plain)


def cut_skills(words: Sequence[str]) -> list[int]:
    """Cut words that nothing parts into skills: give where each begins, or nothing where too few are known."""
    starts, known, at = [], 0, 0
    while at < len(words):
        length = next(
            (n for n in range(_LONGEST, 0, -1) if at + n <= len(words) and find_skill(" ".join(words[at : at + n]))), 0
        )
        starts.append(at)
        known += length
        at += length or 1
    return starts if len(starts) > 1 and known >= 0.6 * len(words) else []
