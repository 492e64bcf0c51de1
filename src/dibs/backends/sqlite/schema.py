"""The versions of the tables, and how they are brought up to date."""

from pathlib import Path

from dibs.backends.sqlite.faults import explain_missing_folder
from dibs.backends.sqlite.statements import migration_steps
from dibs.backends.sqlite.threads.connections import identity
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot, Transaction
from dibs.engine.store.protocols import SchemaState

# Version: its file, and the oldest version of code that still works on it.
MIGRATIONS: dict[int, tuple[str, int]] = {
    1: ("0001_jobs.sql", 1),
    2: ("0002_leases_and_notices.sql", 1),
    3: ("0003_workers.sql", 1),
    4: ("0004_admission.sql", 1),
    5: ("0005_schedules.sql", 1),
    6: ("0006_one_layout.sql", 1),
    7: ("0007_when_parked.sql", 1),
    8: ("0008_turns_in_order.sql", 1),
}
WANTED = max(MIGRATIONS)


class SqliteSchema:
    """One row in `dibs_schema` for each version that was applied."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def state(self) -> SchemaState:
        """Look, without making the file."""
        path = Path(self._database.address.path)
        if identity(str(path)) is None:
            if not path.parent.is_dir():
                raise explain_missing_folder(path)
            return _as_state(None)
        return _as_state(await self._database.read(_find_version))

    async def migrate(self) -> list[int]:
        """Apply what is missing, in one transaction: a second process finds nothing left to do."""
        return await self._database.write(apply_missing, create=True)


def apply_missing(transaction: Transaction, *, up_to: int = WANTED) -> list[int]:
    """Apply the migrations after the one found, and tell which."""
    transaction.write("schema/create_schema_table")
    found = transaction.find("schema/read_version") or (0, 0)
    missing = [version for version in MIGRATIONS if found[0] < version <= up_to]
    for version in missing:
        file_name, oldest_code = MIGRATIONS[version]
        for step in migration_steps(file_name):
            transaction.cursor.execute(step)
        transaction.write("schema/record_version", version, oldest_code)
    return missing


def _find_version(snapshot: Snapshot) -> Row | None:
    return None if snapshot.find("schema/find_schema_table") is None else snapshot.find("schema/read_version")


def _as_state(found: Row | None) -> SchemaState:
    version, oldest_code = found or (0, 0)
    return SchemaState(found=version, wanted=WANTED, oldest_code=oldest_code)
