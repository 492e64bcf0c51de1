"""When something was, from what boards write: instants, days, words."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from dibs.apps.postings.model import Moment, Precision
from dibs.apps.postings.reading.fields import find

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST, _LAST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_EPOCH = re.compile(r"\d{10}|\d{13}")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_WORDED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?\.? )?([A-Za-z]{3})[a-z]*\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?,? (\d{4})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AGO = re.compile(r"(\d{1,4})\s*(\+)?")
_MORE = re.compile(r"more than|over|mehr als|über|plus de|más de|mais de|meer dan|più di|oltre|ponad|以上|超过")
_TODAY = re.compile(r"\b(?:today|heute|aujourd.hui|hoy|oggi|hoje|vandaag|dzisiaj|i dag|idag)\b|今日|今天|本日")
_YESTERDAY = re.compile(r"\b(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren|wczoraj|i går|igår)\b|昨日|昨天")
_UNITS = (
    (re.compile(r"\b(?:month|monat|mois|mes(?:es)?\b|mesi|mês|maand|miesi)|か月|个月"), 30),
    (re.compile(r"\b(?:week|woche|semaine|semana|settiman|weken|tydzie|tygod)|週間|周前"), 7),
    (re.compile(r"\b(?:hour|stunde|heure|hora|uur|godzin|minut)|時間|小时"), 0),
    (re.compile(r"\b(?:day|tag|jour|d[ií]a|giorn|dag|dni|dzie)|日前|天前"), 1),
)


def find_moment(value: Any, *path: str) -> Moment | None:
    """Follow a path to an ISO date or instant, or to seconds or milliseconds since 1970; None if there is none."""
    found = find(value, *path)
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return _from_epoch(found)
    if not isinstance(found, str):
        return None
    return read_moment(found)


def read_moment(text: str) -> Moment | None:
    """Read an ISO date or instant, one of the clock since 1970, or a day in words; without an offset it is UTC."""
    text = text.strip()[:40]
    if _EPOCH.fullmatch(text):
        return _from_epoch(int(text))
    text = _write_day(text) or text
    is_day = _DAY.fullmatch(text) is not None
    try:
        at = datetime.fromisoformat(text.removesuffix("UTC").strip() if text.endswith("UTC") else text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return _bounded(Moment(at, Precision.DAY if is_day else Precision.INSTANT))


def _write_day(text: str) -> str | None:
    """Write `1.5.2026`, `May 1, 2026` and `1 May 2026` as ISO does. Of `5/1/2026` nobody knows what it means."""
    if dotted := _DOTTED.fullmatch(text):
        return f"{dotted[3]}-{int(dotted[2]):02}-{int(dotted[1]):02}"
    worded = _WORDED.fullmatch(text)
    day = worded and (worded[1] or worded[3])
    if not worded or not day or worded[2].lower() not in _MONTHS:
        return None
    return f"{worded[4]}-{_MONTHS.index(worded[2].lower()) + 1:02}-{int(day):02}"


def read_words(text: str, now: datetime) -> Moment | None:
    """Read words such as "Posted 8 Days Ago", "Posted Today", "30+ Days Ago", as of `now`."""
    words = text.strip().lower()[:200]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if _TODAY.search(words):
        return Moment(today, Precision.RELATIVE)
    if _YESTERDAY.search(words):
        return Moment(today - timedelta(days=1), Precision.RELATIVE)
    count = _AGO.search(words)
    unit = next((days for pattern, days in _UNITS if pattern.search(words)), None)
    if count is None or unit is None:
        return None
    precision = Precision.BEFORE if count[2] or _MORE.search(words) else Precision.RELATIVE
    return _bounded(Moment(today - timedelta(days=int(count[1]) * unit), precision))


def _from_epoch(number: float) -> Moment | None:
    milliseconds = number if abs(number) > 10**11 else number * 1000
    try:
        at = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return _bounded(Moment(at))


def _bounded(moment: Moment) -> Moment | None:
    return moment if _FIRST <= moment.at < _LAST else None
