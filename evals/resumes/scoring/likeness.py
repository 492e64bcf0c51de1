"""When two values say the same. Strict where a machine will use the value, forgiving where only type was set."""

import re
import unicodedata

import phonenumbers
from rapidfuzz.fuzz import ratio

SAME = 90.0
DEGREES = {
    "bsc": ("bachelorofscience", "bs", "bschons", "bachelorofsciencehons"),
    "msc": ("masterofscience", "ms"),
    "ba": ("bachelorofarts",),
    "ma": ("masterofarts",),
    "mba": ("masterofbusinessadministration",),
    "phd": ("doctorofphilosophy",),
}
SAME_DEGREE = {alias: code for code, aliases in DEGREES.items() for alias in aliases}


def fold(text: str) -> str:
    """Letters and digits only, without case and accents; marks that carry meaning in skills stay (C++, C#, .NET)."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return " ".join(re.sub(r"[^\w+#]+", " ", kept).split())


def is_same_text(given: str, true: str) -> bool:
    left, right = fold(given), fold(true)
    return left == right or (min(len(left), len(right)) > 5 and ratio(left, right) >= SAME)


def is_same_email(given: str, true: str) -> bool:
    return given.strip().casefold() == true.strip().casefold()


def is_same_phone(given: str, true: str, region: str) -> bool:
    return _dial(given, region) == _dial(true, region)


def _dial(text: str, region: str) -> str:
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return re.sub(r"\D", "", text)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def is_same_link(given: str, true: str) -> bool:
    return _bare(given) == _bare(true)


def _bare(url: str) -> str:
    return re.sub(r"^(https?://)?(www\.)?", "", url.strip().casefold()).rstrip("/")


def is_same_place(given: str, true: str) -> bool:
    """The city is enough: "Austin" for "Austin, TX", "Melbourne" for "Melbourne VIC"."""
    first = re.split(r"[,(]", true)[0].strip()
    forms = {fold(true), fold(first), fold(re.sub(r"\s+[A-Z]{2,3}$", "", first))}
    return fold(given) in forms or fold(re.split(r"[,(]", given)[0]) in forms


def is_same_date(given: str, true: str, *, lenient: bool) -> bool:
    if lenient and len(given) == 4:
        return given == true[:4]
    return given == true[:7] or (lenient and given[:7] == true[:7])


def is_same_degree(given: str, true: str, area: str) -> bool:
    """Its abbreviation is the same degree, and so is the whole line that names the subject too."""
    left, right = _degree(given), _degree(true)
    return (
        left == right
        or ratio(left, right) >= SAME
        or left == _degree(f"{true} {area}")
        or left == _degree(f"{true} in {area}")
    )


def _degree(text: str) -> str:
    bare = fold(text).replace(" ", "")
    return SAME_DEGREE.get(bare, bare)
