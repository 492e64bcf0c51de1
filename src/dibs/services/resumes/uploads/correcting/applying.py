"""A profile as it was read, and what people corrected: together they are what everybody sees. Pure."""

import copy
import re
from typing import Any

from msgspec import Struct

from dibs.services.resumes.embedding import list_normals, write_text
from dibs.services.resumes.understanding.normal.forms import find_normal
from dibs.services.resumes.uploads.correcting.entries import Entry, find_entry
from dibs.services.resumes.uploads.correcting.places import BASICS, Place
from dibs.services.resumes.uploads.model import Correction

Fields = dict[str, dict[str, Any]]


class Corrected(Struct, frozen=True):
    """The profile that everybody sees, and where the entries of its lists came from."""

    resume: dict[str, Any]
    entries: dict[str, list[Entry]]

    def find(self, place: Place) -> Entry | None:
        """Give the entry at a place; None where there is none."""
        entries = self.entries.get(place.section, [])
        return entries[place.index] if place.index is not None and place.index < len(entries) else None


def apply_corrections(resume: dict[str, Any], corrections: list[Correction]) -> Corrected:
    """Put corrections over a profile. An entry that is not there any more comes back as the person left it."""
    resume = copy.deepcopy(resume)
    fields: Fields = resume["meta"].get("fields", {})
    entries = {section: _open(list_at(resume, section)) for section in _list_sections(resume)}
    for one in corrections:
        if one.section == BASICS:
            _set(resume.setdefault(BASICS, {}), one.field, one.value)
            _note(fields, f"{BASICS}.{one.field}", one.value, one)
        else:
            _correct_entry(entries.setdefault(one.section, []), one)
    left = {section: [one for one in found if not one.is_removed] for section, found in entries.items()}
    for section, found in left.items():
        _put_list(resume, section, [one.plain for one in found])
        fields = _move_fields(fields, section, found)
    resume["meta"]["fields"] = fields
    if corrections:
        resume["meta"]["text"] = write_text(resume, list_normals(fields))
    return Corrected(resume, left)


def list_at(resume: dict[str, Any], section: str) -> list[dict[str, Any]]:
    """Give the entries of a section."""
    home, _, name = section.rpartition(".")
    found: list[dict[str, Any]] = (resume.get(home, {}) if home else resume).get(name, [])
    return found


def _list_sections(resume: dict[str, Any]) -> list[str]:
    lists = [name for name, value in resume.items() if isinstance(value, list)]
    return [*lists, "basics.profiles"] if resume.get(BASICS, {}).get("profiles") else lists


def _open(given: list[dict[str, Any]]) -> list[Entry]:
    return [Entry(plain=dict(one), read=dict(one), index=index, corrected={}) for index, one in enumerate(given)]


def _correct_entry(entries: list[Entry], correction: Correction) -> None:
    if correction.anchor is None:
        added = Entry(plain=dict(correction.value), added=correction.id, corrected={})
        added.corrected = dict.fromkeys(correction.value, correction)
        entries.append(added)
        return
    entry = find_entry(entries, correction.anchor)
    if entry is None:
        entry = _bring_back(entries, correction)
    if entry is None:
        return
    if correction.field:
        _set(entry.plain, correction.field, correction.value)
        entry.corrected[correction.field] = correction
    elif correction.value is None:
        entry.is_removed = True
    else:
        entry.corrected |= dict.fromkeys({*entry.plain, *correction.value}, correction)
        entry.plain = dict(correction.value)


def _bring_back(entries: list[Entry], correction: Correction) -> Entry | None:
    """Make the entry that a person saw and that reading does not give any more; None where they took it out."""
    seen = correction.anchor.get("read")
    if seen is None or (not correction.field and correction.value is None):
        return None
    entry = Entry(plain=dict(seen), read=dict(seen), index=None, corrected=dict.fromkeys(seen, correction))
    entries.append(entry)
    return entry


def _set(home: dict[str, Any], field: str, value: Any) -> None:
    *way, name = field.split(".")
    for step in way:
        home = home.setdefault(step, {})
    if value is None:
        home.pop(name, None)
    else:
        home[name] = value


def _put_list(resume: dict[str, Any], section: str, entries: list[dict[str, Any]]) -> None:
    home, _, name = section.rpartition(".")
    target = resume.setdefault(home, {}) if home else resume
    if entries:
        target[name] = entries
    else:
        target.pop(name, None)


def _move_fields(fields: Fields, section: str, entries: list[Entry]) -> Fields:
    """Name the fields of a list by where their entries stand now, and note what was corrected in them."""
    pattern = re.compile(rf"{re.escape(section)}\[(\d+)\](.*)", re.DOTALL)
    found = [(path, pattern.fullmatch(path)) for path in fields]
    moved = {path: fields[path] for path, match in found if match is None}
    by_index: dict[int, list[tuple[str, dict[str, Any]]]] = {}
    for path, match in found:
        if match is not None:
            by_index.setdefault(int(match[1]), []).append((match[2], fields[path]))
    for number, entry in enumerate(entries):
        at = f"{section}[{number}]"
        moved |= {f"{at}{rest}": told for rest, told in by_index.get(_origin(entry), [])}
        for name, correction in entry.corrected.items():
            _note(moved, f"{at}.{name}", entry.plain.get(name), correction)
    return moved


def _origin(entry: Entry) -> int:
    return -1 if entry.index is None else entry.index


def _note(fields: Fields, path: str, value: Any, correction: Correction) -> None:
    """Say of a field that a person corrected it; where it was seen in the document stays."""
    before = fields.pop(path, None)
    below = [name for name in fields if name.startswith(f"{path}[")]
    evidence = [place for name in below for place in fields.pop(name)["evidence"]]
    fields[path] = {
        "value": value,
        "confidence": 1.0,
        "evidence": evidence if before is None else before["evidence"],
        **(find_normal(re.sub(r"\[\d+\]", "", path), value) if isinstance(value, str) else {}),
        "corrected_by": correction.actor,
        "corrected_at": correction.at,
    }
