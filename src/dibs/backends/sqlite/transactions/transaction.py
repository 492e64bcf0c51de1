"""One operation inside a write transaction."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

from dibs.backends.sqlite.statements import statement

Row = tuple[Any, ...]
# SQLite tells whole milliseconds: a job is due from the beginning of the millisecond in which its `run_at` lies.
CLOCK_STEP_MICROS = 1_000


_NO_TEXT = "Could not decode to UTF-8"


def _write_out(text: bytes) -> str:
    return text.decode(errors="backslashreplace")


class Cursor(Protocol):
    """What is used of a cursor: sqlite3's own, or one that SQLAlchemy hands out."""

    @property
    def rowcount(self) -> int:
        """How many rows the last statement changed."""

    @property
    def connection(self) -> Any:
        """What it belongs to."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Any:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        """Run one statement for each set of parameters."""

    def fetchall(self) -> list[Any]:
        """Read all rows."""


class Snapshot:
    """Reads one moment of the store, by statements that have names."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor

    @cached_property
    def moment(self) -> tuple[int, int]:
        """When the operation began, and the number of the rules that held: asked first by most, and read at once."""
        now, rules_number = self.read("now")[0]
        return now, rules_number

    @property
    def now(self) -> int:
        """The store's time, the same for the whole operation."""
        return self.moment[0]

    def read(self, name: str, *values: Any) -> list[Row]:
        """Run a statement and give its rows."""
        return self.query(statement(name), values)

    def query(self, sql: str, values: Row) -> list[Row]:
        """The same, with a statement that was put together."""
        self.cursor.execute(sql, values)
        return self.cursor.fetchall()

    def read_anyway(self, name: str, *values: Any) -> list[Row]:
        """Run a statement and give its rows, also those with texts that are none; their bytes are written out."""
        try:
            return self.read(name, *values)
        except sqlite3.OperationalError as error:
            if _NO_TEXT not in str(error):
                raise
        connection: sqlite3.Connection = self.cursor.connection
        connection.text_factory = _write_out
        try:
            return self.read(name, *values)
        finally:
            connection.text_factory = str

    def find(self, name: str, *values: Any) -> Row | None:
        """Run a statement and give its first row."""
        rows = self.read(name, *values)
        return rows[0] if rows else None


class Transaction(Snapshot):
    """Writes as well, and remembers which queues got work."""

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor)
        self._woken: set[str] = set()

    def is_due(self, run_at: int) -> bool:
        """Tell whether a job may run now."""
        return run_at < self.now + CLOCK_STEP_MICROS

    def write(self, name: str, *values: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        self.cursor.execute(statement(name), values)
        return self.cursor.rowcount

    def write_many(self, name: str, rows: Sequence[Row]) -> int:
        """Run a statement for each of the rows and tell how many it changed in all."""
        self.cursor.executemany(statement(name), rows)
        return self.cursor.rowcount

    def take_numbers(self, counter: str, amount: int) -> int:
        """Take `amount` numbers that nobody had before; gives the first."""
        self.cursor.execute(statement("take_numbers"), (amount, counter))
        last: int = self.cursor.fetchall()[0][0]
        return last - amount + 1

    def next_token(self) -> int:
        """Take a lease token higher than any before."""
        return self.take_numbers("token", 1)

    def announce(self, queues: Iterable[str]) -> None:
        """Remember that these queues have jobs ready."""
        self._woken.update(queues)

    def count_notices(self) -> dict[str, int]:
        """Grow the numbers of the queues announced; gives them as they are now."""
        return {queue: self.read("grow_notice", queue)[0][0] for queue in sorted(self._woken)}


Result = TypeVar("Result")
Operation = Callable[[Transaction], Result]
SAVEPOINT = "SAVEPOINT dibs_operation"
KEEP = "RELEASE dibs_operation"
UNDO = "ROLLBACK TO dibs_operation"


def as_it_is(value: Any) -> Any:
    """Leave a result alone."""
    return value
