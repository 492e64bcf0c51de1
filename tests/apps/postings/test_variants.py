"""Variants are measured with intervals, and not at all below a minimum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.runs import RunState
from dibs.apps.postings.variants import measure_variants, wilson_interval


# Reference values of Wilson's interval without continuity correction at 95 %.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(0, 10, 0.0, 0.27753), (10, 10, 0.72247, 1.0), (5, 10, 0.23659, 0.76341), (15, 148, 0.06241, 0.16052)],
)
def test_the_interval_is_wilsons(successes, n, low, high):
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_in_bounds(pair):
    successes, n = pair
    low, high = wilson_interval(successes, n)
    assert 0 <= low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= high <= 1


def test_below_the_minimum_there_is_no_rate():
    runs = [("v1", RunState.SUCCESS)] * 19
    measure = measure_variants(runs)[0]
    assert (measure.n, measure.successes, measure.rate, measure.interval) == (19, 19, None, None)


def test_what_goes_on_or_is_unknown_is_in_no_rate():
    runs = [("v1", RunState.SUCCESS)] * 15 + [("v1", RunState.FAILED)] * 5
    runs += [("v1", RunState.UNKNOWN)] * 3 + [("v1", RunState.PENDING)] * 9 + [("v2", RunState.PENDING)]
    first, second = measure_variants(runs)
    assert (first.n, first.rate, first.unknown) == (20, 0.75, 3)
    assert first.interval == pytest.approx((0.5313, 0.8881), abs=1e-3)
    assert (second.variant_id, second.n, second.rate) == ("v2", 0, None)
