"""Degrees: where one stands in a text, which level it is, and the subject behind it."""

import re
from functools import lru_cache
from typing import NamedTuple

_LEVELS = (
    ("doctorate", r"ph\.? ?d\.?|d\.? ?phil\.?|doctor(?:ate)?(?: of [A-Z]\w+)?|doktor(?:at|titel)?|promotion|dr\.(?: \w+\.)?|doctorat|doctorado|ed\.? ?d\.?|j\.? ?d\.?|m\.? ?d\.?|juris doctor"),
    ("master", (r"m\.? ?sc\.?(?:,? \(?hon(?:s\.?|ou?rs)\)?)?|m\.? ?a\.?|m\.? ?s\.?|m\.? ?eng\.?|m\.? ?ed\.?|mba|executive mba|m\.? ?b\.? ?a\.?|m\.? ?phil\.?|ll\.? ?m\.?|m\.? ?f\.? ?a\.?|m\.? ?tech\.?|m\.? ?res\.?|m\.? ?p\.? ?h\.?|mpa|mca|m\.? ?com\.?|m\.? ?arch\.?|msw|m\.? ?s\.? ?w\.?|m\.? ?p\.? ?p\.?|m\.? ?l\.? ?i\.? ?s\.?|m\.? ?math\.?|"
               r"(?:professional |european |international |joint |integrated )?master(?:'s|’s|s)?(?: degree)?(?: of (?:business administration|public health|public administration|fine arts|science|arts|engineering|education|laws?|technology|commerce|philosophy|research|architecture|social work|public policy|computer applications|finance|design|music))?|"
               r"diplôme d['’]ingénieure?|máster(?: universitario)?|maestría|mastère(?: spécialisé)?|magister|diplom(?:-?\w+)?(?: \((?:fh|univ\.?|uni|ba|tu)\))?|dipl\.?-? ?\w+\.?(?: \(fh\))?|staatsexamen|(?:erstes|zweites) staatsexamen|ingeniería superior|maîtrise|dea|dess")),
    ("bachelor", (r"b\.? ?sc\.?(?:,? \(?hon(?:s\.?|ou?rs)\)?)?|b\.? ?a\.?(?:,? \(?hon(?:s\.?|ou?rs)\)?)?|b\.? ?s\.?|b\.? ?eng\.?(?:,? \(?hon(?:s\.?|ou?rs)\)?)?|b\.? ?ed\.?|b\.? ?b\.? ?a\.?|b\.? ?com\.?|b\.? ?tech\.?|b\.? ?f\.? ?a\.?|ll\.? ?b\.?|b\.? ?arch\.?|bca|b\.? ?e\.?|bfa|bsn|"
                 r"bachelor(?:'s|’s|s)?(?: degree)?(?: of (?:business administration|fine arts|science|arts|engineering|education|laws?|technology|commerce|architecture|nursing|music|design|computer applications|social work|applied science))?(?:,? \(?hon(?:s\.?|ou?rs)\)?| with honou?rs)?|"
                 r"licence(?: professionnelle)?|licenciatura|licenciad[oa]|grado(?: universitario)?|graduad[oa]|diplomatura|ingeniería(?: técnica)?|ingenier[oa]|undergraduate degree|honours degree|vordiplom")),
    ("associate", r"associate(?! (?:prof|director|editor|dean|partner|consultant|manager|engineer|lecturer|researcher))(?:'s|’s)?(?: degree)?(?: of (?:science|arts|applied science))?|a\.a\.s?\.?|a\.s\.?|foundation degree|hnd|hnc|bts|dut|but|deug|classes? préparatoires?|técnico superior|formación profesional|fp|ciclo formativo(?: de grado (?:superior|medio))?|grado superior|grado medio"),
    ("vocational", r"ausbildung(?: zum| zur)?|lehre|berufsausbildung|apprenticeship|cap|bep|meisterbrief|meisterprüfung|gesellenprüfung|gesellenbrief|facharbeiterbrief|lehrabschluss(?:prüfung)?|(?:(?:eidg\.|eidgenössisches) )?(?:fähigkeitszeugnis|berufsattest)|efz|staatlich geprüfte?r? \w+|fachinformatiker(?:in)?"),
    ("diploma", r"(?:advanced |graduate |postgraduate |higher |national )?diploma|diplôme d['’]état|diplôme|diploma(?:do)?|postgraduate certificate(?: in education)?|certificate|certificat|pgce|pg ?cert(?:ificate)?\.?|pg ?dip(?:loma)?\.?|higher certificate|executive certificate|(?:graduate|professional) certificate|postgrado|nanodegree|minor|major|exchange (?:semester|year)|auslandssemester|erasmus|erasmus\+?|semestre d'échange|título"),
    ("secondary", r"high school diploma|high school|abitur|allgemeine hochschulreife|fachhochschulreife|fachabitur|mittlere reife|matura|baccalauréat(?: \w+)?|bac(?: \+ ?\d| [a-z]{1,4}\b)?|bachillerato|a[- ]levels?|gcses?|ged|secondary (?:school|education)(?: diploma)?|international baccalaureate|ib diploma|realschulabschluss|brevet"),
)  # fmt: skip
_FINDERS = tuple((level, re.compile(rf"(?<![\w.])(?:{pattern})(?![\w])", re.IGNORECASE)) for level, pattern in _LEVELS)
_SHORT = re.compile(r"^[a-z. ]{1,5}$")
_GLUE = re.compile(
    r"^(?:\s*(?:[,:;|·•–—-]|\bd['’](?=\w)|\b(?:in|of|en|im|fach|des|de|du|der|degree|fachrichtung|studiengang|with a major in|major in|majoring in|specialization in|mention|especialidad en|fach:|major:|field:|for)\b)\s*)+",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:\b(?:management|engineering|sciences?|studies|economics|mathematics|physics|chemistry|statistics|administration|arts|design|"
    r"law|finance|accounting|marketing|nursing|history|literature|linguistics|philosophy|education|architecture|journalism|"
    r"communications?|medicine|computing|robotics|mechatronics|informatik|mathematik|physik|chemie|maschinenbau|elektrotechnik|"
    r"gestion|droit|informatique|économie|mathématiques|lettres modernes|derecho|informática|economía|administración|enfermería|"
    r"bellas artes|matemáticas)|\w+(?:ology|ologie|ología|wissenschaft|wissenschaften|wesen|technik))$",
    re.IGNORECASE,
)  # fmt: skip


class Degree(NamedTuple):
    begin: int
    end: int
    level: str


@lru_cache(maxsize=4096)
def find_degree(text: str) -> Degree | None:
    """Find the first degree named in a text, the longest of those that begin together."""
    found = []
    for level, pattern in _FINDERS:
        for match in pattern.finditer(text):
            if _is_real(match[0]):
                found.append((match.start(), -match.end(), level))
                break
    if not found:
        return None
    begin, end, level = min(found)
    return Degree(begin, -end, level)


def _is_real(text: str) -> bool:
    """Short forms are only taken in the case that they are written in: "MA", not "ma"."""
    plain = text.replace(".", "").replace(" ", "")
    if _SHORT.match(text.casefold()) and len(plain) <= 4:  # noqa: PLR2004 - initials
        return plain[0].isupper() and (len(plain) > 1) and (plain.isupper() or plain[1:].lower() in _MIXED)
    return True


_MIXED = {"sc", "eng", "ed", "phil", "tech", "com", "hd", "res", "arch", "ac", "r", "ba", "inor", "ajor"}


def is_subject(text: str) -> bool:
    """Tell whether a text is surely a subject: its last word says so."""
    return bool(_SUBJECT.search(text.strip(" .,;")))


def find_glue(text: str) -> int:
    """Give where a text begins behind words that only join a subject to its degree: "en Informatique"."""
    match = _GLUE.match(text)
    return match.end() if match and match.end() < len(text) else 0


def find_area(text: str, degree: Degree) -> tuple[int, int] | None:
    """Find the subject behind a degree, or before it if there is none behind: "Computer Science, BSc"."""
    glue = _GLUE.match(text[degree.end :])
    begin = degree.end + (glue.end() if glue else 0)
    rest = re.split(r"\s[|·•]\s|\s[–—-]\s|;|\(|\)", text[begin:])[0]
    if rest.strip(" ,.()"):
        begin += len(rest) - len(rest.lstrip())
        return begin, begin + len(rest.strip().rstrip(" ,.("))
    before = text[: degree.begin].rstrip(" ,(–—-|·•:")
    return (0, len(before)) if before else None
