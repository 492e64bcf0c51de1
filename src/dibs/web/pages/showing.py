"""Values as people read them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import msgspec

from dibs.kit.figures import show_bytes, show_span

NOTHING = "–"  # noqa: RUF001 - as it is printed in tables
LONGEST_JSON = 20_000
_THOUSAND, _MILLION = 10_000, 1_000_000
_CENTS = 100


def ago(instant: datetime | None, now: datetime | None = None) -> str:
    """How long ago, or in how long."""
    if instant is None:
        return NOTHING
    span = (now or datetime.now(UTC)) - instant
    shown = show_span(span, units=1)
    if abs(span) < timedelta(seconds=1):
        return "now"
    return f"in {shown}" if span < timedelta(0) else f"{shown} ago"


def instant(value: datetime | None) -> str:
    """An instant, to the second, in UTC."""
    return NOTHING if value is None else value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def clock(value: datetime, before: datetime | None = None) -> str:
    """The time of day to the millisecond, in UTC; with the day, unless it is that of the one before."""
    here = value.astimezone(UTC)
    shown = f"{here:%H:%M:%S}.{here.microsecond // 1000:03d}"
    is_same = before is not None and before.astimezone(UTC).date() == here.date()
    return shown if is_same else f"{here:%Y-%m-%d} {shown}"


def iso(value: datetime | None) -> str:
    """An instant for programs."""
    return "" if value is None else value.astimezone(UTC).isoformat()


def span(value: timedelta | float | None) -> str:
    """A duration, or seconds."""
    if value is None:
        return NOTHING
    return show_span(value if isinstance(value, timedelta) else timedelta(seconds=value))


def number(value: float | Decimal | None) -> str:
    """A number with its thousands apart."""
    if value is None:
        return NOTHING
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else f"{value:,.1f}".replace(",", "\u202f")


def short_number(value: int) -> str:
    """A number that fits anywhere: 940, 12.4k, 3.1M."""
    if value >= _MILLION:
        return f"{value / _MILLION:.1f}M"
    return f"{value / 1000:.1f}k" if value >= _THOUSAND else number(value)


def money(cents: Decimal | None) -> str:
    """An amount of money."""
    if cents is None:
        return NOTHING
    return f"{cents / _CENTS:,.2f}".replace(",", "\u202f")


def pretty(value: Any) -> str:
    """JSON as people read it, cut where it becomes too long for a page."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    if len(text) <= LONGEST_JSON:
        return text
    return f"{text[:LONGEST_JSON]}\n… {len(text) - LONGEST_JSON} more characters; the API gives all of it."


def segment(value: str) -> str:
    """A value as one part of a path."""
    return quote(value, safe="")


def figures_json(figures: "Figures") -> str:
    """The figures of a chart, for the script that draws it."""
    return msgspec.json.encode(figures).decode()


def figures_words(figures: "Figures") -> str:
    """What a chart shows at its end, for whoever does not see it."""
    last = [
        (line.label, next((value for value in reversed(line.values) if value is not None), None))
        for line in figures.series
    ]
    said = [f"{label} {value:.3g}{figures.unit}" for label, value in last if value is not None]
    return ", ".join(said) or "nothing yet"


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a chart; None is a gap."""

    label: str
    values: list[float | None]
    tone: str | None = None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a chart: instants in seconds, and a line's values at each. `least`: how high it is at least."""

    at: list[float]
    series: list[Line]
    unit: str = ""
    least: float = 1


FILTERS: dict[str, Callable[..., str]] = {
    "ago": ago,
    "instant": instant,
    "clock": clock,
    "iso": iso,
    "span": span,
    "number": number,
    "short_number": short_number,
    "money": money,
    "bytes": show_bytes,
    "pretty": pretty,
    "segment": segment,
    "figures_json": figures_json,
    "figures_words": figures_words,
}
