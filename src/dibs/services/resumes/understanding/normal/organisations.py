"""Employers and schools: whether a text is one, and a form by which two spellings are compared."""

import re
from functools import lru_cache

_FORMS = r"""inc|llc|llp|ltd|ltée|limited|corp|corporation|co|company|plc|gmbh|ag|kg|ohg|gbr|ug|e\.?v|se|kgaa|mbh|s\.?a|s\.?a\.?s|s\.?a\.?r\.?l|sarl|sas|
s\.?l|s\.?l\.?u|s\.?a\.?u|s\.?p\.?a|s\.?r\.?l|b\.?v|n\.?v|oy|oyj|ab|a/s|aps|as|pty|pvt|holdings?|group|gruppe|groupe|grupo"""
_FORM = re.compile(rf"(?:^|[\s,(])(?:{_FORMS.replace(chr(10), '')})\.?(?=$|[\s,)&])", re.IGNORECASE)
# Possessive: some forms are written in two ways here, and a long line of them would be tried in all combinations.
_ONLY_FORM = re.compile(rf"(?:(?:{_FORMS.replace(chr(10), '')})\.?(?:\s+&\s+|,?\s+|$))++", re.IGNORECASE)
_KINDS = re.compile(
    r"\b(?:labs?|laborator\w+|solutions|systems|technolog(?:y|ies)|software|consulting|partners|associates|studios?|agency|agentur|agence|agencia|"
    r"bank|banque|banco|sparkasse|insurance|versicherung(?:en)?|hospital|clinic|clinique|klinik\w*|klinikum|krankenhaus|hôpital|clínica|"
    r"institut\w*|foundation|stiftung|fondation|fundación|ministry|ministerium|ministère|ministerio|council|department|"
    r"museum|press|media|network|ventures|capital|industries|logistics|airlines|motors|energy|werke|verlag|university|"
    r"services|enterprises|international|global|digital|works|center|centre|zentrum|society|association|verein|church|school|"
    r"hotel|restaurant|store|shop|market|pharma\w*|biotech|analytics|robotics|dynamics|interactive|ministry|office of|army|navy|air force|"
    r"stadtwerke|versand|handel|bau|maschinenbau|automotive|healthcare|health|club|team|startup|freelance|self[- ]employed)\b",
    re.IGNORECASE,
)  # fmt: skip
_SCHOOLS = re.compile(
    r"\b(?:universi[td]\w*|uniwersytet|college|school|cégep|tecnológico de|politécnic\w+|politechnika|institute of|institut\w*|academy|akademie|académie|academia|polytechni\w*|hochschule|"
    r"fachhochschule|gymnasium|realschule|gesamtschule|berufsschule|berufskolleg|lyc[ée]e|collège|école|ecole|instituto|escuela|colegio|"
    r"facultad|faculty|fakultät|facult[ée]|conservator\w*|seminary|iut|insa|hec|ens|epfl|eth|mit|tu|fh|rwth|ucl|lse|ie|esade|uned|upm|"
    r"ucla|nyu|eafit|iit|nit|bootcamp|coursera|udacity|general assembly|high school|business school|iese|essec|sciences po|kth|dtu|caltech)\b"
    r"|\w+(?:hochschule|universität|schule|akademie|kolleg|gymnasium)\b",
    re.IGNORECASE,
)  # fmt: skip

_FIRM = re.compile(
    r"[A-ZÀ-Ý][\w'’.-]+ (?:&|and|und|et|y) (?:[A-ZÀ-Ý][\w'’-]+ )?(?:Partners?|Associates|Sons|Söhne|Co|Cie|Fils|Asociados|Hijos|Architects|Engineers|Consultants|Lawyers|Accountants|Partner mbB|Brothers)\b"
)
# What somebody did, in a few words: "Digital reporting", "Led a team", "Prepared accounts".
_DOING = re.compile(
    r"(?:[A-Z][a-z]+ )+(?:[a-z]+ )*[a-z]{3,}ing$|(?:[A-Z][a-z]+(?:ed|ing)|Led|Ran|Wrote|Built|Made|Taught|Sold|Kept|Grew|Won|Drove|Gave|Set up) [a-z]"
)


@lru_cache(maxsize=8192)
def judge_organisation(text: str) -> float:
    """Say how much a text looks like an employer: 1 surely, 0.2 a name of any kind, below 0 hardly."""
    text = text.strip()
    if not text or len(text.split()) > 10 or not any(char.isalpha() for char in text):  # noqa: PLR2004 - a sentence
        return -0.6
    words = text.split()
    if text[0].islower() and "." not in text and not any(char.isupper() for char in words[0]):
        return -0.3
    low = sum(word[0].islower() and len(word) > 3 for word in words)  # noqa: PLR2004 - particles do not count
    if len(words) > 3 and low >= 0.4 * len(words):  # noqa: PLR2004 - a phrase
        return -0.4
    if has_form(text) or is_firm(text):
        return 1.0
    if _DOING.match(text):
        return -0.3
    if _SCHOOLS.search(text) or any(match[0][0].isupper() for match in _KINDS.finditer(text)):
        return 0.7
    return 0.2


def has_form(text: str) -> bool:
    """Tell whether a text says under which law an employer stands: "GmbH", "Ltd"."""
    return bool(_FORM.search(text))


def is_legal_form(text: str) -> bool:
    """Tell whether a text is nothing but that: "GmbH & Co. KG", which belongs to a name."""
    is_written = text[:1].isupper() or text.rstrip(".") in {"inc", "ltée", "mbh", "e.V"}
    return is_written and _ONLY_FORM.fullmatch(text) is not None


def is_firm(text: str) -> bool:
    """Tell whether a text is named for its partners: "Kestrel & Vane Architects", "Weidmann & Partner"."""
    return bool(_FIRM.search(text.title() if text.isupper() else text))


@lru_cache(maxsize=8192)
def judge_school(text: str) -> float:
    """Say how much a text looks like a school: 1 surely, 0 unknown."""
    if len(text.split()) > 14:  # noqa: PLR2004 - a sentence
        return -0.5
    return 1.0 if _SCHOOLS.search(text) else 0.0


def simplify_organisation(text: str) -> str:
    """Give a form without legal ending, case and punctuation, by which two spellings are compared."""
    bare = _FORM.sub(" ", text)
    return " ".join(re.sub(r"[^\w&]+", " ", bare.casefold()).split()) or text.casefold()
