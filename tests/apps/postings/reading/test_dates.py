"""Dates keep the precision that the board gave them."""

from datetime import UTC, datetime

import pytest

from dibs.apps.postings.model import Precision
from dibs.apps.postings.reading.dates import find_moment, read_words

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2026-05-01T09:00:00-04:00", "2026-05-01T13:00:00Z"),
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01 09:00:00 UTC", "2026-05-01T09:00:00Z"),
        ("2026-05-01", "2026-05-01"),
        (1777626000000, "2026-05-01T09:00:00Z"),
        (1777626000, "2026-05-01T09:00:00Z"),
        ("0001-01-01T00:00:00+14:00", None),
        (10**30, None),
        (float("nan"), None),
        (True, None),
        ("yesterday", None),
        ({"at": 1}, None),
        ("", None),
    ],
)
def test_a_date_is_read_or_left_out(value, shown):
    moment = find_moment({"at": value}, "at")
    assert (moment and moment.show()) == shown


@pytest.mark.parametrize(
    ("words", "shown", "precision"),
    [
        ("Posted Today", "2026-05-15", Precision.RELATIVE),
        ("Posted Yesterday", "2026-05-14", Precision.RELATIVE),
        ("Posted 8 Days Ago", "2026-05-07", Precision.RELATIVE),
        ("Posted 30+ Days Ago", None, Precision.BEFORE),
        ("Vor 3 Tagen ausgeschrieben", "2026-05-12", Precision.RELATIVE),
        ("Publié il y a 2 jours", "2026-05-13", Precision.RELATIVE),
        ("Publicado hace 5 días", "2026-05-10", Precision.RELATIVE),
        ("2 weeks ago", "2026-05-01", Precision.RELATIVE),
    ],
)
def test_words_are_read_as_of_a_day(words, shown, precision):
    moment = read_words(words, NOW)
    assert moment is not None
    assert (moment.show(), moment.precision) == (shown, precision)


def test_words_without_a_day_say_nothing():
    assert read_words("soon", NOW) is None
