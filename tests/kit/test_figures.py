"""Figures for people's eyes."""

from datetime import timedelta

import pytest

from dibs.kit.figures import show_bytes, show_span


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (timedelta(milliseconds=3.4), "3 ms"),
        (timedelta(seconds=1.25), "1.2 s"),
        (timedelta(seconds=59.2), "59 s"),
        (timedelta(seconds=190), "3 min 10 s"),
        (timedelta(minutes=3), "3 min"),
        (timedelta(hours=2, minutes=5, seconds=9), "2 h 5 min"),
        (timedelta(days=4, minutes=3), "4 d"),
        (timedelta(seconds=-90), "1 min 30 s"),
    ],
)
def test_a_duration_is_shown_with_two_units_at_the_most(span, shown):
    assert show_span(span) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (64 * 1024**2, "64.0 MiB"), (5 * 1024**5, "5120.0 TiB")],
)
def test_a_size_is_shown_with_the_unit_that_fits(count, shown):
    assert show_bytes(count) == shown
