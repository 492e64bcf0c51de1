"""Local times and instants: which instant a time on the wall is, and where a zone's offset changes."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from dibs.errors import BadInput

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def get_zone(name: str) -> ZoneInfo:
    """Give the zone of this name."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError) as cause:
        message = f"there is no time zone {name!r}. Use a name of the IANA database, such as Europe/Berlin or UTC."
        raise BadInput(message) from cause


def offset_at(zone: ZoneInfo, instant: datetime) -> timedelta:
    """Tell how far the zone's clocks are ahead of UTC at an instant."""
    return instant.astimezone(zone).utcoffset() or timedelta(0)


def to_wall(instant: datetime, offset: timedelta) -> datetime:
    """Tell what a clock with this offset shows."""
    return instant.astimezone(UTC).replace(tzinfo=None) + offset


def to_instant(wall: datetime, offset: timedelta) -> datetime:
    """Tell when a clock with this offset shows a time."""
    return (wall - offset).replace(tzinfo=UTC)


def resolve(zone: ZoneInfo, wall: datetime) -> datetime:
    """Give the one instant of a local time: of two the first; of none, the one right after the gap."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == wall:
        return instant
    # In a gap, fold 0 counts with the offset before it and lands behind it, fold 1 lands before it.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return find_change(zone, before, instant) or instant


def find_change(zone: ZoneInfo, since: datetime, until: datetime) -> datetime | None:
    """Find the first instant after `since`, at the latest `until`, from which another offset holds.

    An offset that lasts less than a day is not seen; no zone has had one since 1970.
    """
    offset = offset_at(zone, since)
    while since < until:
        step = min(since + DAY, until)
        if offset_at(zone, step) != offset:
            return _bisect(zone, since, step)
        since = step
    return None


def find_last_change(zone: ZoneInfo, since: datetime, until: datetime) -> datetime | None:
    """Find the last instant after `since`, at the latest `until`, from which another offset holds."""
    offset = offset_at(zone, until)
    while since < until:
        step = max(until - DAY, since)
        if offset_at(zone, step) != offset:
            return _bisect(zone, step, until)
        until = step
    return None


def _bisect(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Find the whole second at which the offset changes between two instants."""
    before, after = before.replace(microsecond=0), after.replace(microsecond=0)
    offset = offset_at(zone, before)
    while after - before > SECOND:
        middle = before + SECOND * ((after - before) // SECOND // 2)
        if offset_at(zone, middle) == offset:
            before = middle
        else:
            after = middle
    return after
