"""How resume variants do: counted, with intervals, and silent below a minimum. Pure."""

from collections.abc import Iterable
from math import sqrt

from msgspec import Struct

from dibs.apps.postings.claims.runs import FINAL, RunState

LEAST_RUNS = 20
# 95 in a hundred such intervals hold the true rate.
_Z = 1.959963984540054


# A variant, how far its runs are, and how many there are.
Outcome = tuple[str, RunState, int]
TOGETHER = "*"


class VariantMeasure(Struct, frozen=True, kw_only=True):
    """What came of a variant's finished runs. `rate` and `interval` are None below the minimum sample."""

    variant_id: str
    n: int
    successes: int
    unknown: int = 0
    rate: float | None = None
    interval: tuple[float, float] | None = None
    profile: str | None = None


def measure_together(counts: Iterable[Outcome], *, least: int = LEAST_RUNS) -> VariantMeasure:
    """Measure several variants as one, which is called `*`."""
    together = ((TOGETHER, state, count) for _, state, count in counts)
    return measure_variants(together, least=least, also=(TOGETHER,))[0]


def measure_variants(
    counts: Iterable[Outcome], *, least: int = LEAST_RUNS, also: Iterable[str] = ()
) -> list[VariantMeasure]:
    """Sum the runs of each variant by how they ended, of those in `also` even if there are none.

    Runs that go on, or whose end nobody knows, are in no rate.
    """
    sums: dict[str, dict[RunState, int]] = {variant_id: {} for variant_id in also}
    for variant_id, state, count in counts:
        ends = sums.setdefault(variant_id, {})
        ends[state] = ends.get(state, 0) + count
    return [_measure(variant_id, ends, least) for variant_id, ends in sorted(sums.items())]


def _measure(variant_id: str, ends: dict[RunState, int], least: int) -> VariantMeasure:
    n = sum(ends.get(state, 0) for state in FINAL)
    successes, unknown = ends.get(RunState.SUCCESS, 0), ends.get(RunState.UNKNOWN, 0)
    measure = VariantMeasure(variant_id=variant_id, n=n, successes=successes, unknown=unknown)
    if n < max(least, 1):
        return measure
    return VariantMeasure(
        variant_id=variant_id,
        n=n,
        successes=successes,
        unknown=unknown,
        rate=successes / n,
        interval=wilson_interval(successes, n),
    )


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Give Wilson's interval of a rate at 95 %: it holds at the ends and for small samples, too."""
    rate, square = successes / n, _Z * _Z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = _Z / (1 + square / n) * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
