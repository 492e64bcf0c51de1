"""What is kept of a model's answer: values that the section says, and nothing else."""

import re
from typing import Any

from dibs.services.resumes.helping.questions import DATES, fields_of
from dibs.services.resumes.understanding.normal.dates import find_dates

ISO = re.compile(r"^\d{4}(?:-\d{2})?$")
_MOST = 200
_LETTER = r"[0-9a-z\u00df-\u1fff]"
"""Of scripts that part their words; others have no whole words to compare."""


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
        return bool(ISO.match(value)) and value in _list_dates(text)
    return is_in(value, text)


def _list_dates(text: str) -> set[str]:
    found = [instant for span in find_dates(text.replace("\n", " ")) for instant in (span.start, span.stop) if instant]
    return {str(instant)[:length] for instant in found for length in (4, 7)}


def is_in(value: str, text: str) -> bool:
    """Tell whether whole words of a text say this: neither "R" nor "Go" is said by "Docker" or "Google"."""
    wanted = flatten(value)
    if not wanted:
        return False
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, wanted[0]) else ""
    behind = rf"(?!{_LETTER}|[+#])" if re.match(_LETTER, wanted[-1]) else ""
    return re.search(f"{before}{re.escape(wanted)}{behind}", flatten(text)) is not None


def flatten(text: str) -> str:
    """Write a text on one line, in small letters."""
    return " ".join(text.casefold().split())
