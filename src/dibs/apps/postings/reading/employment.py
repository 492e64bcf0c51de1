"""Kinds of employment, under one name each."""

import re

_KINDS = (
    ("internship", r"\bintern(?:ship)?\b|praktik|stagiaire|\bstage\b|pasant|tirocin|estágio|staż"),
    ("apprenticeship", r"apprentic|ausbildung|\bazubi|alternance|\btrainee"),
    ("working_student", r"working.?student|werkstudent"),
    ("freelance", r"freelanc|freiberuf|self.?employed|\bb2b\b"),
    ("contract", r"contract(?!.*perman)|\bfixed.?term|(?<!un)befrist|\bcdd\b|contrat à durée déterminée|contractor"),
    ("temporary", r"\btemp(?:orary)?\b|zeitarbeit|interim|intérim|seasonal"),
    ("volunteer", r"volunt|ehrenamt|bénévol"),
    # What can be had either way can be had in full time: who looks for that must find it.
    ("full_time", r"\bfull.{0,12}part.?time|part.?time.{0,6}full|vollzeit.{0,12}teilzeit|teilzeit.{0,12}vollzeit"),
    (
        "part_time",
        r"part.?time|^part$|teilzeit|temps partiel|tiempo parcial|media jornada|tempo parcial|parttime|deeltijd",
    ),
    (
        "full_time",
        (
            r"full.?time|\bfte\b|^full$|vollzeit|temps plein|tiempo completo|jornada completa|tempo (?:pieno|integral)"
            r"|voltijd|pełny etat"
        ),
    ),
    ("permanent", r"perman|unbefrist|\bcdi\b|indefinid|indeterminat|regular"),
)
_PATTERNS = [(name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _KINDS]
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_employment(*said: str | None) -> str | None:
    """Name a kind of employment; the board's own words if they are none that we know."""
    texts = [text for text in said if text]
    for text in texts:
        words = _HUMPS.sub(" ", text).replace("_", " ")
        found = next((name for name, pattern in _PATTERNS if pattern.search(words)), None)
        if found is not None:
            return found
    return texts[0] if texts else None
