"""Tables of what was measured, in Markdown. Ratios are taken within a round; their median and spread are told."""

import statistics
from collections.abc import Callable, Iterable, Sequence

from benchmarks.peers.catalogue import EVERYBODY, Store
from benchmarks.peers.keeping import Round
from benchmarks.peers.targets import TARGETS, Target

Figure = Callable[[Round], float | None]
NOTES = {peer.label: peer.note for peer in EVERYBODY}


def drained(processes: int) -> Figure:
    """The rate of draining with so many processes."""
    return lambda one: one.drained.get(processes)


def stored(one: Round) -> float | None:
    """The rate of storing: the best of the round, for the store is empty each time."""
    return max(one.stored.values(), default=None)


def picked_up(one: Round) -> float | None:
    """How long a lone job waits, in milliseconds."""
    return one.picked_up_ms


class Report:
    """Everything that can be said about some rounds."""

    def __init__(self, rounds: Iterable[Round]) -> None:
        self._rounds: dict[str, dict[int, Round]] = {}
        for one in rounds:
            self._rounds.setdefault(one.label, {})[one.number] = one

    def table(self, kind: Store) -> str:
        """Everybody on one store, with the ratio of Dibs to each."""
        ours = f"Dibs on {kind.value}"
        heads = ("", "1 process", "Dibs is", "2 processes", "Dibs is", "bulk store", "Dibs is", "pick-up p50", "how")
        rows = [self._row(label, ours) for label in self._rounds if label.endswith(f" on {kind.value}")]
        return f"On {kind.value}, jobs a second:\n\n" + draw_table(heads, rows)

    def _row(self, label: str, ours: str) -> list[str]:
        row = [label.rpartition(" on ")[0]]
        for figure in (drained(1), drained(2), stored):
            row += [tell_rate(self.median(label, figure)), tell_ratio(self.ratios(ours, label, figure))]
        waited = self.median(label, picked_up)
        return [*row, "-" if waited is None else f"{waited:.1f} ms", NOTES.get(label, "")]

    def targets(self) -> str:
        """What is to be reached, and what was."""
        heads = ("", "must", "aim", "reached", "")
        return "Targets:\n\n" + draw_table(heads, [self._target_row(target) for target in TARGETS])

    def _target_row(self, target: Target) -> list[str]:
        found = self._reach(target)
        if not found:
            return [target.name, target.must_words, target.aim_words, "not measured", ""]
        middle = statistics.median(found)
        verdict = "aim" if target.is_aim(middle) else "must" if target.is_must(middle) else "missed"
        return [target.name, target.must_words, target.aim_words, target.tell(found), verdict]

    def _reach(self, target: Target) -> list[float]:
        figure = {"drained": drained(target.processes), "stored": stored, "picked_up": picked_up}[target.figure]
        if target.four_to_one:
            rounds = self._rounds.get(target.ours, {}).values()
            return [one.drained[4] / one.drained[1] for one in rounds if {1, 4} <= one.drained.keys()]
        if not target.peers:
            return self.values(target.ours, figure)
        best = max(target.peers, key=lambda label: self.median(label, figure) or 0.0)
        return self.ratios(target.ours, best, figure)

    def bars(self, kinds: Sequence[Store]) -> dict[str, list[tuple[str, float]]]:
        """The medians of one process, for each store, the fastest first."""
        bars = {}
        for kind in kinds:
            labels = [label for label in self._rounds if label.endswith(f" on {kind.value}")]
            rates = [(label.rpartition(" on ")[0], self.median(label, drained(1)) or 0.0) for label in labels]
            bars[kind.value] = sorted(rates, key=lambda bar: -bar[1])
        return bars

    def values(self, label: str, figure: Figure) -> list[float]:
        """All rounds of one figure."""
        found = (figure(one) for one in self._rounds.get(label, {}).values())
        return [value for value in found if value is not None]

    def median(self, label: str, figure: Figure) -> float | None:
        """The middle one of all rounds."""
        values = self.values(label, figure)
        return statistics.median(values) if values else None

    def ratios(self, ours: str, label: str, figure: Figure) -> list[float]:
        """How many times as much it is for us, round by round."""
        mine, theirs = self._rounds.get(ours, {}), self._rounds.get(label, {})
        pairs = [(figure(mine[number]), figure(theirs[number])) for number in mine.keys() & theirs.keys()]
        return [first / second for first, second in pairs if first is not None and second]


def tell_rate(rate: float | None) -> str:
    """A rate in words."""
    return "-" if rate is None else f"{rate:,.0f}"


def tell_ratio(ratios: list[float]) -> str:
    """The middle one of some ratios, and how far they lie apart."""
    if not ratios:
        return "-"
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    middle = f"{statistics.median(ratios):.2f} x"
    return middle if low == high else f"{middle} ({low} to {high})"


def draw_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
