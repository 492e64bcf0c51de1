"""The statements, read from their files when they are first needed."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

# Versions that say functions of earlier ones again, because those were changed after stores had been made with them.
REPEATED = {6: (1, 4)}
_FOLDER = "sql"
_TABLES = "tables"


class Statements:
    """SQL by name, with the schema's name put in. The name was checked when the URL was read."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self._loaded: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """Give the statement in `sql/queries/<name>.sql`."""
        statement = self._loaded.get(name)
        if statement is None:
            source = _folder("queries").joinpath(f"{name}.sql").read_text()
            statement = self._loaded[name] = self._fill(source)
        return statement

    def migration(self, version: int) -> list[str]:
        """Give the scripts of one migration step, in order: its tables, functions said again, its functions."""
        tables, functions = _scripts_of(version)
        return [self._fill(script) for script in (*tables, *_said_again(version), *functions)]

    def _fill(self, source: str) -> str:
        return source.replace("{schema}", f'"{self.schema}"').strip()


def _folder(path: str) -> Traversable:
    return files(__package__).joinpath(_FOLDER, *path.split("/"))


def _said_again(version: int) -> Iterator[str]:
    for earlier in REPEATED.get(version, ()):
        for script in _scripts_of(earlier)[1]:
            yield re.sub(r"^CREATE (?=FUNCTION)", "CREATE OR REPLACE ", script, flags=re.MULTILINE)


def _scripts_of(version: int) -> tuple[list[str], list[str]]:
    """Give the scripts of a step: its tables, which functions may name in their signatures, and all others."""
    folder = _folder(f"migrations/{version:04d}")
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    tables = [script for entry in entries if entry.name == _TABLES for script in _read(entry)]
    return tables, [script for entry in entries if entry.name != _TABLES for script in _read(entry)]


def _read(entry: Traversable) -> Iterator[str]:
    if not entry.is_dir():
        yield entry.read_text()
        return
    for inner in sorted(entry.iterdir(), key=lambda inner: inner.name):
        yield from _read(inner)
