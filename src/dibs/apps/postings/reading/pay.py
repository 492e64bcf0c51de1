"""Pay in running text: `$120,000 – $150,000 a year`, `60.000 bis 75.000 € brutto`, `年収600万円〜900万円`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings.model import Pay, Period
from dibs.apps.postings.reading.amounts import Amount, find_amounts
from dibs.apps.postings.reading.currencies import name_currency
from dibs.apps.postings.reading.periods import find_period

_BETWEEN = re.compile(
    r"\s*(?:[-–—−~〜～]|to|bis(?: zu)?|und|and|à|a|et|au?|y|hasta|e|até|ate|en|tot|do|till|til|od|through|\.{2,3}|…"
    r"|(?:per|/|a|an)\s?(?:year|hour|month|annum|hr|yr)\s?(?:to|[-–—]))\s*",
    re.IGNORECASE,
)
_PAY_WORDS = re.compile(
    r"salar|compensation|\bpay\b|\bpaid\b|\bwage|\bbase\b|\brate\b|\bote\b|\bearn|remunerat|gehalt|vergütung"
    r"|verdienst|entgelt|\blohn|brutto|salaire|rémunération|\bbrut\b|sueldo|retribuci|stipendio|retribuzione|\bral\b"
    r"|remuneraç|loon|salaris|wynagrodz|widełki|\blön|\bløn|給|年収|月収|薪|\bctc\b",
    re.IGNORECASE,
)
_OTHER_MONEY = re.compile(
    r"budget|bonus|stipend|allowance|funding|\braised?\b|revenue|valuation|\barr\b|\bmrr\b|\bseries [a-f]\b|invest"
    r"|equity|401|\bgrant|referral|sign[- ]on|reimburs|donat|credit|voucher|gutschein|prämie|zuschuss|\bprime\b"
    r"|worth of|in assets|turnover|umsatz|capital|up to .{0,20} off|discount|lunch|gym|wellness|learning|education"
    r"|relocation",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"(?:up to|bis zu|jusqu['’]à|hasta|fino a|até|tot|do|upp till|max(?:imum|\.)?)\s*$", re.IGNORECASE)
_FROM = re.compile(
    r"(?:from|starting at|starts? at|at least|ab|mindestens|à partir de|dès|desde|a partire da|a partir de|vanaf|od"
    r"|från|min(?:imum|\.)?)\s*$",
    re.IGNORECASE,
)
_STRONG = frozenset({"USD", "EUR", "GBP", "CAD", "AUD", "NZD", "CHF", "SGD"})
# A strong currency in such numbers is a year's pay, also where nobody says so.
_A_YEARS_PAY = Decimal(15_000)
_LONGEST_TEXT = 100_000
_MOST_AMOUNTS = 2_000
_BEFORE, _AFTER = 70, 45
_LEAST = Decimal(1)
_WIDEST = 20


class _Candidate(Struct, frozen=True, kw_only=True):
    pay: Pay
    score: int


def find_pay(text: str, *, country: str | None = None) -> Pay | None:
    """Find the range of pay that a text states; None if it states none, or only money that is something else."""
    text = text[:_LONGEST_TEXT]
    best: _Candidate | None = None
    for low, high in _find_spans(text):
        candidate = _weigh(text, low, high, country)
        if candidate is not None and (best is None or candidate.score > best.score):
            best = candidate
    return None if best is None else best.pay


def _find_spans(text: str) -> Iterator[tuple[Amount, Amount | None]]:
    amounts = [amount for _, amount in zip(range(_MOST_AMOUNTS), find_amounts(text), strict=False)]
    taken = set()
    for low, high in pairwise(amounts):
        between = text[low.end : high.start]
        if (low.currency or high.currency) and low.start not in taken and _BETWEEN.fullmatch(between[:40]):
            taken |= {low.start, high.start}
            yield low, high
    yield from ((amount, None) for amount in amounts if amount.currency and amount.start not in taken)


def _weigh(text: str, low: Amount, high: Amount | None, country: str | None) -> _Candidate | None:
    last = high or low
    before, after = text[max(0, low.start - _BEFORE) : low.start], text[last.end : last.end + _AFTER]
    pay = _make_pay(low, high, before, country)
    if pay is None:
        return None
    stated = Period.YEAR if low.is_per_year or last.is_per_year else find_period(before, after)
    is_named = bool(_PAY_WORDS.search(before) or _PAY_WORDS.search(after))
    is_other = bool(_OTHER_MONEY.search(_clause_before(before)) or _OTHER_MONEY.search(_clause_after(after)))
    if is_other and not (high and stated and is_named):
        return None
    if not (stated or is_named or (high and _is_years_pay(pay))):
        return None
    period = stated or (Period.YEAR if _is_years_pay(pay) else None)
    score = 4 * bool(high) + 2 * bool(stated) + 2 * is_named - 3 * is_other
    return _Candidate(pay=replace(pay, period=period), score=score)


def _make_pay(low: Amount, high: Amount | None, before: str, country: str | None) -> Pay | None:
    currency = name_currency(low.currency or (high.currency if high else None), country=country)
    if high is None:
        value = low.scaled(1)
        bounds = _read_bounds(value, before, is_open=low.is_open)
        return Pay(min=bounds[0], max=bounds[1], currency=currency) if value >= _LEAST else None
    first, second = low.scaled(high.scale), high.scaled(1)
    if not _LEAST <= first <= second or second > first * _WIDEST:
        return None
    return Pay(min=first, max=second, currency=currency)


def _read_bounds(value: Decimal, before: str, *, is_open: bool) -> tuple[Decimal | None, Decimal | None]:
    if _UP_TO.search(before):
        return None, value
    return (value, None) if is_open or _FROM.search(before) else (value, value)


def _is_years_pay(pay: Pay) -> bool:
    return pay.currency in _STRONG and (pay.min or pay.max or 0) >= _A_YEARS_PAY


def _clause_before(text: str) -> str:
    return re.split(r"[.;:\n•]\s|,\s", text)[-1][-40:]


def _clause_after(text: str) -> str:
    return re.split(r"[.;,\n•](?:\s|$)", text)[0][:30]
