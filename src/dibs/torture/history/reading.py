"""Reading what all processes wrote."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from dibs.torture.history.diary import SUFFIX
from dibs.torture.history.records import Answered, Asked, Began, Effected, Move, Outcome, Record, Started

_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One question and its answer. Where none came, it ended never."""

    process: str
    number: int
    move: Move
    began: float
    ended: float = math.inf
    outcome: Outcome = Outcome.UNKNOWN
    jobs: list[str] = []
    tokens: list[int] = []
    waits: list[float] = []
    answers: list[Any] = []
    worker: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nobody can tell if it happened."""
        return self.outcome is Outcome.UNKNOWN


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was written down."""

    operations: list[Operation]
    began: list[Began] = []
    effected: list[Effected] = []
    started: list[Started] = []

    def until(self, instant: float) -> "History":
        """Give what could be known at an instant: later questions were not asked, later answers not heard."""
        return History(
            operations=[_cut(one, instant) for one in self.operations if one.began <= instant],
            began=[one for one in self.began if one.at <= instant],
            effected=[one for one in self.effected if one.at <= instant],
            started=self.started,
        )


def _cut(operation: Operation, instant: float) -> Operation:
    if operation.ended <= instant:
        return operation
    return msgspec.structs.replace(operation, ended=math.inf, outcome=Outcome.UNKNOWN, answers=[])


class Tail:
    """Follows the diaries of a folder while they grow."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: defaultdict[Path, int] = defaultdict(int)

    def read_news(self) -> Iterator[tuple[str, Record]]:
        """Give the lines written since the last look, each with the name of its diary."""
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            with path.open("rb") as file:
                file.seek(self._read[path])
                news = file.read()
            # A last line that a kill cut off, or that is being written, is none yet.
            whole = news[: news.rfind(b"\n") + 1]
            self._read[path] += len(whole)
            name = path.name.removesuffix(SUFFIX).rpartition(".")[0]
            for line in whole.splitlines():
                yield name, _decoder.decode(line)


def read_history(folder: Path) -> History:
    """Read a whole folder."""
    return collect_history(Tail(folder).read_news())


def collect_history(records: Iterable[tuple[str, Record]]) -> History:
    """Put questions and answers together, in the order in which they were asked."""
    asked: dict[tuple[str, int], Asked] = {}
    answered: dict[tuple[str, int], Answered] = {}
    others: defaultdict[type, list[Any]] = defaultdict(list)
    for process, record in records:
        if isinstance(record, Asked):
            asked[process, record.number] = record
        elif isinstance(record, Answered):
            answered[process, record.number] = record
        else:
            others[type(record)].append(record)
    operations = [_join(process, one, answered.get((process, number))) for (process, number), one in asked.items()]
    return History(
        operations=sorted(operations, key=lambda one: one.began),
        began=others[Began],
        effected=others[Effected],
        started=others[Started],
    )


def _join(process: str, asked: Asked, answered: Answered | None) -> Operation:
    facts: dict[str, Any] = {}
    if answered is not None and answered.outcome is not Outcome.UNKNOWN:
        facts = {"ended": answered.at, "outcome": answered.outcome, "answers": answered.answers}
    return Operation(
        process=process,
        number=asked.number,
        move=asked.move,
        began=asked.at,
        jobs=asked.jobs,
        tokens=asked.tokens,
        waits=asked.waits,
        worker=asked.worker,
        **facts,
    )
