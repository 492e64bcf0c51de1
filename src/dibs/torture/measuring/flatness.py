"""When a row of figures is flat: the rule by which a soak is judged."""

import statistics
from collections.abc import Sequence
from itertools import combinations

import msgspec

FEWEST = 8
# While caches fill and pools open, everything grows.
WARM_UP_SHARE = 0.25


class Allowance(msgspec.Struct, frozen=True):
    """By how much a figure may rise from the end of the warm-up to the end of the run: a share of it, and a bit."""

    share: float
    slack: float


ALLOWANCES = {
    "resident_mib": Allowance(0.05, 2.0),
    # Pools open another connection at a peak, up to their size.
    "handles": Allowance(0.0, 4.0),
    "threads": Allowance(0.0, 2.0),
    "p50_ms": Allowance(0.5, 100.0),
    "p99_ms": Allowance(1.0, 500.0),
}


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """A straight line through a row of figures: their median, and how far the line rises over all of them."""

    median: float
    rise: float

    def is_flat(self, allowance: Allowance) -> bool:
        """Whether it rises no further than it may. What falls is no leak."""
        return self.rise <= self.median * allowance.share + allowance.slack


def find_trend(figures: Sequence[float]) -> Trend | None:
    """Lay a line through what comes after the warm-up; None if that is too little.

    Its slope is the median of the slopes between all pairs (Theil and Sen): a few wild minutes do not tilt it.
    """
    settled = figures[int(len(figures) * WARM_UP_SHARE) :]
    if len(settled) < FEWEST:
        return None
    slopes = [(late - early) / (j - i) for (i, early), (j, late) in combinations(enumerate(settled), 2)]
    return Trend(median=statistics.median(settled), rise=statistics.median(slopes) * (len(settled) - 1))


def find_growth(who: str, name: str, figures: Sequence[float]) -> list[str]:
    """Say what grew by more than it may; too few figures say nothing."""
    trend = find_trend(figures)
    if trend is None or trend.is_flat(ALLOWANCES[name]):
        return []
    return [f"{who}: {name} rises by {trend.rise:.1f} over the run, from a median of {trend.median:.1f}"]


def describe_trend(who: str, name: str, figures: Sequence[float]) -> str:
    """Tell the figures, whether they grew or not."""
    trend = find_trend(figures)
    told = "too few to judge" if trend is None else f"median {trend.median:.1f}, rise {trend.rise:+.1f}"
    return f"{who}: {name} {told}, between {min(figures):.1f} and {max(figures):.1f}"
