"""Cron expressions and intervals on ordinary days, and what is refused."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.engine.schedules.schedule import Cron, Interval
from dibs.engine.schedules.timing import find_next, fires_before, is_rhythm, list_between, preview, simulate
from dibs.errors import BadInput

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*/15 * * * *", ["2026-06-01T12:15", "2026-06-01T12:30", "2026-06-01T12:45"]),
        ("0 9-17/4 * * MON-FRI", ["2026-06-01T13:00", "2026-06-01T17:00", "2026-06-02T09:00"]),
        ("0 0 13 * FRI", ["2026-06-05T00:00", "2026-06-12T00:00", "2026-06-13T00:00"]),
        ("0 0 L * *", ["2026-06-30T00:00", "2026-07-31T00:00", "2026-08-31T00:00"]),
        ("0 0 * * MON#1", ["2026-07-06T00:00", "2026-08-03T00:00", "2026-09-07T00:00"]),
        ("0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
        ("0 0 * * 7", ["2026-06-07T00:00", "2026-06-14T00:00", "2026-06-21T00:00"]),
        ("@hourly", ["2026-06-01T13:00", "2026-06-01T14:00", "2026-06-01T15:00"]),
        (" @Daily ", ["2026-06-02T00:00", "2026-06-03T00:00", "2026-06-04T00:00"]),
        ("@yearly", ["2027-01-01T00:00", "2028-01-01T00:00", "2029-01-01T00:00"]),
    ],
)
def test_a_cron_expression_fires_at_these_times(expression, expected):
    assert preview(Cron(expression=expression), NOON, 3) == [at(one) for one in expected]


def test_the_instant_asked_from_is_left_out_and_the_one_asked_up_to_is_not():
    cron = Cron(expression="0 12 * * *")
    assert find_next(cron, NOON) == NOON + timedelta(days=1)
    assert find_next(cron, NOON - timedelta(microseconds=1)) == NOON
    assert next(fires_before(cron, NOON)) == NOON
    assert next(fires_before(cron, NOON - timedelta(microseconds=1))) == NOON - timedelta(days=1)
    assert list(list_between(cron, NOON, NOON + timedelta(days=1))) == [NOON]


def test_instants_may_be_given_in_any_zone_and_come_back_in_utc():
    east = NOON.astimezone(timezone(timedelta(hours=9)))
    for timing in (Cron(expression="30 * * * *", zone="Asia/Tokyo"), Interval(every=timedelta(minutes=30))):
        assert find_next(timing, east) == find_next(timing, NOON) == NOON + timedelta(minutes=30)
        assert {one.tzinfo for one in preview(timing, east, 3)} == {UTC}


@pytest.mark.parametrize(
    ("hours", "is_one"),
    [("*", True), ("*/5", True), ("3,*/6", True), ("0-23", True), ("3", False), ("0-22", False), ("0-23/2", False)],
)
def test_stars_in_the_hour_field_make_a_rhythm(hours, is_one):
    assert is_rhythm(Cron(expression=f"0 {hours} * * *")) is is_one


def test_forty_years_can_lie_between_two_fires():
    assert find_next(Cron(expression="0 0 * 2 MON#5"), at("2072-03-01")) == at("2112-02-29")


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *"])
def test_a_day_that_no_month_has_is_refused(expression):
    with pytest.raises(BadInput, match="day-of-month"):
        simulate(Cron(expression=expression))


@pytest.mark.parametrize(
    "expression",
    ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "x * * * *", "@reboot", "*/0 * * * *", "5-1 * * * *"],
)
def test_a_bad_expression_is_refused_with_what_to_write(expression):
    with pytest.raises(BadInput, match="Write minute, hour"):
        simulate(Cron(expression=expression))


@given(st.text(alphabet="0123456789*/,-#LWMONFRI @²٣\x00", max_size=30))
def test_whatever_is_written_is_read_or_refused(text):
    cron = Cron(expression=text)
    try:
        simulate(cron)
    except BadInput:
        return
    assert len(preview(cron, NOON, 2)) in (0, 1, 2)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe", "europe/berlin\x00"])
def test_an_unknown_zone_is_refused(zone):
    with pytest.raises(BadInput, match="IANA"):
        find_next(Cron(expression="0 * * * *", zone=zone), NOON)


def test_an_interval_goes_on_from_its_anchor_in_both_directions():
    interval = Interval(every=timedelta(minutes=45), anchor=at("2026-06-01T12:10"))
    assert preview(interval, NOON, 2) == [at("2026-06-01T12:10"), at("2026-06-01T12:55")]
    assert list(islice(fires_before(interval, NOON), 2)) == [at("2026-06-01T11:25"), at("2026-06-01T10:40")]
    assert next(fires_before(interval, at("2026-06-01T12:10"))) == at("2026-06-01T12:10")


def test_an_interval_does_not_care_about_clocks():
    interval = Interval(every=timedelta(hours=24), anchor=at("2026-03-28T02:00"))
    assert preview(interval, at("2026-03-28T12:00"), 2) == [at("2026-03-29T02:00"), at("2026-03-30T02:00")]


@given(
    st.integers(1, 10**7),
    st.integers(-(10**9), 10**9),
    st.datetimes(datetime(1980, 1, 1), datetime(2150, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - bounds are bare
)
def test_an_intervals_neighbours_are_one_step_apart(seconds, shift, instant):
    interval = Interval(every=timedelta(seconds=seconds), anchor=NOON + timedelta(microseconds=shift))
    after, before = find_next(interval, instant), next(fires_before(interval, instant))
    assert after is not None
    assert before <= instant < after == before + interval.every


def test_the_preview_of_the_longest_interval_ends():
    assert len(preview(Interval(every=timedelta(days=36_500)), NOON, 1000)) < 10
