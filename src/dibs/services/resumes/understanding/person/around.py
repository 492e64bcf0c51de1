"""What stands around a name on its line: titles, degrees, the name of the document, a greeting."""

import re

from dibs.services.resumes.understanding.sections.rows import Piece

_TITLE_WORDS = (
    r"dr|prof|(?:med|phil|jur|rer|nat|habil|h\.c)(?=\.)|mr|mrs|ms|miss|dipl\.?-ing|ing|herr|frau|m|mme|sr|sra|ph\.?d|md"
    r"|mba|m\.?sc|b\.?sc|m\.?eng|b\.?eng|jr|ii|iii|esq|cpa|cfa|rn|pmp|ll\.?m|ll\.?b"
)
_ADDED = re.compile(rf"^(?:(?:{_TITLE_WORDS})\.?\s+)+|(?:,\s*(?:{_TITLE_WORDS})\.?)+$", re.IGNORECASE)
_DEGREE = re.compile(r"(?:\s+(?:Ph\.?D|MBA|M\.?Sc|B\.?Sc|M\.?Eng|B\.?Eng|CPA|PMP|LL\.?M)\.?)+$")
_PRONOUNS = re.compile(r"\s*[(\[](?:she|he|they|sie|er|elle|il|ella|él)\s*/[^)\]]*[)\]]$", re.IGNORECASE)
_LABEL = re.compile(
    r"^(?:full ?name|name|nombre(?: y apellidos)?|nom(?: et prénom)?|vor- und nachname|vorname, name)\s*:\s*",
    re.IGNORECASE,
)
_CV_OF = re.compile(
    r"^(?:curriculum vitae|cv|r[ée]sum[ée]|lebenslauf)(?:\s+(?:of|von|de)|\s*[:–—|-])\s+|^(?:curriculum vitae|lebenslauf)\s+(?=\S+\s+\S)"
    r"|\s*[:–—|-]\s*(?:curriculum vitae|cv|r[ée]sum[ée]|lebenslauf)$",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|hallo|bonjour|salut|hola)\b[,!.]?\s+)?(?:(?:and )?i[’']?m|i am|my name is|ich bin|ich hei(?:ß|ss)e|je suis|je m[’']appelle|soy|me llamo)\s+"
    r"|(?<=\w)!$",
    re.IGNORECASE,
)
_FAMILY_FIRST = re.compile(r"([^,]+),\s+([^,]+)")


def strip_around(piece: Piece) -> Piece:
    """Give a name without what stands around it."""
    for pattern in (_LABEL, _CV_OF, _GREETING, _ADDED, _DEGREE, _PRONOUNS):
        for match in list(pattern.finditer(piece.text))[::-1]:
            begin, end = match.span()
            piece = piece.cut(end, len(piece.text)) if begin == 0 else piece.cut(0, begin)
    return piece


def is_labelled(text: str) -> bool:
    """Tell whether a line says that it gives a name."""
    return _LABEL.match(text) is not None


def in_order(text: str) -> str:
    """Give the family's name behind the given one, where capitals or a comma behind one word show it in front."""
    match = _FAMILY_FIRST.fullmatch(text)
    if match is None:
        return text
    family, given = match.groups()
    shown = (family.isupper() and not given.isupper()) or len(family.split()) == 1
    return f"{given} {family}" if shown else text
