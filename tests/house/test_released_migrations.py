"""A migration that stores were made with is never changed: those stores would not get the change."""

from hashlib import sha256
from pathlib import Path

import dibs

SOURCE = Path(dibs.__file__).parent
RELEASED = Path(__file__).with_name("released_migrations.sha256")
FOLDERS = ("backends/postgres/sql/migrations", "backends/sqlite/migrations", "backends/redis/lua/migrations")
CHANGED = "{} was changed, but stores were made with it and never see the change: bring it back, write a new migration"
UNKNOWN = (
    "{} is new. When it lands, write its digest down, so that nobody changes it afterwards: "
    "cd src/dibs && sha256sum {} >> ../../tests/house/released_migrations.sha256"
)


def find_migrations() -> dict[str, str]:
    """Find all files of migrations, those of the tables of sections among them, with their digests."""
    found = [path for folder in FOLDERS for path in (SOURCE / folder).rglob("*") if path.suffix in {".sql", ".lua"}]
    found += SOURCE.glob("**/migrations/*_[0-9][0-9][0-9][0-9].py")
    return {str(path.relative_to(SOURCE)): sha256(path.read_bytes()).hexdigest() for path in sorted(found)}


def read_released() -> dict[str, str]:
    lines = [line.split() for line in RELEASED.read_text().splitlines()]
    return {name: digest for digest, name in lines}


def test_no_released_migration_is_changed() -> None:
    found = find_migrations()
    changed = [name for name, digest in read_released().items() if found.get(name) != digest]
    assert not changed, "\n".join(CHANGED.format(name) for name in changed)


def test_every_migration_is_written_down() -> None:
    released = read_released()
    unknown = [name for name in find_migrations() if name not in released]
    assert not unknown, "\n".join(UNKNOWN.format(name, name) for name in unknown)
