"""The statements, read from their files when they are first needed."""

from importlib.resources import files
from importlib.resources.abc import Traversable

_FOLDER = "sql"


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
        """Give the scripts of one migration step, in order."""
        return [self._fill(file.read_text()) for file in _files_below(_folder(f"migrations/{version:04d}"))]

    def _fill(self, source: str) -> str:
        return source.replace("{schema}", f'"{self.schema}"').strip()


def _folder(path: str) -> Traversable:
    return files(__package__).joinpath(_FOLDER, *path.split("/"))


def _files_below(folder: Traversable) -> list[Traversable]:
    # Tables first: functions may name them in their signatures.
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: (entry.name != "tables", entry.name)):
        found += _files_below(entry) if entry.is_dir() else [entry]
    return found
