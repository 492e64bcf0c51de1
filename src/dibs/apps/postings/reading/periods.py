"""What an amount of pay is for, in several languages."""

import re

from dibs.apps.postings.model import Period

_PER = r"(?:/|per|an?|each|every|pro|je|par|por|al|à l['’]|all['’]|l['’]|p\.|na|za|im|i|om|om de|den)"
_AFTER: dict[Period, str] = {
    Period.YEAR: (
        r"years?|annum|yr|annual(?:ly)?|yearly|p\.? ?a\.?|jahr|jährlich|ann?ée?|annuels?|año|anual(?:es)?|anno|annu[io]"
        r"|ano|jaar|rok|rocznie|år|årligen|年"
    ),
    Period.MONTH: (
        r"months?|mo\.?|mth|monthly|monat|monatlich|mtl\.?|mois|mensuels?|mes|mensual(?:es)?|mese|mensil[ei]|mês|mensal"
        r"|maand|mies(?:iąc|ięcznie|\.)?|mc|m-c|månad|måned|月"
    ),
    Period.WEEK: (
        r"weeks?|wk|weekly|woche|wöchentlich|semaine|hebdomadaire|semana|semanal|settimana|tydzień|tygodniowo|vecka|uge|週"
    ),
    Period.DAY: (
        r"days?|daily|diem|tag|täglich|tagessatz|jour|journalier|día|diario|giorno|dia|dag|dzień|dziennie|md|日"
    ),
    Period.HOUR: (
        r"hours?|hr|hrs|hourly|h|std\.?|stunde|stündlich|heure|horaire|hora|ora|orari[oa]|uur|godz(?:in[aęy])?\.?"
        r"|timme|time|時"
    ),
}
_GROSS = r"(?:gross|brutto|bruto|brut|lordi|netto|net|before tax|USD|EUR|GBP|CAD|AUD|PLN|b2b)"
_FOLLOWS = {
    period: re.compile(
        rf"^[\s)\].,*]{{0,3}}(?:{_GROSS}[\s,+]{{0,3}}){{0,2}}(?:{_PER}\s?)?(?:{words})(?![a-zà-ž])", re.IGNORECASE
    )
    for period, words in _AFTER.items()
}
_NAMES: dict[Period, str] = {
    Period.HOUR: r"hourly|stundenlohn|stundensatz|taux horaire|per hour|por hora|orari[oa]|時給",
    Period.DAY: r"daily rate|day rate|tagessatz|\btjm\b|per diem|日給",
    Period.WEEK: r"weekly|wochenlohn|hebdomadaire|semanal",
    Period.MONTH: (
        r"monthly|monatsgehalt|monatlich|mensuel|mensual|mensile|mensal|miesięczn|maandsalaris|månadslön|月給|月収"
    ),
    Period.YEAR: (
        r"annual|yearly|jahresgehalt|jährlich|\bote\b|annuel|\banual|annu[ao]l?\b|jaarsalaris|rocznie|roczn|årslön"
        r"|年収|年俸|\bral\b"
    ),
}
_NAMED = {period: re.compile(words, re.IGNORECASE) for period, words in _NAMES.items()}
_CODES = {
    "year": Period.YEAR, "annual": Period.YEAR, "annum": Period.YEAR, "yearly": Period.YEAR, "month": Period.MONTH,
    "monthly": Period.MONTH, "week": Period.WEEK, "weekly": Period.WEEK, "day": Period.DAY, "daily": Period.DAY,
    "hour": Period.HOUR, "hourly": Period.HOUR,
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def read_period(code: str | None) -> Period | None:
    """Read a period out of a board's own code: `1 YEAR`, `per-year-salary`, `month`, `HOURLY`."""
    words = _WORD.findall((code or "").lower())
    return next((_CODES[word] for word in words if word in _CODES), None)


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
