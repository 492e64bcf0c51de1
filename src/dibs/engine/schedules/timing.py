"""The instants of a timing, forwards and backwards.

A cron expression whose hour field names hours (`0 3 * * *`, `*/15 2 * * *`) means times of the day: one that the clocks
leave out fires once, right after the gap; one that they show twice fires the first time only. One whose hour field has
a star (`0 * * * *`, `*/10 */2 * * *`) means a rhythm: it fires at every real instant at which the clocks show a
matching time. docs/decisions/0013 says why. Intervals know no clocks at all.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from dibs.engine.schedules.schedule import Cron, Interval, Timing
from dibs.engine.schedules.zones import (
    DAY,
    SECOND,
    find_change,
    find_last_change,
    get_zone,
    offset_at,
    resolve,
    to_instant,
    to_wall,
)
from dibs.errors import BadInput

FIELDS = 5
END_OF_TIME = datetime(2300, 1, 1, tzinfo=UTC)
LONGEST_EXPRESSION = 200
_SOME_WALL = datetime(2000, 1, 1)  # noqa: DTZ001 - a time on a wall has no zone
_ALL_HOURS = frozenset(range(24))
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_EXAMPLE = "Write minute, hour, day of month, month and day of week, such as '30 2 * * MON-FRI'"


def fires_after(timing: Timing, after: datetime) -> Iterator[datetime]:
    """Give the instants after this one, in order, for ever or until there are no more."""
    # Arithmetic with another zone's datetimes would be arithmetic of its clocks.
    after = after.astimezone(UTC)
    if isinstance(timing, Interval):
        return _interval_after(timing, after)
    zone = get_zone(timing.zone)
    return _rhythm_after(timing, zone, after) if is_rhythm(timing) else _times_after(timing, zone, after)


def fires_before(timing: Timing, until: datetime) -> Iterator[datetime]:
    """Give the instants up to and including this one, the latest first."""
    until = until.astimezone(UTC)
    if isinstance(timing, Interval):
        return _interval_before(timing, until)
    zone = get_zone(timing.zone)
    return _rhythm_before(timing, zone, until) if is_rhythm(timing) else _times_before(timing, zone, until)


def find_next(timing: Timing, after: datetime) -> datetime | None:
    """Give the first instant after this one; None if there is none within fifty years."""
    return next(fires_after(timing, after), None)


def preview(timing: Timing, after: datetime, count: int) -> list[datetime]:
    """Give the next few instants."""
    return list(islice(fires_after(timing, after), count))


def list_between(timing: Timing, since: datetime, until: datetime) -> Iterator[datetime]:
    """Give the instants from `since` on and before `until`, in order."""
    return takewhile(
        lambda instant: instant < until, fires_after(timing, since.astimezone(UTC) - timedelta(microseconds=1))
    )


def is_rhythm(cron: Cron) -> bool:
    """Whether the hour field has a star or names every hour: then each real hour counts, and not the time of day."""
    sim = simulate(cron)
    has_star = any(part.startswith("*") for part in sim.parts[2].split(","))
    return has_star or sim.hours >= _ALL_HOURS


def simulate(cron: Cron, wall: datetime = _SOME_WALL, *, is_backwards: bool = False) -> CronSim:
    """Read the expression and match it against times without a zone, from `wall` on, which is left out itself."""
    text = _NICKNAMES.get(cron.expression.strip().lower(), cron.expression)
    count = len(text.split())
    if count != FIELDS or len(text) > LONGEST_EXPRESSION:
        message = f"cron expression {text[:LONGEST_EXPRESSION]!r} has {count} fields, not {FIELDS}. {_EXAMPLE}."
        raise BadInput(f"{message} For less than a minute, use an interval.")
    try:
        return CronSim(text, wall, reverse=is_backwards)
    except (CronSimError, AssertionError) as cause:
        message = f"cron expression {text!r} cannot be read ({cause}). {_EXAMPLE}."
        raise BadInput(message) from cause


def _times_after(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    for wall in simulate(cron, to_wall(after, offset_at(zone, after))):
        instant = resolve(zone, wall)
        # Several times in one gap are one fire, and times whose second showing has begun are over.
        if instant > after:
            yield instant
            after = instant


def _times_before(cron: Cron, zone: ZoneInfo, until: datetime) -> Iterator[datetime]:
    # While clocks show an hour again, times that they will show again lie in the past already.
    furthest = max(offset_at(zone, until), offset_at(zone, until - DAY - DAY / 12))
    before = until + timedelta(microseconds=1)
    for wall in simulate(cron, _next_second(to_wall(until, furthest)), is_backwards=True):
        instant = resolve(zone, wall)
        if instant < before:
            yield instant
            before = instant


def _rhythm_after(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    offset = offset_at(zone, after)
    walls = simulate(cron, to_wall(after, offset))
    while (wall := next(walls, None)) is not None:
        instant = to_instant(wall, offset)
        change = find_change(zone, after, instant)
        if change is None:
            yield instant
            after = instant
        else:
            after, offset = change, offset_at(zone, change)
            walls = simulate(cron, to_wall(change, offset) - SECOND)


def _rhythm_before(cron: Cron, zone: ZoneInfo, until: datetime) -> Iterator[datetime]:
    offset = offset_at(zone, until)
    walls = simulate(cron, _next_second(to_wall(until, offset)), is_backwards=True)
    while (wall := next(walls, None)) is not None:
        instant = to_instant(wall, offset)
        change = find_last_change(zone, instant, until)
        if change is None:
            yield instant
            until = instant
        else:
            until = change - SECOND
            offset = offset_at(zone, until)
            walls = simulate(cron, to_wall(change, offset), is_backwards=True)


def _next_second(wall: datetime) -> datetime:
    return wall.replace(microsecond=0) + SECOND


def _interval_after(interval: Interval, after: datetime) -> Iterator[datetime]:
    instant = _last_of(interval, after)
    while instant < END_OF_TIME:
        instant += interval.every
        yield instant


def _interval_before(interval: Interval, until: datetime) -> Iterator[datetime]:
    instant = _last_of(interval, until)
    while True:
        yield instant
        instant -= interval.every


def _last_of(interval: Interval, until: datetime) -> datetime:
    turns = (until - interval.anchor) // interval.every
    return (interval.anchor + turns * interval.every).astimezone(UTC)
