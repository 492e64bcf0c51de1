"""A case: one file on disk, what it truly says, and which table rows it counts in."""

from pathlib import Path
from typing import Any

from msgspec import Struct, json


class Case(Struct, frozen=True):
    name: str
    group: str
    """development, aside or foreign."""
    template: str
    layout: str
    format: str
    file: str
    truth: dict[str, Any]
    language: str = "en"
    lenient_dates: bool = False
    """A foreign theme words dates as it likes: a year alone is right where the month was not shown."""


def save_cases(cases: list[Case], folder: Path) -> None:
    (folder / "cases.json").write_bytes(json.encode(cases))


def load_cases(folder: Path) -> list[Case]:
    return json.decode((folder / "cases.json").read_bytes(), type=list[Case])
