"""The rows of a soak: each minute, what every worker took and how long jobs were under way."""

import os
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

from dibs.torture.measuring.flatness import describe_trend, find_growth
from dibs.torture.measuring.vitals import Vitals
from dibs.torture.report.cells import Minute

OF_WORKERS = ("resident_mib", "handles", "threads")
OF_JOBS = ("p50_ms", "p99_ms")
CENT = 100


class Minutes:
    """Gathers samples, and makes a row of them whenever a minute is over."""

    def __init__(self) -> None:
        self.rows: list[Minute] = []
        self._syncs: list[float] = []
        self._now: defaultdict[int, list[Vitals]] = defaultdict(list)
        self._workers: defaultdict[int, list[dict[str, float]]] = defaultdict(list)

    def note(self, pid: int, vitals: Vitals) -> None:
        """Keep a sample of a worker."""
        self._now[pid].append(vitals)

    def note_sync(self, seconds: float) -> None:
        """Keep how long the disk took for a page."""
        self._syncs.append(seconds)

    def close(self, took: Sequence[float]) -> None:
        """End a minute in which jobs took so many seconds."""
        figures = {pid: _find_medians(samples) for pid, samples in self._now.items()}
        self._now.clear()
        for pid, medians in figures.items():
            self._workers[pid].append(medians)
        largest = {name: max((one[name] for one in figures.values()), default=0.0) for name in OF_WORKERS}
        p50, p99 = find_percentiles(took)
        sync, self._syncs = find_percentiles(self._syncs)[0], []
        self.rows.append(
            Minute(
                number=len(self.rows) + 1,
                workers=len(figures),
                finished=len(took),
                p50_ms=p50,
                p99_ms=p99,
                sync_ms=sync,
                load=round(os.getloadavg()[0], 1),
                **largest,
            )
        )

    def describe(self) -> list[str]:
        """Tell the figures of every worker and of the jobs."""
        return [describe_trend(*row) for row in self._find_rows()]

    def find_growth(self) -> list[str]:
        """Say what grew."""
        return [complaint for row in self._find_rows() for complaint in find_growth(*row)]

    def _find_rows(self) -> Iterable[tuple[str, str, list[float]]]:
        for pid, taken in self._workers.items():
            for name in OF_WORKERS:
                yield f"worker {pid}", name, [one[name] for one in taken]
        for name in OF_JOBS:
            figures = [getattr(row, name) for row in self.rows if row.finished]
            if figures:
                yield "jobs", name, figures


def _find_medians(samples: Sequence[Vitals]) -> dict[str, float]:
    return {name: round(statistics.median(getattr(one, name) for one in samples), 1) for name in OF_WORKERS}


def find_percentiles(took: Sequence[float]) -> tuple[float, float]:
    """Give p50 and p99 in milliseconds; nothing took no time."""
    if not took:
        return 0.0, 0.0
    ordered = sorted(took)
    p50, p99 = (ordered[min(len(ordered) * share // CENT, len(ordered) - 1)] for share in (50, 99))
    return round(p50 * 1000, 1), round(p99 * 1000, 1)
