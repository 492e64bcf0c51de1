"""What is kept of a model's answer: values that the section says, and nothing else."""

import re
from typing import Any

from dibs.services.resumes.helping.questions import DATES, fields_of
from dibs.services.resumes.understanding.normal.dates import find_dates

_TRUST = 0.72
_ISO = re.compile(r"^\d{4}(?:-\d{2})?$")
_MOST = 200


def keep_true(answer: Any, sections: list[dict[str, Any]]) -> dict[int, list[dict[str, str]]]:
    """Keep the entries of each section, by its number; whatever has another form than asked for is dropped."""
    if not isinstance(answer, dict):
        return {}
    kept: dict[int, list[dict[str, str]]] = {}
    for number, section in enumerate(sections):
        given = answer.get(f"section_{number}")
        entries = [_keep(entry, section) for entry in given[:_MOST]] if isinstance(given, list) else []
        if found := [entry for entry in entries if entry]:
            kept[number] = found
    return kept


def _keep(entry: Any, section: dict[str, Any]) -> dict[str, str]:
    if not isinstance(entry, dict):
        return {}
    known = {name: entry.get(name) for name in fields_of(section["kind"])}
    kept = {
        name: text for name, text in known.items() if isinstance(text, str) and _is_said(name, text, section["text"])
    }
    return kept if set(kept) - DATES else {}


def _is_said(name: str, value: str, text: str) -> bool:
    """Tell whether the section says this, word for word; a date may be written in another form."""
    if name in DATES:
        return bool(_ISO.match(value)) and value in _list_dates(text)
    return bool(value.strip()) and _flat(value) in _flat(text)


def _list_dates(text: str) -> set[str]:
    found = [instant for span in find_dates(text.replace("\n", " ")) for instant in (span.start, span.stop) if instant]
    return {str(instant)[:length] for instant in found for length in (4, 7)}


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def put_in(resume: dict[str, Any], kind: str, entries: list[dict[str, str]], section: dict[str, Any]) -> None:
    """Put entries in the place of those that the rules were unsure of, with their evidence."""
    fields = resume["meta"]["fields"]
    for path in [path for path in fields if path.startswith(f"{kind}[")]:
        del fields[path]
    resume[kind] = entries
    for index, entry in enumerate(entries):
        for name, value in entry.items():
            told = {"value": value, "confidence": _TRUST, "evidence": _find_evidence(value, section)}
            fields[f"{kind}[{index}].{name}"] = told


def _find_evidence(value: str, section: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the lines that say it; a date is looked for by its year."""
    wanted = _flat(value[:4] if _ISO.match(value) else value)
    lines = zip(section["text"].splitlines(), section.get("boxes", []), strict=False)
    found = [box for line, box in lines if wanted in _flat(line)]
    return found[:1] or section.get("boxes", [])
