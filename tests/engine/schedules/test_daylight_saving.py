"""Days on which clocks are changed, to the exact list of fires; and all kinds of days against a definition."""

from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st

from dibs.engine.schedules.schedule import Cron
from dibs.engine.schedules.timing import fires_before, is_rhythm, list_between

MINUTE = timedelta(minutes=1)
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
LORD_HOWE, APIA, SAO_PAULO = "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo"


def local_fires(expression: str, zone: str, since: str, until: str) -> list[str]:
    """List what fires between two local times, as local times with their offsets."""
    place = ZoneInfo(zone)
    begin, end = (datetime.fromisoformat(one).replace(tzinfo=place).astimezone(UTC) for one in (since, until))
    cron = Cron(expression=expression, zone=zone)
    return [f"{one.astimezone(place):%d %H:%M%z}" for one in list_between(cron, begin, end)]


# A time of the day that is left out fires right after the gap; several of them are one fire.
SPRING = [
    (BERLIN, "30 2 * * *", "2026-03-28", "2026-03-31", ["28 02:30+0100", "29 03:00+0200", "30 02:30+0200"]),
    (BERLIN, "0 3 * * *", "2026-03-28", "2026-03-31", ["28 03:00+0100", "29 03:00+0200", "30 03:00+0200"]),
    (BERLIN, "0 2,3 * * *", "2026-03-29", "2026-03-30", ["29 03:00+0200"]),
    (BERLIN, "30 1-3 * * *", "2026-03-29", "2026-03-30", ["29 01:30+0100", "29 03:00+0200", "29 03:30+0200"]),
    (BERLIN, "*/15 2 * * *", "2026-03-29", "2026-03-30", ["29 03:00+0200"]),
    (BERLIN, "30 2 29 3 *", "2026-01-01", "2026-12-31", ["29 03:00+0200"]),
    (NEW_YORK, "30 2 * * *", "2026-03-07", "2026-03-10", ["07 02:30-0500", "08 03:00-0400", "09 02:30-0400"]),
    (LORD_HOWE, "15 2 * * *", "2026-10-03", "2026-10-06", ["03 02:15+1030", "04 02:30+1100", "05 02:15+1100"]),
    (LORD_HOWE, "45 2 * * *", "2026-10-04", "2026-10-05", ["04 02:45+1100"]),
    (SAO_PAULO, "0 0 * * *", "2018-11-03", "2018-11-06", ["03 00:00-0300", "04 01:00-0200", "05 00:00-0200"]),
]
# A time of the day that comes twice fires the first time.
AUTUMN = [
    (BERLIN, "30 2 * * *", "2026-10-24", "2026-10-27", ["24 02:30+0200", "25 02:30+0200", "26 02:30+0100"]),
    (BERLIN, "0 2,3 * * *", "2026-10-25", "2026-10-26", ["25 02:00+0200", "25 03:00+0100"]),
    (BERLIN, "*/30 2 * * *", "2026-10-25", "2026-10-26", ["25 02:00+0200", "25 02:30+0200"]),
    (NEW_YORK, "30 1 * * *", "2026-10-31", "2026-11-03", ["31 01:30-0400", "01 01:30-0400", "02 01:30-0500"]),
    (LORD_HOWE, "45 1 * * *", "2026-04-04", "2026-04-07", ["04 01:45+1100", "05 01:45+1100", "06 01:45+1030"]),
    (SAO_PAULO, "30 23 * * *", "2018-02-17", "2018-02-19", ["17 23:30-0200", "18 23:30-0300"]),
]
# A rhythm fires at each real instant whose local time fits.
RHYTHM = [
    (
        BERLIN,
        "0 * * * *",
        "2026-03-29",
        "2026-03-29T05",
        ["29 00:00+0100", "29 01:00+0100", "29 03:00+0200", "29 04:00+0200"],
    ),
    (
        BERLIN,
        "30 * * * *",
        "2026-10-25T01",
        "2026-10-25T04",
        ["25 01:30+0200", "25 02:30+0200", "25 02:30+0100", "25 03:30+0100"],
    ),
    (BERLIN, "0 */2 * * *", "2026-03-29", "2026-03-29T07", ["29 00:00+0100", "29 04:00+0200", "29 06:00+0200"]),
    (
        BERLIN,
        "0 */2 * * *",
        "2026-10-25",
        "2026-10-25T05",
        ["25 00:00+0200", "25 02:00+0200", "25 02:00+0100", "25 04:00+0100"],
    ),
    (BERLIN, "0 0-23 * * *", "2026-10-25T02", "2026-10-25T04", ["25 02:00+0200", "25 02:00+0100", "25 03:00+0100"]),
    (
        NEW_YORK,
        "*/30 * * * *",
        "2026-03-08T01",
        "2026-03-08T04",
        ["08 01:00-0500", "08 01:30-0500", "08 03:00-0400", "08 03:30-0400"],
    ),
    (
        NEW_YORK,
        "0 * * * *",
        "2026-11-01",
        "2026-11-01T03",
        ["01 00:00-0400", "01 01:00-0400", "01 01:00-0500", "01 02:00-0500"],
    ),
    (LORD_HOWE, "0 */3 * * *", "2026-10-04", "2026-10-04T09", ["04 00:00+1030", "04 03:00+1100", "04 06:00+1100"]),
    (
        LORD_HOWE,
        "*/20 * * * *",
        "2026-10-04T01:30",
        "2026-10-04T03:10",
        ["04 01:40+1030", "04 02:40+1100", "04 03:00+1100"],
    ),
    (
        LORD_HOWE,
        "*/20 * * * *",
        "2026-04-05T01:20",
        "2026-04-05T02:10",
        ["05 01:20+1100", "05 01:40+1100", "05 01:40+1030", "05 02:00+1030"],
    ),
    (LORD_HOWE, "0 */2 * * *", "2026-04-05", "2026-04-05T06", ["05 00:00+1100", "05 02:00+1030", "05 04:00+1030"]),
    (SAO_PAULO, "0 * 4 11 *", "2018-11-01", "2018-11-04T04", ["04 01:00-0200", "04 02:00-0200", "04 03:00-0200"]),
]
# Samoa went from the 29th to the 31st of December 2011.
LOST_DAY = [
    (
        APIA,
        "0 3 * * *",
        "2011-12-28",
        "2012-01-01",
        ["28 03:00-1000", "29 03:00-1000", "31 00:00+1400", "31 03:00+1400"],
    ),
    (APIA, "0 0 * * *", "2011-12-28", "2012-01-01", ["28 00:00-1000", "29 00:00-1000", "31 00:00+1400"]),
    (APIA, "0 3,15 30 12 *", "2011-12-01", "2012-12-01", ["31 00:00+1400"]),
    (APIA, "0 12 * * FRI", "2011-12-20", "2012-01-07", ["23 12:00-1000", "31 00:00+1400", "06 12:00+1400"]),
    (
        APIA,
        "0 */6 * * *",
        "2011-12-29T12",
        "2011-12-31T12",
        ["29 12:00-1000", "29 18:00-1000", "31 00:00+1400", "31 06:00+1400"],
    ),
    (APIA, "0 * 30 12 *", "2011-01-01", "2012-01-01", []),
]


