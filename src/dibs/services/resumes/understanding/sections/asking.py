"""What forms ask for, in the words that stand before an answer: "Employer", "Zeitraum", "Poste occupé"."""

from enum import Enum, auto
from functools import lru_cache

from dibs.services.resumes.understanding.sections.wording import simplify


class Asked(Enum):
    DATES = auto()
    POSITION = auto()
    EMPLOYER = auto()
    DUTIES = auto()
    PLACE = auto()
    DEGREE = auto()
    AREA = auto()
    SCHOOL = auto()
    OTHER = auto()
    """Something that no field holds."""


_PHRASES = {
    Asked.DATES: """dates|date|date(s)|period|time period|duration|from to|dates attended|dates of employment|employment dates|
        year|years|year of passing|year of completion|jahr|jahre|année|années|año|años|
        dates from to|date from to|time frame|timeframe|tenure|zeitraum|datum|daten|dauer|von bis|période|durée|fechas|fecha|período|duración""",
    Asked.POSITION: """position|position held|job title|title|role|designation|occupation or position held|occupation|job position|
        beruf oder funktion|funktion|stelle|stellenbezeichnung|berufsbezeichnung|tätigkeit als|
        fonction ou poste occupé|fonction|poste|poste occupé|intitulé du poste|
        profesión o cargo desempeñado|cargo|puesto|cargo desempeñado|puesto desempeñado""",
    Asked.EMPLOYER: """employer|company|organisation|organization|company name|employer name|name of employer|name of company|
        name and address of employer|name of the employer|organisation name|organization name|client|arbeitgeber|name des arbeitgebers|unternehmen|firma|name und adresse des arbeitgebers|
        employeur|entreprise|société|nom et adresse de l'employeur|nom de l'employeur|nom de l'entreprise|
        empresa|empleador|nombre y dirección de la empresa o empleador|nombre y dirección del empleador|nombre y dirección de la empresa|nombre del empleador|nombre de la empresa""",
    Asked.DUTIES: """main activities and responsibilities|main responsibilities|responsibilities|duties|main duties|key responsibilities|
        description|job description|activities|main activities|roles and responsibilities|duties and responsibilities|activities and responsibilities|wichtigste tätigkeiten und zuständigkeiten|aufgaben|hauptaufgaben|aufgabenbereich|
        tätigkeiten|tätigkeiten und zuständigkeiten|principales activités et responsabilités|activités et responsabilités|missions|activités|tâches|
        funciones y responsabilidades principales|funciones y responsabilidades|tareas|principales actividades y responsabilidades|funciones|responsabilidades""",
    Asked.PLACE: "location|city|place|ort|standort|lieu|ville|lugar|ciudad|ubicación",
    Asked.DEGREE: """title of qualification awarded|qualification awarded|qualification|degree|degree obtained|
        bezeichnung der erworbenen qualifikation|abschluss|erworbener abschluss|
        course|exam|examination|intitulé du certificat ou diplôme délivré|intitulé du certificat ou diplôme|intitulé du diplôme délivré|intitulé du diplôme|diplôme|diplôme obtenu|
        cualificación obtenida|título de la cualificación obtenida|título|titulación|título obtenido""",
    Asked.AREA: "field of study|major|subject|specialization|studienfach|fachrichtung|studiengang|spécialité|filière|especialidad",
    Asked.SCHOOL: """name and type of organisation providing education and training|institution|school|university|college|
        name of institution|name of organisation providing education and training|name of organisation providing education|
        name of the organisation providing education and training|name of the organisation providing education|name and type of organisation providing education|institute|board|board/university|university/board|college/university|school/college|
        name und art der bildungs- oder ausbildungseinrichtung|name und art der bildungseinrichtung|name der bildungs- oder ausbildungseinrichtung|name der bildungseinrichtung|bildungseinrichtung|schule|hochschule|
        nom et type de l'établissement d'enseignement ou de formation|nom de l'établissement d'enseignement ou de formation|
        nom et type de l'établissement|nom de l'établissement d'enseignement|nom de l'établissement|établissement|école|université|
        nombre y tipo de la organización que ha impartido la educación o la formación|
        nombre y tipo de la organización que ha impartido la formación|nombre y tipo del centro de formación|nombre del centro de formación|nombre del centro|centro|centro de formación|centro de estudios|institución|universidad""",
    Asked.OTHER: """percentage|marks|grade|cgpa|gpa|cgpa/percentage|percentage/cgpa|note|nota|
        type of business or sector|sector|industry|principal subjects/occupational skills covered|
        level in national or international classification|tätigkeitsbereich oder branche|branche|
        hauptfächer/berufliche fähigkeiten|stufe der nationalen oder internationalen klassifikation|
        type ou secteur d'activité|secteur d'activité|secteur|principales matières/compétences professionnelles couvertes|
        niveau dans la classification nationale ou internationale|tipo de empresa o sector|sector de actividad|
        principales materias o capacidades profesionales estudiadas|nivel dentro de la clasificación nacional o internacional""",
}  # fmt: skip
_KNOWN = {
    simplify(phrase): asked for asked, phrases in _PHRASES.items() for phrase in phrases.replace("\n", "").split("|")
}


def is_question(text: str) -> bool:
    """Tell whether a text asks for something, and perhaps answers it behind a colon."""
    return find_asked(text) is not None or find_asked(text.partition(":")[0]) is not None


@lru_cache(maxsize=4096)
def find_asked(text: str) -> Asked | None:
    """Find what a text asks for, where it does nothing else."""
    return _KNOWN.get(simplify(text))
