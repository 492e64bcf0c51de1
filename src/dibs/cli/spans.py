"""Durations and instants as people write and read them."""

import re
from datetime import UTC, date, datetime, time, timedelta

from dibs.errors import BadInput
from dibs.kit.figures import show_span

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PIECE = r"(\d+(?:\.\d+)?)(ms|[smhdw])"
_WHOLE = re.compile(rf"(?:{_PIECE})+")
_MOST_SECONDS = 3_153_600_000


def read_span(text: str, option: str) -> timedelta:
    """Read `90`, `1.5s`, `500ms`, `10m`, `1h30m`, `7d`, `2w`; a bare number means seconds."""
    compact = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", compact):
        compact += "s"
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PIECE, compact))
    if not _WHOLE.fullmatch(compact) or seconds > _MOST_SECONDS:
        message = f"{option} {text!r} is not a duration. Write for example 90s, 10m, 1h30m or 7d."
        raise BadInput(message)
    return timedelta(seconds=seconds)


def read_optional_span(text: str | None, option: str) -> timedelta | None:
    """The same, for an option that may be left out."""
    return None if text is None else read_span(text, option)


def read_optional_wait(text: str | None, option: str) -> timedelta | None:
    """The same, for one that would end as it begins if it had no length."""
    span = read_optional_span(text, option)
    if span == timedelta(0):
        message = f"{option} {text!r} would be over at once. Write for example 90s, 10m, 1h30m or 7d."
        raise BadInput(message)
    return span


def read_instant(text: str, option: str) -> datetime:
    """Read an ISO 8601 instant with its offset from UTC; a day alone is its first instant in UTC."""
    day = _find_day(text.strip())
    try:
        instant = day or datetime.fromisoformat(text.strip())
        in_utc = instant.astimezone(UTC)
    except (ValueError, OverflowError) as cause:
        message = f"{option} {text!r} is not an instant. Write for example 2027-01-31T09:00:00Z, or 2027-01-31."
        raise BadInput(message) from cause
    if instant.tzinfo is None:
        message = f"{option} {text!r} does not say which time zone. Add Z for UTC, or an offset such as +02:00."
        raise BadInput(message)
    return in_utc


def read_optional_instant(text: str | None, option: str) -> datetime | None:
    """The same, for an option that may be left out."""
    return None if text is None else read_instant(text, option)


def _find_day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time.min, UTC)
    except ValueError:
        return None


def show_instant(instant: datetime | None) -> str:
    """Write an instant to the second, in UTC."""
    return "" if instant is None else f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def show_age(instant: datetime | None, now: datetime, *, units: int = 2) -> str:
    """Write how long ago something was, by the store's clock."""
    if instant is None:
        return ""
    span = show_span(now - instant, units=units)
    return span if instant <= now else f"in {span}"
