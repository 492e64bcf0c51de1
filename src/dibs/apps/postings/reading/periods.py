"""What an amount of pay is for, in several languages."""

import re
from decimal import Decimal

from dibs.apps.postings.model import Period

_PER = r"(?:/|per|an?|each|every|pro|je|par|por|al|à l['’]|all['’]|l['’]|p\.|na|za|im|i|om|om de|den|pr\.?|pe|v|в)"
# A year in French is `an`, and in English the word before an hour.
_AFTER: dict[Period, str] = {
    Period.YEAR: (
        r"years?|annum|yr|annual(?:ly)?|yearly|p\.? ?a\.?|jahr|jährlich|ann?ée?|annuels?|año|anual(?:es)?|anno|annu[io]"
        r"|ano|jaar|rok|rocznie|ročně|år|årligen|vuosi|vuodessa|év|an(?!\s+(?:hour|hr))|yıl(?:lık)?|год|p/?a|年"
    ),
    Period.MONTH: (
        r"months?|mo\.?|mth|monthly|monat|monatlich|mtl\.?|mois|mensuels?|mes|mensual(?:es)?|mese|mensil[ei]|mês|mensal"
        r"|maand|mies(?:iąc|ięcznie|\.)?|mc|m-c|mån(?:ad(?:en)?|\.)?|måned|mnd|měs(?:íčně|íc|\.)?|kk|kuukausi|hó(?:nap)?|lun[aă]|ay(?:lık)?"
        r"|месяц|pcm|p/?m|月"
    ),
    Period.WEEK: (
        r"weeks?|wk|weekly|woche|wöchentlich|semaine|hebdomadaire|semana|semanal|settimana|tydzień|tygodniowo|vecka|uge"
        r"|неделю|p/?w|週"
    ),
    Period.DAY: (
        r"days?|daily|diem|tag|täglich|tagessatz|jour|journalier|día|diario|giorno|dia|dag|dzień|dziennie|md"
        r"|день|p/?d|日"
    ),
    Period.HOUR: (
        r"hours?|hr|hrs|hourly|h|std\.?|stunde|stündlich|heure|horaire|hora|ora|orari[oa]|uur|godz(?:in[aęy])?\.?"
        r"|timme|time|hod(?:inu|\.)?|tunti|óra|saat|час|p/?h|時"
    ),
}
_GROSS = r"(?:gross|bruttó?|brutto|bruto|brut|lordi|netto|net|before tax|(?-i:[A-Z]{3})|b2b|vat|doe|super)(?![a-zà-ž])"
_FOLLOWS = {
    period: re.compile(
        rf"^[\s()\].,*+]{{0,3}}(?:{_GROSS}[\s(),+]{{0,3}}){{0,4}}(?:{_PER}\s?)?(?:{words})(?![a-zà-žа-я])",
        re.IGNORECASE,
    )
    for period, words in _AFTER.items()
}
_NAMES: dict[Period, str] = {
    Period.HOUR: r"hourly|stundenlohn|stundensatz|taux horaire|per hour|por hora|orari[oa]|時給",
    Period.DAY: r"daily rate|day rate|tagessatz|\btjm\b|per diem|日給",
    Period.WEEK: r"weekly|wochenlohn|hebdomadaire|semanal",
    Period.MONTH: (
        r"monthly|monatsgehalt|monatlich|mensuel|mensual|mensile|mensal|miesięczn|maandsalaris|månadslön|\bmtl\b"
        r"|\bhavi\b|月給|月収|月薪"
    ),
    Period.YEAR: (
        r"annual|yearly|jahresgehalt|jährlich|\bote\b|annuel|\banual|annu[ao]l?\b|jaarsalaris|rocznie|roczn|årslön"
        r"|年収|年俸|年薪|\bral\b"
    ),
}
_NAMED = {period: re.compile(words, re.IGNORECASE) for period, words in _NAMES.items()}
_CODES = {
    "year": Period.YEAR, "annual": Period.YEAR, "annum": Period.YEAR, "yearly": Period.YEAR, "month": Period.MONTH,
    "monthly": Period.MONTH, "week": Period.WEEK, "weekly": Period.WEEK, "day": Period.DAY, "daily": Period.DAY,
    "hour": Period.HOUR, "hourly": Period.HOUR, "yr": Period.YEAR, "annually": Period.YEAR, "hr": Period.HOUR,
    "jahr": Period.YEAR, "monat": Period.MONTH, "stunde": Period.HOUR, "jaar": Period.YEAR, "maand": Period.MONTH,
    "uur": Period.HOUR, "biweekly": Period.WEEK, "fortnight": Period.WEEK, "fortnightly": Period.WEEK,
    "semimonthly": Period.MONTH, "quarter": Period.MONTH, "quarterly": Period.MONTH,
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_COUNT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,2})?)\s")
_COUNTS = {"bi-week": "2", "biweek": "2", "fortnight": "2", "semi-month": "0.5", "semimonth": "0.5", "quarter": "3"}


def read_period(code: str | None) -> Period | None:
    """Read a period out of a board's own code: `1 YEAR`, `per-year-salary`, `month`, `HOURLY`."""
    words = _WORD.findall((code or "").lower())
    return next((_CODES[word] for word in words if word in _CODES), None)


def read_interval(code: str | None) -> tuple[Period | None, Decimal]:
    """Read a board's own code, and how many of its periods it means: `2 WEEK`, `bi-week-salary`, `0.5 MONTH`."""
    said = (code or "").lower()
    stated = _COUNT.match(said)
    named = next((Decimal(count) for word, count in _COUNTS.items() if word in said), Decimal(1))
    count = Decimal(stated[1]) if stated else named
    return read_period(code), count if count > 0 else Decimal(1)


def find_period(before: str, after: str) -> Period | None:
    """Find what an amount is for in the words around it; what follows says it more surely than what precedes."""
    follows = next((period for period, pattern in _FOLLOWS.items() if pattern.search(after)), None)
    if follows is not None:
        return follows
    places = {
        period: found[-1].start() for period, pattern in _NAMED.items() if (found := list(pattern.finditer(before)))
    }
    return max(places, key=lambda period: places[period]) if places else _find_later(after)


def _find_later(after: str) -> Period | None:
    clause = re.split(r"[.;\n]", after, maxsplit=1)[0]
    return next((period for period, pattern in _NAMED.items() if pattern.search(clause)), None)