@pytest.mark.parametrize(("zone", "expression", "since", "until", "expected"), [*SPRING, *AUTUMN, *RHYTHM, *LOST_DAY])
def test_these_fire_and_nothing_else(zone, expression, since, until, expected):
    assert local_fires(expression, zone, since, until) == expected


def test_cronsim_alone_misses_hours_where_clocks_move_by_half_an_hour():
    """The reason why its own handling of zones is not used; if this fails, have another look at it."""
    begin = datetime(2026, 10, 3, 23, tzinfo=ZoneInfo(LORD_HOWE))
    sim = CronSim("0 */3 * * *", begin)
    assert [next(sim).hour for _ in range(2)] == [0, 6]


def test_cronsim_alone_fires_in_the_past_while_an_hour_is_repeated():
    begin = datetime(2026, 10, 25, 2, 10, tzinfo=ZoneInfo(BERLIN), fold=1)
    assert next(CronSim("30 2 * * *", begin)).astimezone(UTC) < begin.astimezone(UTC)


def test_asked_while_an_hour_is_repeated_a_time_of_that_hour_is_over():
    cron = Cron(expression="30 2 * * *", zone=BERLIN)
    in_second_hour = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    assert next(list_between(cron, in_second_hour, in_second_hour + timedelta(days=2))).day == 26
    assert next(fires_before(cron, in_second_hour)) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


