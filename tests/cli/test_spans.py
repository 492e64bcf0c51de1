"""Durations and instants, as written and as read."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs.cli.spans import read_instant, read_span, show_age
from dibs.errors import BadInput

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("90", timedelta(seconds=90)),
        ("1.5s", timedelta(seconds=1.5)),
        ("500ms", timedelta(milliseconds=500)),
        ("10m", timedelta(minutes=10)),
        ("1h30m", timedelta(minutes=90)),
        ("7D", timedelta(days=7)),
        (" 2w ", timedelta(weeks=2)),
        ("0", timedelta(0)),
    ],
)
def test_a_duration_is_read_as_people_write_it(text, span):
    assert read_span(text, "--delay") == span


@pytest.mark.parametrize("text", ["", "soon", "7 days", "-1s", "1y", "1h30", "9" * 400, "nan", "s"])
def test_what_is_no_duration_is_refused_with_the_option_named(text):
    with pytest.raises(BadInput, match=r"--delay .* is not a duration\. Write for example 90s"):
        read_span(text, "--delay")


def test_what_lies_ahead_is_shown_as_such():
    assert show_age(NOW - timedelta(minutes=2), NOW) == "2 min"
    assert show_age(NOW + timedelta(minutes=2, seconds=5), NOW, units=1) == "in 2 min"
    assert show_age(None, NOW) == ""


def test_an_instant_needs_its_time_zone():
    assert read_instant("2026-05-01T14:00+02:00", "--run-at") == NOW
    assert read_instant("2026-05-01T12:00:00Z", "--run-at") == NOW
    with pytest.raises(BadInput, match="which time zone"):
        read_instant("2026-05-01T12:00", "--run-at")
    with pytest.raises(BadInput, match="--run-at 'tomorrow' is not an instant"):
        read_instant("tomorrow", "--run-at")


@pytest.mark.parametrize("text", ["2026-05-01", " 20260501 ", "2026-05-01T02:00+02:00"])
def test_a_day_alone_is_its_first_instant_in_utc(text):
    assert read_instant(text, "--since") == datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_that_no_calendar_has_in_utc_is_refused(text):
    with pytest.raises(BadInput, match="is not an instant"):
        read_instant(text, "--since")
