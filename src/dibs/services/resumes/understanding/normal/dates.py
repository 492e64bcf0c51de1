"""Dates and ranges of dates in running text, in English, German, French and Spanish, and with the precision they had."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from dibs.services.resumes.understanding.normal.months import MONTHS, SEASONS

_FIRST_YEAR, _LAST_YEAR = 1940, 2049
_YEAR = r"(?:19[4-9]\d|20[0-4]\d)"
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_TIMES = "|".join(sorted(SEASONS, key=len, reverse=True))
_DAY = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th|er|º|\.)?"
_FREE = r"(?<![\w/.\-–])"  # not in the middle of a number, an address or another date
_ATOM = rf"""
    (?:
      (?P<iso_y{{n}}>{_YEAR})[-/.](?P<iso_m{{n}}>0?[1-9]|1[0-2])(?:[-/.](?P<iso_d{{n}}>0?[1-9]|[12]\d|3[01]))?(?:T[\d:.]+Z?)?(?![\d/.-]\d|\d)
    | (?P<num_a{{n}}>0?[1-9]|[12]\d|3[01])[./-](?P<num_b{{n}}>0?[1-9]|[12]\d|3[01])[./-](?P<num_y{{n}}>{_YEAR})(?!\d)
    | (?P<my_m{{n}}>0?[1-9]|1[0-2])\s?[./-]\s?(?P<my_y{{n}}>{_YEAR})(?!\d)
    | (?P<ms_m{{n}}>0[1-9]|1[0-2])[./](?P<ms_y{{n}}>\d\d)(?![\d/.])
    | (?:{_DAY}\s+(?:de\s+|of\s+)?)?(?P<name{{n}}>{_NAMES})\b\.?,?(?:-(?={_YEAR})|\s*)(?:de\s+|del\s+)?(?:{_DAY},?\s+)?(?:(?P<name_y{{n}}>{_YEAR})(?!\d)|['’](?P<name_s{{n}}>\d\d)(?!\d))
    | (?P<term{{n}}>{_TIMES})\s+(?:de\s+|of\s+)?(?P<term_y{{n}}>{_YEAR})(?!\d)
    | (?P<turned_y{{n}}>{_YEAR})(?:,?\s+|[-/.])(?P<turned{{n}}>{_NAMES})\b(?!\.?,?\s*(?:{_YEAR}|\d\d\b))\.?
    | (?P<year{{n}}>{_YEAR})(?![\d%])
    )"""
_PRESENT = (
    r"present|presently|until\ now|till\ now|bis\ heute|current|currently|now|today|ongoing|to\ date|date|till\ date|"
    r"heute|aktuell|jetzt|laufend|gegenwart|dato|"
    r"aujourd['’]hui|auj(?=\.)|à\ ce\ jour|ce\ jour|présent|en\ cours|actuel|actuellement|maintenant|"
    r"actualidad|act(?=\.)|actual|actualmente|presente|la\ actualidad|hoy|la\ fecha|"
    r"oggi|in\ corso|atual|atualmente|heden|obecnie|nadal|nuvarande|nu|nå|nykyinen|současnost|prezent|jelenleg|günümüz|"
    r"настоящее\ время|по\ настоящее\ время|теперішній\ час|σήμερα|現在|至今|현재|الآن|היום"
)
_BETWEEN = r"\s*(?:->|[-–—−‒‐‑―─→⟶➔➝›»~…]+|\bto\b|\bthru\b|\buntil\b|\btill\b|\bthrough\b|\bbis\b|\bbis\ zum\b|\bà\b|\bau\b|\bjusqu['’]à\b|\ba\b|\bal\b|\bhasta\b|\bhasta\ la\b)\s*(?:zum\s+|la\s+)?"
_SINCE = r"\b(?:since|from|seit|ab|depuis|desde)\s+"
_BARE = rf"(?P<bare>(?<!\w)(?:{_NAMES}))\.?"
_FLAGS = re.IGNORECASE | re.VERBOSE
_RANGE = re.compile(
    rf"""(?:(?:{_SINCE})?{_FREE}{_ATOM.format(n=1)}{_BETWEEN}(?:{_ATOM.format(n=2)}|(?P<now>{_PRESENT})\b)
    |{_BARE}{_BETWEEN}{_ATOM.format(n=3)})""",
    _FLAGS,
)
_OPEN = re.compile(rf"{_SINCE}{_FREE}{_ATOM.format(n=1)}", _FLAGS)
_SHORT = re.compile(rf"(?<![\w/.-])({_YEAR})\s?[-–—/]\s?(\d\d)(?![\d/.-])")
_HANGING = re.compile(rf"{_FREE}{_ATOM.format(n=1)}\s*[-–—]\s*(?=$|[|)\t])", _FLAGS)
_ONE = re.compile(rf"{_FREE}{_ATOM.format(n=1)}", _FLAGS)
_HINT = re.compile(r"\d\d")


class Instant(NamedTuple):
    """A date as precise as it was written."""

    year: int
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        parts = (f"{self.year:04}", *(f"{part:02}" for part in (self.month, self.day) if part))
        return "-".join(parts)


class Span(NamedTuple):
    """A date, or a range of dates, from one character of a text to another."""

    begin: int
    end: int
    start: Instant | None
    stop: Instant | None
    is_present: bool = False

    @property
    def is_range(self) -> bool:
        return self.is_present or (self.start is not None and self.stop is not None)


def find_dates(text: str) -> list[Span]:
    """Find ranges and single dates; they do not overlap, and stand in order."""
    if not _HINT.search(text):
        return []
    found: list[Span] = []
    for matches in (_ranges(text), _shorts(text), _opens(text), _hangings(text), _ones(text)):
        found += [span for span in matches if _is_sane(span) and not _overlaps(span, found)]
    return sorted(found)


def _overlaps(span: Span, found: list[Span]) -> bool:
    return any(span.begin < other.end and other.begin < span.end for other in found)


def _is_sane(span: Span) -> bool:
    if span.start and span.stop:
        first, last = (span.start.year, span.start.month or 0), (span.stop.year, span.stop.month or 12)
        return first <= last and last[0] - first[0] <= 60  # noqa: PLR2004 - a working life
    return True


def _ranges(text: str) -> Iterator[Span]:
    for match in _RANGE.finditer(text):
        if match["bare"]:
            last = _read(match, 3)
            yield Span(match.start(), match.end(), Instant(last.year, MONTHS[match["bare"].lower()]), last)
        else:
            stop = None if match["now"] else _read(match, 2)
            yield Span(match.start(), match.end(), _read(match, 1), stop, bool(match["now"]))


def _shorts(text: str) -> Iterator[Span]:
    for match in _SHORT.finditer(text):
        year, short = int(match[1]), int(match[2])
        stop = year - year % 100 + short
        if year < stop <= year + 12:
            yield Span(match.start(), match.end(), Instant(year), Instant(stop))


def _opens(text: str) -> Iterator[Span]:
    for match in _OPEN.finditer(text):
        yield Span(match.start(), match.end(), _read(match, 1), None, is_present=True)


def _hangings(text: str) -> Iterator[Span]:
    """A range whose end was left open: "2019 –"."""
    for match in _HANGING.finditer(text):
        yield Span(match.start(), match.end(), _read(match, 1), None, is_present=True)


def _ones(text: str) -> Iterator[Span]:
    for match in _ONE.finditer(text):
        yield Span(match.start(), match.end(), None, _read(match, 1))


def _read(match: re.Match[str], n: int) -> Instant:
    def get(name: str) -> str | None:
        return match[f"{name}{n}"]

    if year := get("iso_y"):
        return Instant(int(year), int(get("iso_m") or 0) or None, int(get("iso_d") or 0) or None)
    if year := get("num_y"):
        return _read_numbers(int(year), int(get("num_a") or 1), int(get("num_b") or 1))
    if year := get("my_y"):
        return Instant(int(year), int(get("my_m") or 0) or None)
    if year := get("ms_y"):
        return Instant(_century(int(year)), int(get("ms_m") or 0) or None)
    if name := get("name"):
        year = get("name_y")
        return Instant(int(year) if year else _century(int(get("name_s") or 0)), MONTHS[name.lower()])
    if name := get("turned"):
        return Instant(int(get("turned_y") or 0), MONTHS[name.lower()])
    return Instant(int(get("term_y") or get("year") or 0))


def _read_numbers(year: int, first: int, second: int) -> Instant:
    """Day first, as most of the world writes it, unless the second number cannot be a month."""
    day, month = (second, first) if second > 12 else (first, second)  # noqa: PLR2004 - months
    return Instant(year, month, day) if month <= 12 else Instant(year)  # noqa: PLR2004 - months


def _century(short: int) -> int:
    return 2000 + short if short < 50 else 1900 + short  # noqa: PLR2004 - nobody's resume begins in 2050


_UNFINISHED = re.compile(
    rf"\d.*(?:[-–—−]|\bto|\bbis|\buntil|\bà|\ba|\bhasta)\s*(?:\bla\b|\bzum\b)?\s*(?:(?<!\w)(?:{_NAMES})\.?)?$",
    re.IGNORECASE,
)
_FINISH = re.compile(
    rf"^(?:(?:(?:{_NAMES})\.?\s+|(?:0?[1-9]|1[0-2])[./-])?{_YEAR}|{_YEAR}[-/.](?:0[1-9]|1[0-2])|{_PRESENT.replace(chr(92) + ' ', ' ')})$",
    re.IGNORECASE,
)


def is_unfinished(text: str) -> bool:
    """Tell whether a range breaks off at the end of a line: "May 2017 – August"."""
    return bool(_UNFINISHED.search(text))


def is_finish(text: str) -> bool:
    """Tell whether a text can be the rest of a range: "2021"."""
    return bool(_FINISH.match(text.strip()))


_RESUMED = re.compile(r"(?:[-–—]|to|bis|until|till|through|à|au|al?|hasta)\s+(?:la\s+|zum\s+)?", re.IGNORECASE)


def is_rest(text: str) -> bool:
    """Tell whether a line goes on with a range that began above: the dash in front of it is no list mark."""
    match = _RESUMED.match(text)
    rest = text[match.end() :] if match else ""
    return is_finish(rest) or is_month(rest)


def is_month(text: str) -> bool:
    """Tell whether a text is the name of a month, perhaps behind a dash, whose year is to follow."""
    return text.strip(" .-–—").lower() in MONTHS


_TAIL = re.compile(
    rf"(?:{_SINCE})?(?<![\w/.\-–])(?:(?P<range>{_ATOM.format(n=1)}{_BETWEEN})(?P<stop>(?:{_NAMES})\.?)?|(?P<month>(?:{_NAMES})\.?))$",
    _FLAGS,
)
_SINCE_ALONE = re.compile(r"since|from|seit|ab|depuis|desde", re.IGNORECASE)
_YEAR_FIRST = re.compile(rf"{_YEAR}(?!\d)")
_DATE_FIRST = re.compile(rf"(?:{_ATOM.format(n=1)}|(?:{_PRESENT})\b)", _FLAGS)


def find_broken(above: str, below: str) -> int | None:
    """Find where a date begins that the end of a line broke: "… Berlin, March" over "2021 – May 2022"."""
    if is_rest(below):
        last = next(iter(find_dates(above)[-1:]), None)
        return last.begin if last and last.end == len(above) and not last.is_range else None
    if _SINCE_ALONE.fullmatch(above):
        return 0 if _DATE_FIRST.match(below) else None
    match = _TAIL.search(above)
    if match is None:
        return None
    rest = _DATE_FIRST if match["range"] and not match["stop"] else _YEAR_FIRST
    return match.start() if rest.match(below) else None


_NOW = re.compile(rf"^(?:{_PRESENT})$", _FLAGS)


@lru_cache(maxsize=4096)
def read_bare(text: str) -> Instant | None:
    """Give the date that a text is, and nothing else but it."""
    spans = find_dates(text)
    rest = text[: spans[0].begin] + text[spans[0].end :] if spans else text
    return None if len(spans) != 1 or spans[0].start or any(char.isalnum() for char in rest) else spans[0].stop


def is_pair(first: str, second: str) -> bool:
    """Tell whether two texts are the start and the end of a range, written without anything between them."""
    start, stop = read_bare(first), read_bare(second)
    if start is None:
        return False
    if stop is None:
        return bool(_NOW.match(second.strip()))
    return start != stop and earliest(start) < _latest(stop)


def earliest(instant: Instant) -> Instant:
    """Give the first day that a date may mean: only whole dates can be compared."""
    return Instant(instant.year, instant.month or 1, instant.day or 1)


def _latest(instant: Instant) -> Instant:
    return Instant(instant.year, instant.month or 12, instant.day or 31)


@lru_cache(maxsize=4096)
def is_bare_range(text: str) -> bool:
    """Tell whether a text is a range of dates, and nothing else."""
    spans = find_dates(text)
    rest = text[: spans[0].begin] + text[spans[0].end :] if spans else text
    return len(spans) == 1 and spans[0].is_range and not any(char.isalnum() for char in rest)