# Days around changes of clocks: by an hour, by half an hour, by a quarter, at midnight, by a day, and none at all.
CHANGES = [
    (BERLIN, "2026-03-29"),
    (BERLIN, "2026-10-25"),
    (NEW_YORK, "2026-03-08"),
    (NEW_YORK, "2026-11-01"),
    (LORD_HOWE, "2026-10-04"),
    (LORD_HOWE, "2026-04-05"),
    (APIA, "2011-12-30"),
    (SAO_PAULO, "2018-11-04"),
    (SAO_PAULO, "2018-02-18"),
    ("Africa/Casablanca", "2026-02-15"),
    ("Africa/Casablanca", "2026-03-22"),
    ("Africa/Cairo", "2026-04-24"),
    ("Asia/Kathmandu", "1986-01-01"),
    ("Asia/Pyongyang", "2018-05-05"),
    ("Asia/Pyongyang", "2015-08-15"),
    ("Pacific/Kwajalein", "1993-08-21"),
    ("America/Caracas", "2016-05-01"),
    ("UTC", "2026-06-01"),
]
MINUTES = ["0", "30", "15,45", "*/20", "*", "59", "7/13"]
HOURS = ["*", "*/2", "*/3", "0-23", "0", "2", "1-3", "0,2,23", "3,*/8", "22-23"]
DAYS = ["* * *", "* * *", "* * SUN", "30 12 *", "25-31 * *", "1 * FRI", "L * *"]


def define_fires(cron: Cron, minutes: list[datetime]) -> list[datetime]:
    """Look at every minute and say by the rule, as plainly as can be, whether it fires."""
    zone = ZoneInfo(cron.zone)
    walls = [one.astimezone(zone).replace(tzinfo=None, fold=0) for one in minutes]
    if is_rhythm(cron):
        return [one for one, wall in zip(minutes, walls, strict=True) if matches(cron, wall)]
    first_shown: dict[datetime, datetime] = {}
    latest = walls[0] - MINUTE
    for one, wall in zip(minutes, walls, strict=True):
        while latest < wall:
            # In a gap several times on the wall are reached at once.
            latest += MINUTE
            first_shown[latest] = one
    return sorted({one for wall, one in first_shown.items() if matches(cron, wall)})


def matches(cron: Cron, wall: datetime) -> bool:
    return next(CronSim(cron.expression, wall - timedelta(seconds=1))) == wall


@given(st.sampled_from(CHANGES), st.sampled_from(MINUTES), st.sampled_from(HOURS), st.sampled_from(DAYS))
def test_every_day_follows_the_definition_forwards_and_backwards(change, minute, hour, day):
    zone, date = change
    cron = Cron(expression=f"{minute} {hour} {day}", zone=zone)
    noon = datetime.fromisoformat(f"{date}T12:00:00").replace(tzinfo=UTC)
    minutes = [noon - timedelta(hours=38) + number * MINUTE for number in range(62 * 60)]
    expected = define_fires(cron, minutes)
    assert list(list_between(cron, minutes[0], minutes[-1] + MINUTE)) == expected
    backwards = takewhile(lambda one: one >= minutes[0], fires_before(cron, minutes[-1]))
    assert list(backwards) == expected[::-1]


@given(st.sampled_from(CHANGES), st.sampled_from(MINUTES), st.sampled_from(HOURS), st.integers(0, 62 * 3600))
def test_it_does_not_matter_where_one_begins_to_ask(change, minute, hour, seconds):
    zone, date = change
    cron = Cron(expression=f"{minute} {hour} * * *", zone=zone)
    begin = datetime.fromisoformat(f"{date}T12:00:00").replace(tzinfo=UTC) - timedelta(hours=38)
    end, cut = begin + timedelta(hours=62), begin + timedelta(seconds=seconds, microseconds=seconds % 2)
    everything = list(list_between(cron, begin, end))
    assert [*list_between(cron, begin, cut), *list_between(cron, cut, end)] == everything
    before = [one for one in everything if one <= cut]
    assert list(takewhile(lambda one: one >= begin, fires_before(cron, cut))) == before[::-1]
