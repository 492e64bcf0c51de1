"""Signs and names of currencies, and which of those that share a sign is meant where."""

import re

_SIGNS = {
    "US$": "USD", "C$": "CAD", "CA$": "CAD", "CAD$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "S$": "SGD",
    "SG$": "SGD", "HK$": "HKD", "MX$": "MXN", "R$": "BRL", "NT$": "TWD", "$": "USD", "€": "EUR", "£": "GBP", "¥":
    "JPY", "￥": "JPY", "円": "JPY", "元": "CNY", "₹": "INR", "Rs": "INR", "Rs.": "INR", "₽": "RUB", "руб": "RUB",
    "руб.": "RUB", "₩": "KRW", "₪": "ILS", "₺": "TRY", "₴": "UAH", "₫": "VND", "₱": "PHP", "฿": "THB", "zł": "PLN",
    "zl": "PLN", "Kč": "CZK", "kč": "CZK", "Ft": "HUF", "lei": "RON", "kr": "SEK", "Kr": "SEK", "kr.": "SEK", "Kr.":
    "SEK", "Fr.": "CHF", "SFr.": "CHF", "euros": "EUR", "euro": "EUR", "Euro": "EUR", "EURO": "EUR", "dollars": "USD",
    "pounds": "GBP", "złotych": "PLN", "R": "ZAR", "RMB": "CNY", "CN¥": "CNY",
}  # fmt: skip
_CODES = """
USD EUR GBP CAD AUD NZD CHF SEK NOK DKK ISK PLN CZK HUF RON BGN HRK RSD UAH RUB TRY ILS AED SAR QAR EGP ZAR NGN KES
INR PKR BDT LKR CNY JPY KRW TWD HKD SGD MYR THB IDR PHP VND BRL MXN ARS CLP COP PEN UYU
"""
CODES = frozenset(_CODES.split())
_LOCAL_DOLLARS = {
    "CA": "CAD",
    "AU": "AUD",
    "NZ": "NZD",
    "SG": "SGD",
    "HK": "HKD",
    "MX": "MXN",
    "TW": "TWD",
    "CL": "CLP",
}
_LOCAL_CROWNS = {"NO": "NOK", "DK": "DKK", "IS": "ISK"}
_COUNTRIES = {
    "canada": "CA", "australia": "AU", "new zealand": "NZ", "singapore": "SG", "hong kong": "HK", "mexico": "MX",
    "méxico": "MX", "taiwan": "TW", "chile": "CL", "norway": "NO", "norge": "NO", "denmark": "DK", "danmark": "DK",
    "iceland": "IS", "china": "CN", "oslo": "NO", "copenhagen": "DK", "toronto": "CA", "vancouver": "CA",
    "montreal": "CA", "sydney": "AU", "melbourne": "AU",
}  # fmt: skip

_CROWNS = frozenset({"kr", "kr."})
_SHARED = _CROWNS | {"$", "¥", "￥"}


def _write_sign(sign: str) -> str:
    # `45K€` has a letter before its sign, and `R 4` is a language: of rands there are thousands.
    start = r"(?<![A-Za-z])" if sign[0].isalpha() else r"(?<![A-JL-Za-jl-z])"
    if sign == "R":
        return start + r"R(?=\d{1,3}[ ,]\d{3}|\d{4}|\d{2,3}k)"
    return start + re.escape(sign) + (r"(?![A-Za-zÀ-ž])" if sign[-1].isalpha() and sign.isascii() else "")


# The longest first, so that `US$` is not read as `$`. A code of letters ends where a word does.
CODE = rf"(?<![A-Za-z])(?:{'|'.join(sorted(CODES))})(?![A-Za-z])"
CURRENCY = "|".join([CODE, *(_write_sign(sign) for sign in sorted(_SIGNS, key=len, reverse=True))])


def choose_currency(*said: str | None) -> str | None:
    """Choose among what stands beside an amount: `$90,000 CAD` are Canadian, whatever else the sign may mean."""
    written = [word for word in said if word]
    return next((word for word in written if word.lower() not in _SHARED), written[0] if written else None)


def name_currency(said: str | None, *, country: str | None = None) -> str | None:
    """Give the code of a currency that is written as a sign, a name or a code; None if it is none."""
    if not said:
        return None
    word = said.strip()
    if word.upper() in CODES:
        return word.upper()
    code = _SIGNS.get(word) or _find_code(word)
    if word == "$":
        return _LOCAL_DOLLARS.get(country or "", code)
    if word.lower() in _CROWNS:
        return _LOCAL_CROWNS.get(country or "", code)
    return "CNY" if word in ("¥", "￥") and country == "CN" else code


def _find_code(words: str) -> str | None:
    """Find a code among words, such as `EUR (€)` or `US Dollar (USD)`."""
    return next((word for word in re.findall(r"[A-Z]{3}", words[:80].upper()) if word in CODES), None)


def guess_country(*places: str | None) -> str | None:
    """Find a country, among those whose money has a shared sign, in the names of places."""
    said = " · ".join(place for place in places if place)[:2000]
    by_name = next((code for name, code in _COUNTRIES.items() if name in said.lower()), None)
    known = {*_LOCAL_DOLLARS, *_LOCAL_CROWNS, "CN"}
    by_code = next((code for code in re.findall(r"\b[A-Z]{2}$", said) if code in known), None)
    # `CA` after a comma is California far more often than Canada.
    return by_name or (by_code if by_code != "CA" else None)
