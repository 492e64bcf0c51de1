"""Which instants of a schedule to fire, and when to look again."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice, takewhile

from msgspec.structs import replace

from dibs.engine.schedules.schedule import Backfill, FireDecision, Misfire, Overlap, Schedule
from dibs.engine.schedules.timing import find_next, fires_before, list_between
from dibs.engine.store.checks.values import LATEST, check_instant, check_whole_number
from dibs.errors import BadInput

MOST_AT_ONCE = 1_000
MOST_BACKFILLED = 10_000
_MICROSECOND = timedelta(microseconds=1)


def plan(schedule: Schedule, now: datetime) -> FireDecision:
    """Decide about everything that is due: from `next_at`, the first undecided instant, up to now.

    The new `next_at` lies after now, so nothing is decided twice, and a clock that is set back finds nothing due. Looks
    at the latest instants only: what was missed long ago costs nothing.
    """
    if schedule.paused or schedule.next_at is None or schedule.next_at > now:
        return FireDecision(instants=(), next_at=schedule.next_at)
    most = schedule.catch_up_limit if schedule.misfire is Misfire.CATCH_UP else MOST_AT_ONCE
    newest_first = _list_newest(schedule, schedule.next_at, now, most + 1)
    chosen = _choose(schedule, newest_first[:most], now)
    return FireDecision(
        instants=tuple(reversed(chosen)),
        next_at=find_next_fire(schedule, now),
        has_skipped=len(chosen) < len(newest_first),
    )


def _list_newest(schedule: Schedule, first: datetime, now: datetime, most: int) -> list[datetime]:
    """List what is due, the latest first: as much as it takes to choose, and to tell whether some is left out."""
    newest_first: list[datetime] = []
    for instant in islice(_due(schedule, first, now), most):
        newest_first.append(instant)
        is_late = instant < now - schedule.grace
        if is_late and len(newest_first) > 1 and schedule.misfire is not Misfire.CATCH_UP:
            break
    return newest_first


def _due(schedule: Schedule, first: datetime, now: datetime) -> Iterator[datetime]:
    until = now if schedule.end_at is None else min(now, schedule.end_at - _MICROSECOND)
    return takewhile(lambda instant: instant >= first, fires_before(schedule.timing, until))


def _choose(schedule: Schedule, newest_first: Sequence[datetime], now: datetime) -> Sequence[datetime]:
    on_time = [instant for instant in newest_first if instant >= now - schedule.grace]
    chosen: Sequence[datetime] = on_time
    if schedule.misfire is Misfire.CATCH_UP:
        chosen = newest_first
    elif schedule.misfire is Misfire.FIRE_ONCE:
        chosen = on_time or newest_first[:1]
    # Each would cancel the one before it: only the latest is worth storing.
    return chosen[:1] if schedule.overlap is Overlap.CANCEL_RUNNING else chosen


def find_next_fire(schedule: Schedule, after: datetime) -> datetime | None:
    """Find the first instant after this one within the time in which the schedule holds."""
    if schedule.start_at is not None:
        after = max(after, schedule.start_at - _MICROSECOND)
    instant = find_next(schedule.timing, after)
    is_over = instant is None or instant >= min(schedule.end_at or LATEST, LATEST)
    return None if is_over else instant


def arm(schedule: Schedule, now: datetime) -> Schedule:
    """Let a schedule wait for its next instant from now on; a paused one waits for nothing."""
    return replace(schedule, next_at=None if schedule.paused else find_next_fire(schedule, now))


def preview(schedule: Schedule, after: datetime, count: int) -> list[datetime]:
    """Tell the next instants, as if it were not paused."""
    check_whole_number(count, "count", 1, MOST_AT_ONCE)
    instants: list[datetime] = []
    while len(instants) < count and (instant := find_next_fire(schedule, after)) is not None:
        instants.append(instant)
        after = instant
    return instants


def plan_backfill(schedule: Schedule, wanted: Backfill, now: datetime) -> tuple[datetime, ...]:
    """List the instants of a range, all of them or, if they are too many, none."""
    since, until, limit = wanted.since, wanted.until, wanted.limit
    _check_range(since, until, now)
    check_whole_number(limit, "limit", 1, MOST_BACKFILLED)
    instants = tuple(islice(list_between(schedule.timing, since, until), limit + 1))
    if len(instants) > limit:
        message = (
            f"schedule {schedule.name!r} fires more than {limit:,} times from {since.isoformat()} to"
            f" {until.isoformat()}. Fill a shorter range, or raise the limit (at most {MOST_BACKFILLED:,})."
        )
        raise BadInput(message)
    if not instants:
        message = (
            f"schedule {schedule.name!r} does not fire from {since.isoformat()} to {until.isoformat()}."
            " Widen the range; its end is not part of it."
        )
        raise BadInput(message)
    return instants


def _check_range(since: datetime, until: datetime, now: datetime) -> None:
    check_instant(since, "since")
    check_instant(until, "until")
    if since >= until:
        message = f"the range from {since.isoformat()} to {until.isoformat()} is empty. Let it end after it begins."
        raise BadInput(message)
    if until > now:
        message = f"the range ends at {until.isoformat()}, which is yet to come. Only past instants can be filled."
        raise BadInput(message)
