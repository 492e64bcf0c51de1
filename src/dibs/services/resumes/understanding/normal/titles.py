"""Job titles: whether a text is one, its seniority and its family."""

import re
from functools import lru_cache
from typing import NamedTuple

from dibs.services.resumes.understanding.normal.occupations import FAMILIES, HEADS, SUFFIXES
from dibs.services.resumes.understanding.normal.organisations import is_firm

_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?(?:[./+#&]?[^\W\d_]+)*", re.UNICODE)
_SENIORITY = (
    ("intern", r"\b(?:intern|internship|praktikant\w*|praktikum|stagiaire|becari[oa]|practicante|trainee|werkstudent\w*|apprenti\w*|alternant\w*|azubi|auszubildende\w*|student assistant|working student)\b"),
    ("executive", r"\b(?:ceo|cto|cfo|coo|cmo|cio|cpo|chief|president|founder|co-founder|cofounder|(?<!business )(?<!channel )(?<!sales )partner|geschäftsführer\w*|vorstand|pdg|directeur général|director general|directora general|managing director|vice president|vp|svp|evp|(?<!product )(?<!process )(?<!service )owner)\b"),
    ("director", r"\b(?:director|directora|directeur|directrice|direktor\w*|head of|leiter\w*|head|chef de service|jefe de departamento|bereichsleiter\w*)\b"),
    ("manager", r"\b(?:manager\w*|supervisor\w*|teamleiter\w*|abteilungsleiter\w*|team lead|gerente|encargad[oa]|responsable|chef d'équipe|jef[ea]|projektleiter\w*|group lead)\b"),
    ("lead", r"\b(?:lead|principal|staff(?! (?:nurse|accountant|writer|assistant|attorney|member|photographer|pharmacist))|architect|tech lead|leading)\b"),
    ("senior", r"\b(?:senior|sr|sênior|erfahrene\w*|confirmé\w*|sénior)\b"),
    ("junior", r"\b(?:junior|jr|entry.level|graduate|associate|assistant|débutant\w*|júnior)\b"),
)  # fmt: skip
_LEVELS = tuple((level, re.compile(pattern, re.IGNORECASE)) for level, pattern in _SENIORITY)
_OPENERS = {
    "senior", "junior", "lead", "principal", "staff", "chief", "head", "vice", "associate", "assistant", "deputy", "sr", "jr",
    "interim", "freelance", "independent", "leitender", "leitende", "leitung", "responsable", "chef", "cheffe", "jefe", "jefa", "selbstständiger",
}  # fmt: skip
_LINKS = {
    "of",
    "for",
    "in",
    "de",
    "des",
    "du",
    "für",
    "im",
    "en",
    "der",
    "del",
    "und",
    "and",
    "&",
    "-",
    "–",
    "/",
    "at",
    "d'",
}
_LONGEST = 9
_SEVERAL = 0.2


class Title(NamedTuple):
    seniority: str
    family: str | None


@lru_cache(maxsize=8192)
def judge_title(text: str) -> float:
    """Say how much a text looks like a job title: 1 surely, 0 unknown, below 0 hardly."""
    words = [word.casefold() for word in _WORDS.findall(text.replace("-", " ").replace("/", " "))]
    if not words or len(words) > _LONGEST or (text.rstrip().endswith((".", ";")) and len(words) > 4):  # noqa: PLR2004
        return -0.5
    if is_firm(text):
        return -0.3
    heads = [index for index, word in enumerate(words) if _is_head(word)]
    if not heads:
        return 0.4 if words[0] in _OPENERS and len(words) > 1 else -0.1
    if all(_is_plural(words[index]) for index in heads):
        # Several people are no title, but may be a firm: "Northwind Traders".
        return _SEVERAL
    before_link = next((index for index, word in enumerate(words) if word in _LINKS), len(words))
    if heads[-1] == len(words) - 1 or heads[0] < before_link or words[0] in _OPENERS:
        return 1.0 if text[:1].isupper() or text[:1].isdigit() else 0.5
    return 0.6


def _is_head(word: str) -> bool:
    stem = re.sub(r"(?:\*|:|_)?in(?:nen)?$", "", word) if word.endswith(("*in", ":in", "_in")) else word
    return stem in HEADS or stem.rstrip("s") in HEADS or stem.endswith(SUFFIXES)


def _is_plural(word: str) -> bool:
    return word not in HEADS and not word.endswith(SUFFIXES) and word.rstrip("s") in HEADS


def read_title(text: str) -> Title:
    """Tell the seniority and the family of a job title."""
    seniority = next((level for level, pattern in _LEVELS if pattern.search(text)), "mid")
    plain = text.casefold()
    family = next((name for name, pattern in FAMILIES if pattern.search(plain)), None)
    return Title(seniority, family)


def name_title(text: str) -> str:
    """Write the seniority and the family of a job title as one text."""
    title = read_title(text)
    return f"{title.seniority} {title.family}" if title.family else title.seniority
