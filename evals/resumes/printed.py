"""What a page shows to the eye. A scan is asked for that alone: an address behind a word or an icon is on no picture.

The page's own text decides, as the PDF has it that the scan was made of, and never what our parser found in either.
"""

from pathlib import Path
from typing import Any

import pypdfium2

from evals.resumes.scoring.likeness import fold

MOSTLY = 0.7
"""So much of a value's letters are found: then it is there, though a line's end or another column runs through it."""
NOT_JUDGED = {"countryCode"}


def cut_to_print(truth: dict[str, Any], pdf: Path) -> dict[str, Any]:
    """The truth without what is printed nowhere, for every field alike."""
    return cut_to_text(truth, read_print(pdf))


def read_print(pdf: Path) -> str:
    document = pypdfium2.PdfDocument(pdf.read_bytes())
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def cut_to_text(truth: dict[str, Any], text: str) -> dict[str, Any]:
    """Where not even the name is found, the text is not to be trusted, and everything is still expected."""
    seen = _glue(text)
    if not is_printed(truth["basics"]["name"], seen):
        return truth
    return {
        key: _cut_skills(value, seen) if key == "skills" else _cut(value, key, seen) for key, value in truth.items()
    }


def _cut(value: Any, key: str, seen: str) -> Any:
    if isinstance(value, dict):
        parts = {name: _cut(part, name, seen) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part is not None}
    if isinstance(value, list):
        return [part for part in (_cut(one, key, seen) for one in value) if part]
    if not isinstance(value, str) or key in NOT_JUDGED:
        return value
    return value if is_printed(value[:4] if key.endswith("Date") else value, seen) else None


def _cut_skills(skills: list[dict[str, Any]], seen: str) -> list[dict[str, Any]]:
    """A group whose skills are all cut is gone, too: else its name would be taken for one."""
    cut = [_cut(one, "skills", seen) for one in skills]
    return [new for old, new in zip(skills, cut, strict=True) if new.get("keywords" if old.get("keywords") else "name")]


def is_printed(value: str, seen: str) -> bool:
    """Whether a value stands in a text that was glued together; a value that says nothing is no loss."""
    whole = _glue(value)
    if whole in seen:
        return True
    words = [_glue(word) for word in value.split()]
    found = sum(len(word) for word in words if word in seen)
    return found >= MOSTLY * len(whole) or whole[: round(MOSTLY * len(whole)) + 1] in seen


def _glue(text: str) -> str:
    return fold(text.removeprefix("https://").removeprefix("http://")).replace(" ", "")
