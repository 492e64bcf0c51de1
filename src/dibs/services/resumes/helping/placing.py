"""The entries that a model gave, in the place of those that the rules were unsure of."""

from typing import Any

from dibs.services.resumes.embedding import list_normals, write_text
from dibs.services.resumes.helping.answers import ISO, flatten, is_in
from dibs.services.resumes.helping.questions import fields_of
from dibs.services.resumes.understanding.normal.forms import find_normal

_TRUST = 0.72
Entry = dict[str, Any]


def put_in(resume: dict[str, Any], kind: str, entries: list[dict[str, str]], section: dict[str, Any]) -> None:
    """Put entries in, with evidence and normal forms; what no model is asked for stays with the entry it tells of."""
    told = resume["meta"]["fields"]
    fields = {path: field for path, field in told.items() if not path.startswith(f"{kind}[")}
    unused: dict[int, Entry] = dict(enumerate(resume.get(kind, [])))
    placed: list[Entry] = []
    for entry in _merge(kind, entries):
        at, origin = f"{kind}[{len(placed)}].", _find_like(entry, unused)
        rest = {name: value for name, value in unused.pop(origin, {}).items() if name not in fields_of(kind)}
        fields |= {f"{at}{name}": _tell(kind, name, entry, entries, section) for name in entry}
        fields |= _move(told, f"{kind}[{origin}].", at, rest)
        placed.append(entry | rest)
    resume[kind], resume["meta"]["fields"] = placed, fields


def write_anew(resume: dict[str, Any]) -> None:
    """Write the text for an embedding anew."""
    resume["meta"]["text"] = write_text(resume, list_normals(resume["meta"]["fields"]))


def _merge(kind: str, entries: list[dict[str, str]]) -> list[Entry]:
    """Keep the first of those that say the same."""
    kept: dict[tuple[tuple[str, Any], ...], Entry] = {}
    for entry in entries:
        key = tuple(entry.items())
        if kind == "skills":
            forms = _find_forms(kind, "name", entry, entries)
            key = (("name", flatten(forms.get("normal", entry["name"]))),)
        kept.setdefault(key, entry)
    return list(kept.values())


def _find_forms(kind: str, name: str, entry: Entry, entries: list[dict[str, str]]) -> dict[str, str]:
    beside = [other[name] for other in entries if name in other and other is not entry]
    return find_normal(f"{kind}.{name}", entry[name], beside)


def _find_like(entry: Entry, unused: dict[int, Entry]) -> int:
    """Find the entry of the rules that tells of the same, by what both say; -1 where there is none."""
    shared = {
        index: sum(flatten(str(other.get(name, ""))) == flatten(value) for name, value in entry.items())
        for index, other in unused.items()
    }
    found = max(shared, key=lambda index: shared[index], default=-1)
    return found if shared.get(found) else -1


def _move(told: dict[str, Any], source: str, target: str, rest: Entry) -> dict[str, Any]:
    moved = {path.removeprefix(source): field for path, field in told.items() if path.startswith(source)}
    return {f"{target}{name}": field for name, field in moved.items() if name.partition("[")[0] in rest}


def _tell(kind: str, name: str, entry: Entry, entries: list[dict[str, str]], section: dict[str, Any]) -> dict[str, Any]:
    told = {"value": entry[name], "confidence": _TRUST, "evidence": _find_evidence(entry[name], section)}
    return told | _find_forms(kind, name, entry, entries)


def _find_evidence(value: str, section: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the lines that say it; a date is looked for by its year."""
    wanted = value[:4] if ISO.match(value) else value
    lines = zip(section["text"].splitlines(), section.get("boxes", []), strict=False)
    found = [box for line, box in lines if is_in(wanted, line)]
    return found[:1] or section.get("boxes", [])
