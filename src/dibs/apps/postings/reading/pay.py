"""Pay in running text: `$120,000 – $150,000 a year`, `60.000 bis 75.000 € brutto`, `年収600万円〜900万円`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings.model import Pay, Period
from dibs.apps.postings.reading.amounts import Amount, find_amounts
from dibs.apps.postings.reading.currencies import choose_currency, name_currency
from dibs.apps.postings.reading.periods import find_period

_BETWEEN = re.compile(
    r"\s*(?:[-–—−~〜～]|to|bis(?: zu)?|und|and|à|a|et|au?|y|hasta|e|até|ate|en|tot|do|till|til|od|through|до|\.{2,3}|…"
    r"|(?:per|/|a|an)\s?(?:year|hour|month|annum|hr|yr)\s?(?:to|[-–—])"
    r"|[,;/]?\s?(?:and\s)?max(?:imum|\.)?(?:\s(?:annual|base|salary|pay|rate|of))*\s?:?)\s*",
    re.IGNORECASE,
)
_PAY_WORDS = re.compile(
    r"salar|compensation|\bpay\b|\bpaid\b|\bwage|\bbase\b|\brate\b|\bote\b|\bearn|remunerat|gehalt|vergütung"
    r"|verdienst|entgelt|\blohn|brutto|salaire|rémunération|\bbrut\b|sueldo|retribuci|stipendio|retribuzione|\bral\b"
    r"|remuneraç|loon|salaris|wynagrodz|widełki|\blön|\bløn|給|年収|月収|薪|\bctc\b|зарплат|оклад|\bplat\b|mzda",
    re.IGNORECASE,
)
_OTHER_MONEY = re.compile(
    r"budget|bonus|stipend|allowance|funding|\braised?\b|revenue|valuation|\barr\b|\bmrr\b|\bseries [a-f]\b|invest"
    r"|equity|401|\bgrant|referral|sign[- ]on|reimburs|donat|credit|voucher|gutschein|prämie|zuschuss|\bprime\b"
    r"|worth of|in assets|turnover|umsatz|capital|up to .{0,20} off|discount|lunch|gym|wellness|learning|education"
    r"|relocation|\bsav(?:e|es|ing)\b|process|\bdeals?\b|quota|\bacv\b|book of|\bdebt|\bloan|tuition|conferenc|\bsport"
    r"|\bphone|\bmeal|parental|insur|\bsales\b|\bprize|\bspend|pension|transport|internet|scholarship|\bfees?\b",
    re.IGNORECASE,
)
_UP_TO = re.compile(
    r"(?:up to|bis zu|jusqu['’]à|hasta|fino a|até|tot|do|upp till|до|max(?:imum|\.)?)\s*$", re.IGNORECASE
)
_FROM = re.compile(
    r"(?:from|starting at|starts? at|at least|ab|mindestens|à partir de|dès|desde|a partire da|a partir de|vanaf|od"
    r"|från|min(?:imum|\.)?|от)\s*$",
    re.IGNORECASE,
)
_STRONG = ("USD", "EUR", "GBP", "CAD", "AUD", "NZD", "CHF", "SGD")
_USUAL = {
    Period.YEAR: (5_000, 2_000_000),
    Period.MONTH: (400, 100_000),
    Period.WEEK: (100, 25_000),
    Period.DAY: (30, 5_000),
    Period.HOUR: (3, 1_000),
}
# In such numbers it is a year's pay, also where nobody says so.
_A_YEARS_PAY = {
    **dict.fromkeys(_STRONG, Decimal(15_000)),
    **dict.fromkeys(("SEK", "NOK", "DKK"), Decimal(200_000)),
    **dict.fromkeys(("PLN", "BRL"), Decimal(60_000)),
    **dict.fromkeys(("ZAR", "HKD", "MXN"), Decimal(250_000)),
    **dict.fromkeys(("CZK", "INR"), Decimal(400_000)),
    "JPY": Decimal(2_000_000),
    "KRW": Decimal(20_000_000),
}
_THOUSANDS_OF_EUROS = re.compile(r"(?<=\d)\s?T(?:EUR|€|Euro)(?![A-Za-z])")
_THOUSANDS_AFTER = re.compile(r"\bT(?:EUR|€)\s?(\d{1,4}(?:\s?[-–]\s?\d{1,4})?)(?![\d.,])")
_SENTENCE = re.compile(r"[.!?]\s+(?=[A-ZÀ-Þ])|\n")
# What stands alone on a line, with a word or two, is about the posting itself.
_LONGEST_REST = 15
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
    text = _THOUSANDS_AFTER.sub(r"\1k EUR", _THOUSANDS_OF_EUROS.sub("k EUR", text[:_LONGEST_TEXT]))
    best: _Candidate | None = None
    for low, high in _find_spans(text):
        candidate = _weigh(text, low, high, country)
        if candidate is not None and (best is None or candidate.score > best.score):
            best = candidate
    return None if best is None else best.pay


def name_years(pay: Pay) -> Pay:
    """Say that pay is a year's, where nobody says what it is for and nobody earns that much in less."""
    return replace(pay, period=Period.YEAR) if pay.period is None and _is_years_pay(pay) else pay


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
    is_other = _is_about_other(_clause_before(before)) or bool(_OTHER_MONEY.search(_clause_after(after)))
    is_years = _is_years_pay(pay)
    if is_other and not (high and is_named and (stated or is_years)):
        return None
    if not (stated or is_named or (is_years and (high or _is_alone(before, after)))):
        return None
    if not is_named and not _is_usual(pay, stated):
        return None
    period = stated or (Period.YEAR if is_years else None)
    is_near = bool(_PAY_WORDS.search(_SENTENCE.split(before)[-1]) or _PAY_WORDS.search(_SENTENCE.split(after)[0]))
    score = 4 * bool(high) + bool(period) + bool(stated) + is_named + is_near - 3 * is_other
    return _Candidate(pay=replace(pay, period=period), score=score)


def _is_about_other(clause: str) -> bool:
    """Tell whether the last word about money is about other money: `Bonus and salary: …` is about pay."""
    other = max((found.end() for found in _OTHER_MONEY.finditer(clause)), default=0)
    return other > max((found.end() for found in _PAY_WORDS.finditer(clause)), default=0)


def _is_usual(pay: Pay, period: Period | None) -> bool:
    """Tell whether anybody earns that, where no word says that it is pay."""
    if period is None or pay.currency not in _STRONG:
        return True
    least, most = _USUAL[period]
    return (pay.max or pay.min or least) >= least and (pay.min or pay.max or most) <= most


def _is_alone(before: str, after: str) -> bool:
    return len((before.rsplit("\n", 1)[-1] + after.split("\n", 1)[0]).strip()) <= _LONGEST_REST


def _make_pay(low: Amount, high: Amount | None, before: str, country: str | None) -> Pay | None:
    currency = name_currency(choose_currency(low.currency, high.currency if high else None), country=country)
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
    least = _A_YEARS_PAY.get(pay.currency or "")
    return least is not None and (pay.min or pay.max or 0) >= least


def _clause_before(text: str) -> str:
    return re.split(r"[.;\n•]\s|,\s", text)[-1][-40:]


def _clause_after(text: str) -> str:
    return re.split(r"[.;,\n•](?:\s|$)|(?:^|\s)(?:\+|plus)\s", text)[0][:30]
