"""Words that say what stands behind them: "Name of employer", "Dates"."""

import re
from enum import Enum, auto
from functools import lru_cache


class Role(Enum):
    """What a label says of the text that it stands for."""

    DATES = auto()
    POSITION = auto()
    EMPLOYER = auto()
    DEGREE = auto()
    SCHOOL = auto()
    PLACE = auto()
    TOLD = auto()


_WORDS = {
    Role.DATES: (
        r"dates?(?: \(from ?[–-] ?to\))?|period|duration|time ?frame|tenure|from ?[–-] ?to|datum|zeitraum|dauer|von ?[–-] ?bis|"
        r"période|durée|fechas?|per[ií]odo|duración"
    ),
    Role.POSITION: (
        r"(?:occupation or )?position held|occupation|position|job title|designation|role|beruf oder funktion|funktion|"
        r"(?:fonction ou )?poste occupé|fonction|poste|profesión o cargo desempeñado|cargo|puesto"
    ),
    Role.EMPLOYER: (
        r"(?:name (?:and address )?of )?(?:the )?employer|company(?: name)?|organi[sz]ation(?: name)?|client|"
        r"(?:name (?:und adresse )?des )?arbeitgebers?|firma|unternehmen|"
        r"(?:nom (?:et adresse )?de l['’])?employeur|entreprise|société|"
        r"(?:nombre (?:y dirección )?de la )?empresa|(?:nombre (?:y dirección )?del )?empleador"
    ),
    Role.DEGREE: (
        r"title of qualification awarded|qualification(?: awarded)?|degree|bezeichnung der erworbenen qualifikation|abschluss|"
        r"intitulé du (?:certificat ou )?diplôme(?: délivré)?|diplôme|título de la cualificación obtenida|titulación"
    ),
    Role.SCHOOL: (
        r"name (?:and type )?of (?:the )?organisation providing education(?: and training)?|institution|school|university|college|"
        r"name (?:und art )?der (?:bildungs- oder ausbildungs|bildungs)einrichtung|bildungseinrichtung|hochschule|"
        r"nom (?:et type )?de l['’]établissement(?: d['’]enseignement(?: ou de formation)?)?|établissement|"
        r"nombre (?:y tipo )?del centro(?: de formación)?|centro(?: de formación)?"
    ),
    Role.PLACE: r"location|city|place|ort|standort|lieu|ville|ciudad|lugar",
    Role.TOLD: (
        r"(?:main |key )?(?:activities and |duties and |roles and )?responsibilities|duties|main activities|description|job description|"
        r"(?:wichtigste )?tätigkeiten(?: und zuständigkeiten)?|aufgaben|(?:principales )?activités(?: et responsabilités)?|missions|"
        r"funciones(?: y responsabilidades)?(?: principales)?|responsabilidades|tareas|"
        r"type of business or sector|branche|secteur d['’]activité|sector de actividad"
    ),
}  # fmt: skip
_ROLES = tuple((role, re.compile(rf"(?:{words})\s*:?", re.IGNORECASE)) for role, words in _WORDS.items())


@lru_cache(maxsize=4096)
def find_role(text: str) -> Role | None:
    """Give what a text says of what follows it, if it says nothing else."""
    return next((role for role, pattern in _ROLES if pattern.fullmatch(text.strip())), None)
