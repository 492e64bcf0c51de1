"""Instants as whole microseconds, and back."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def utc_now() -> datetime:
    """Tell the time of this machine. Only a store in this very process may decide anything by it."""
    return datetime.now(UTC)


def to_micros(instant: datetime) -> int:
    """Count the microseconds from 1970 to `instant`, exactly."""
    return (instant - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """Make the aware UTC instant that lies `micros` microseconds after 1970."""
    return EPOCH + timedelta(microseconds=micros)


def span_micros(span: timedelta) -> int:
    """Count the microseconds of a duration."""
    return span // MICROSECOND


def utc_day(instant: datetime) -> datetime:
    """Give the midnight with which an instant's UTC day begins."""
    return instant.replace(hour=0, minute=0, second=0, microsecond=0)


def utc_month(instant: datetime, *, ahead: int = 0) -> datetime:
    """Give the midnight with which an instant's UTC month begins, or one that many months ahead."""
    years, month = divmod(instant.month - 1 + ahead, 12)
    return utc_day(instant).replace(year=instant.year + years, month=month + 1, day=1)
