"""The fields of a resume as a page shows them: by sections, under words that people use. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_PATH = re.compile(r"(?P<section>[A-Za-z]+)(?:\[(?P<index>\d+)\])?\.?(?P<rest>.*)")
_WORDS = {"studyType": "degree", "countryCode": "country", "label": "title", "area": "subject", "work.name": "employer"}
# As people would tell it; what is not named here follows, by its name.
_SECTIONS = ("basics", "work", "education", "skills", "languages", "projects", "certificates")
_ORDER = ("name", "label", "position", "institution", "studyType", "area", "email", "phone", "startDate", "endDate")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Sections whose entries are one word each stand together.
_SHORT = ("name", "")


class Line(Struct, frozen=True, kw_only=True):
    """One field: where it is in the profile, and what people call it."""

    path: str
    label: str
    field: Any


class Section(Struct, frozen=True, kw_only=True):
    """Fields that belong together."""

    key: str
    title: str
    lines: list[Line]


def group_fields(fields: Mapping[str, Any]) -> list[Section]:
    """Put sections in the order of a resume, then others by their names; ten after nine."""
    found: dict[str, Section] = {}
    for path in sorted(fields, key=_in_order):
        section, index, rest = _take_apart(path)
        is_short = index and rest in _SHORT and not _has_more(fields, section)
        key = section if is_short or not index else f"{section}-{index}"
        number = "" if is_short or not index else f" {int(index) + 1}"
        label = f"{int(index) + 1}" if is_short else _WORDS.get(f"{section}.{rest}") or say(rest or section)
        group = found.setdefault(key, Section(key=key, title=f"{say(section).capitalize()}{number}", lines=[]))
        group.lines.append(Line(path=path, label=label, field=fields[path]))
    return list(found.values())


def say(name: str) -> str:
    """Write the name of a field as words: `location.countryCode` is a country."""
    last = name.rpartition(".")[2].partition("[")[0]
    index = re.search(r"\[(\d+)\]$", name)
    words = _WORDS.get(last) or _CAPITAL.sub(" ", last).lower()
    return f"{words} {int(index[1]) + 1}" if index else words


def _has_more(fields: Mapping[str, Any], section: str) -> bool:
    return any(one == section and rest not in _SHORT for one, _, rest in map(_take_apart, fields))


def _take_apart(path: str) -> tuple[str, str, str]:
    found = _PATH.match(path)
    return (path, "", "") if found is None else (found["section"], found["index"] or "", found["rest"])


def _in_order(path: str) -> tuple[int, str, int, int, str]:
    section, index, rest = _take_apart(path)
    place = _ORDER.index(rest) if rest in _ORDER else len(_ORDER)
    first = _SECTIONS.index(section) if section in _SECTIONS else len(_SECTIONS)
    return first, section, int(index or 0), place, rest
