"""Amounts of money in running text, whatever the language writes between thousands and before decimals."""

import re
from collections.abc import Iterator
from decimal import Decimal

from msgspec import Struct

from dibs.apps.postings.reading.currencies import CODE, CURRENCY, choose_currency
from dibs.apps.postings.reading.fields import tidy_number

_BLANK = "[ \u00a0\u202f\u2009]"
_GROUPED = rf"\d{{1,3}}(?:[.,'’]\d{{2,3}}|{_BLANK}\d{{3}}(?!\d)){{1,4}}(?:[.,]\d{{1,2}})?(?!\d)"
_NUMBER = rf"{_GROUPED}|\d{{1,9}}(?:[.,]\d{{1,2}})?(?!\d)"
_SCALE = (
    r"[kK](?![A-Za-zÀ-ž])|[kK](?=p\.?[am]\b|pcm\b)|tys\.?|[Tt]sd\.?|mille(?![a-z])|万|LPA|(?:lakhs?|lacs?)(?![a-z])"
)
# `M` and `million` tell that it is not pay: somebody raised it.
_TOO_MUCH = r"(?:[mM]{1,2}|[bB]n?|million\w*|billion\w*|mio\.?|mrd\.?|Mio\.?|Mrd\.?)(?![A-Za-zÀ-ž])"
# `100.--` and `3.500,-` have no decimals.
_NO_DECIMALS = rf"[.,][-–—]{{1,2}}(?!{_BLANK}?[\d$€£])"
_AMOUNT = re.compile(
    rf"(?:(?P<code>{CODE}){_BLANK}?(?=[$€£¥R]))?(?P<before>{CURRENCY})?{_BLANK}?(?<![\d.,])(?P<number>{_NUMBER})"
    rf"(?:{_NO_DECIMALS})?{_BLANK}?(?P<scale>{_SCALE})?{_BLANK}?(?P<much>{_TOO_MUCH})?(?P<percent>%)?(?P<plus>(?<!\s)\+)?"
    rf"{_BLANK}?(?P<after>{CURRENCY})?"
)
_SCALES = {"万": 10_000, "l": 100_000}


class Amount(Struct, frozen=True, kw_only=True):
    """A number with the money beside it, and where it stands."""

    value: Decimal
    start: int
    end: int
    currency: str | None = None
    scale: int = 1
    is_open: bool = False
    is_per_year: bool = False

    def scaled(self, scale: int) -> Decimal:
        """Give the whole number, by its own scale or by that of the other end of a range."""
        return tidy_number(self.value * (self.scale if self.scale > 1 else scale))


def find_amounts(text: str) -> Iterator[Amount]:
    """Find the numbers of a text, and the currencies beside them. Percentages and millions are left out."""
    for found in _AMOUNT.finditer(text):
        if found["much"] or found["percent"]:
            continue
        is_per_year = found["scale"] == "LPA"
        yield Amount(
            value=read_number(found["number"]),
            start=found.start(),
            end=found.end(),
            currency=choose_currency(found["code"], found["before"], found["after"], "INR" if is_per_year else None),
            scale=_read_scale(found["scale"]),
            is_open=found["plus"] is not None,
            is_per_year=is_per_year,
        )


def read_number(text: str) -> Decimal:
    """Read a number: a separator before exactly three digits divides thousands, else the last one starts decimals."""
    compact = re.sub(rf"{_BLANK}|['’]", "", text)
    head, mark, tail = _split_decimals(compact)
    whole = re.sub(r"\D", "", head)
    return tidy_number(Decimal(f"{whole or '0'}.{tail}" if mark else whole or "0"))


def _split_decimals(text: str) -> tuple[str, str, str]:
    place = max(text.rfind("."), text.rfind(","))
    if place < 0 or len(text) - place - 1 == 3:  # noqa: PLR2004 - thousands have three digits
        return text, "", ""
    return text[:place], text[place], text[place + 1 :]


def _read_scale(said: str | None) -> int:
    return 1 if said is None else _SCALES.get(said[0].lower(), 1000)
