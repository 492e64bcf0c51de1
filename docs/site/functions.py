"""Write the page that tells where each function of the PostgreSQL store is, as it is today.

`python -m docs.site.functions > docs/reference/backends/postgres-functions.md`

A migration is never changed, so that a function which was changed stands in several of them: the last one counts.
"""

import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from dibs.backends.postgres.schema import VERSIONS

MIGRATIONS = "src/dibs/backends/postgres/sql/migrations"
_MADE = re.compile(
    r"((?:^--[^\n]*\n)*)^CREATE (?:OR REPLACE )?FUNCTION \{schema\}\.(\w+)\("
    r".*?\bAS (?:\$\$(.*?)\$\$|'((?:[^']|'')*)')",
    re.DOTALL | re.MULTILINE,
)
_HEAD = f"""# Functions of the PostgreSQL store

Each move of the [store](postgres.md) is a call of one of these. A migration that has landed is
[never changed](../../decisions/0073-migrations-are-never-changed.md), so that a function which was changed stands in
several: here is the file that counts, below `{MIGRATIONS}`.

This page is written by `python -m docs.site.functions > docs/reference/backends/postgres-functions.md`.
"""


class Function(NamedTuple):
    """A function as its last migration makes it."""

    name: str
    says: str
    body: str
    file: str

    @property
    def subject(self) -> str:
        """What it is about: the folder, or the name of the file."""
        return self.file.split("/")[1].removesuffix(".sql")


def find_functions() -> dict[str, Function]:
    """Read the migrations in order; later ones take the place of earlier ones."""
    found: dict[str, Function] = {}
    for version in VERSIONS:
        for path, script in _read(f"{version:04d}"):
            for comment, name, quoted, plain in _MADE.findall(script):
                found[name] = Function(name, _join(comment), quoted or plain.replace("''", "'"), path)
    return found


def write_page() -> str:
    """Write the page: a table for each subject."""
    functions = sorted(find_functions().values(), key=lambda one: (one.subject, one.name))
    parts = [_HEAD]
    for subject in dict.fromkeys(one.subject for one in functions):
        rows = (f"| `{one.name}` | {one.says} | `{one.file}` |" for one in functions if one.subject == subject)
        parts.append(
            "\n".join(
                [f"## {subject.capitalize()}\n", "| function | what it does | where |", "|---|---|---|", *rows, ""]
            )
        )
    return "\n".join(parts)


def _join(comment: str) -> str:
    lines = (line.removeprefix("--").strip() for line in comment.splitlines())
    return " ".join(lines).replace("|", "\\|") or "-"


def _read(folder: str) -> Iterator[tuple[str, str]]:
    root = files("dibs.backends.postgres").joinpath("sql", "migrations")
    yield from _walk(root.joinpath(folder), folder)


def _walk(entry: Traversable, path: str) -> Iterator[tuple[str, str]]:
    if not entry.is_dir():
        yield path, entry.read_text()
        return
    for inner in sorted(entry.iterdir(), key=lambda inner: inner.name):
        yield from _walk(inner, f"{path}/{inner.name}")


if __name__ == "__main__":
    sys.stdout.write(write_page())
