"""The result of one scenario on one store, and of a whole run."""

from enum import StrEnum

import msgspec

from dibs.torture.checker.notes import Tally


class CellVerdict(StrEnum):
    """What became of a cell."""

    HOLDS = "holds"
    BROKEN = "broken"
    SLOW = "slow"
    NOT_RUN = "not run"
    FAULT = "fault of the harness"


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """One second: how many jobs were stored and finished in it."""

    second: int
    stored: int
    finished: int


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """From when to when something was broken, in seconds since the beginning."""

    what: str
    begin: float
    end: float


class Minute(msgspec.Struct, frozen=True, kw_only=True):
    """One minute of a soak: what the largest worker took, and how long jobs were under way from stored to finished.

    How long a bare page takes to be synced, and how many processes want the machine, tell a slow store from a busy one.
    """

    number: int
    workers: int
    resident_mib: float
    handles: float
    threads: float
    finished: int
    p50_ms: float
    p99_ms: float
    sync_ms: float
    load: float


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs finished a second, and how long after the fault the old rate was back (None: never)."""

    before: float
    during: float
    after: float
    back_after: float | None


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario on one store."""

    scenario: str
    title: str
    store: str
    verdict: CellVerdict
    seed: int
    seconds: float = 0.0
    reason: str = ""
    rates: Rates | None = None
    tally: Tally | None = None
    jobs: int = 0
    operations: int = 0
    unknown: int = 0
    timeline: list[Beat] = []
    faults: list[Fault] = []
    notes: list[str] = []
    minutes: list[Minute] = []

    @property
    def is_bad(self) -> bool:
        """Whether it shows that something is wrong."""
        return self.verdict in (CellVerdict.BROKEN, CellVerdict.SLOW, CellVerdict.FAULT)


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run."""

    version: str
    began_at: str
    machine: str
    seconds: float
    cells: list[Cell]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, and something was shown."""
        return not any(cell.is_bad for cell in self.cells) and any(
            cell.verdict is CellVerdict.HOLDS for cell in self.cells
        )
