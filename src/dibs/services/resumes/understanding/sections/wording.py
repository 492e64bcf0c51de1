"""What sections are called, in English, German, French and Spanish."""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache

from dibs.services.resumes.understanding.sections.foreign import FOREIGN


class Kind(StrEnum):
    HEADER = "header"
    CONTACT = "contact"
    SUMMARY = "summary"
    WORK = "work"
    EDUCATION = "education"
    SKILLS = "skills"
    LANGUAGES = "languages"
    CERTIFICATES = "certificates"
    PROJECTS = "projects"
    VOLUNTEER = "volunteer"
    AWARDS = "awards"
    PUBLICATIONS = "publications"
    INTERESTS = "interests"
    REFERENCES = "references"
    OTHER = "other"


_PHRASES = {
    Kind.CONTACT: """contact|contact me|contact info|contact information|contact details|personal details|personal information|
        personal data|personal info|details|get in touch|info|about and contact|personal|links|social|social media|
        location|my location|profiles|social profiles|websites|find me online|connect|
        kontakt|kontaktdaten|persönliche daten|persönliche angaben|personalien|angaben zur person|zur person|anschrift|
        coordonnées|contactez moi|informations personnelles|données personnelles|état civil|infos|me contacter|
        contacto|datos personales|información personal|datos de contacto|información de contacto|redes sociales|redes""",
    Kind.SUMMARY: """summary|professional summary|career summary|executive summary|summary of qualifications|profile|
        professional profile|personal profile|career profile|about|about me|objective|career objective|professional objective|
        personal statement|who i am|introduction|intro|overview|professional overview|bio|biography|background|headline|
        highlights|career highlights|statement|in brief|at a glance|hello|my profile|qualifications summary|
        profil|kurzprofil|über mich|zusammenfassung|persönliches profil|berufsprofil|beruflicher hintergrund|ziel|
        berufsziel|zielsetzung|steckbrief|kurzvorstellung|
        résumé|à propos|à propos de moi|profil professionnel|présentation|objectif|objectif professionnel|qui suis je|
        resumen|resumen profesional|perfil|perfil profesional|sobre mí|sobre mi|acerca de mí|acerca de|extracto|objetivo|
        objetivo profesional|presentación|quién soy""",
    Kind.WORK: """experience|work experience|professional experience|employment|employment history|work history|work|
        career|career history|relevant experience|professional background|experience and employment|job history|
        professional history|industry experience|positions|positions held|professional career|career path|jobs|
        employment experience|selected experience|academic appointments|appointments|academic positions|research positions|
        faculty positions|faculty appointments|professional appointments|teaching|research experience|teaching experience|internships|internship experience|
        internship|practical experience|other experience|additional experience|previous experience|recent experience|
        where i've worked|where ive worked|experience highlights|work and experience|professional experiences|experiences|
        leadership experience|military experience|military service|consulting experience|career experience|
        berufserfahrung|berufserfahrungen|beruflicher werdegang|werdegang|berufspraxis|berufliche erfahrung|erfahrung|
        erfahrungen|praktische erfahrung|berufliche stationen|beruflicher lebenslauf|praktika|tätigkeiten|arbeitserfahrung|
        berufstätigkeit|berufliche tätigkeiten|berufliche praxis|anstellungen|stationen|
        expérience|expériences|expérience professionnelle|expériences professionnelles|parcours professionnel|parcours|
        emplois|stages|expériences de travail|carrière|
        experiencia|experiencias|experiencia laboral|experiencia profesional|trayectoria profesional|trayectoria|empleo|
        historial laboral|trayectoria laboral|prácticas|vida laboral|carrera profesional""",
    Kind.EDUCATION: """education|academic background|educational background|academic history|academic qualifications|education history|
        qualifications|education and training|training and education|academics|academic education|studies|schooling|
        education and qualifications|academic credentials|university|degrees|academic record|formal education|
        education and certifications|education and certificates|training|academic experience|educational qualifications|
        scholastic record|education and credentials|
        ausbildung|bildung|bildungsweg|studium|schulbildung|akademische ausbildung|ausbildung und studium|
        studium und ausbildung|hochschulstudium|akademischer werdegang|bildungswerdegang|schule|schulische ausbildung|
        aus und weiterbildung|ausbildungen|bildungsgang|hochschulbildung|schulischer werdegang|akademische laufbahn|
        formation|formations|éducation|études|diplômes|formation académique|parcours académique|parcours scolaire|
        cursus|scolarité|formation et diplômes|diplômes et formations|études et formations|
        educación|formación|formación académica|estudios|educación y formación|historial académico|títulos|
        formación y estudios|datos académicos|estudios académicos""",
    Kind.SKILLS: """skills|technical skills|key skills|core skills|professional skills|core competencies|competencies|expertise|
        areas of expertise|technologies|tools|tools and technologies|skill set|skillset|hard skills|soft skills|abilities|
        skills and tools|skills and technologies|technical expertise|technical proficiencies|proficiencies|it skills|
        computer skills|programming languages|tech stack|technology|technical|strengths|key competencies|skills and expertise|
        skills and abilities|skills and competencies|skills summary|other skills|additional skills|specialties|specialities|
        areas of strength|capabilities|key strengths|software|software skills|programming|programming skills|
        technical knowledge|knowledge|core strengths|relevant skills|digital skills|technical competencies|toolbox|stack|
        what i do|what i know|personal skills|qualifications and skills|skills overview|key qualifications|keywords|
        kenntnisse|fähigkeiten|kompetenzen|fachkenntnisse|it kenntnisse|edv kenntnisse|technische kenntnisse|
        computer skills and competences|personal skills and competences|ikt kenntnisse und kompetenzen|
        aptitudes et compétences informatiques|aptitudes et compétences personnelles|persönliche fähigkeiten und kompetenzen|
        capacidades y competencias informáticas|capacidades y competencias personales|
        kernkompetenzen|fertigkeiten|kenntnisse und fähigkeiten|fachkompetenzen|besondere kenntnisse|it skills und tools|
        technologien|schwerpunkte|qualifikationen|stärken|fähigkeiten und kenntnisse|werkzeuge|weitere kenntnisse|
        compétences|compétences techniques|compétences clés|compétences professionnelles|savoir faire|connaissances|
        informatique|compétences informatiques|outils|aptitudes|atouts|savoir être|qualités|domaines de compétences|
        habilidades|competencias|aptitudes|conocimientos|habilidades técnicas|competencias técnicas|tecnologías|
        informática|conocimientos técnicos|conocimientos informáticos|competencias clave|herramientas|destrezas|capacidades""",
    Kind.LANGUAGES: """languages|language skills|language|language proficiency|spoken languages|foreign languages|languages spoken|
        linguistic skills|human languages|mother tongue|mother tongue(s)|other language(s)|other languages|
        muttersprache|muttersprache(n)|sonstige sprache(n)|weitere sprache(n)|weitere sprachen|
        langue(s) maternelle(s)|langue maternelle|autre(s) langue(s)|autres langues|
        idioma(s) materno(s)|otro(s) idioma(s)|lengua materna|lengua(s) materna(s)|otros idiomas|
        sprachen|sprachkenntnisse|fremdsprachen|
        langues|langue|langues étrangères|compétences linguistiques|langues parlées|
        idiomas|idioma|lenguas|conocimiento de idiomas""",
    Kind.CERTIFICATES: """certificates|certifications|certification|licenses|licences|licenses and certifications|
        certifications and licenses|certificates and licenses|courses|courses and certifications|professional certifications|
        certifications and training|training and certifications|professional development|courses and training|
        licences and certifications|credentials|certificates and courses|accreditations|continuing education|
        trainings|trainings and certifications|further training|certifications and courses|
        zertifikate|zertifizierungen|weiterbildung|weiterbildungen|fortbildungen|fortbildung|kurse|
        zertifikate und weiterbildungen|weiterbildung und zertifikate|lizenzen|seminare|schulungen|
        certificats|certifications et formations|formations complémentaires|certificats et formations|habilitations|
        certificaciones|certificados|cursos|cursos y certificaciones|certificaciones y cursos|formación complementaria|
        licencias y certificaciones|otros cursos""",
    Kind.PROJECTS: """projects|personal projects|side projects|selected projects|key projects|academic projects|open source|
        open source projects|notable projects|project experience|portfolio|open source contributions|relevant projects|
        recent projects|research projects|project highlights|contributions|my projects|professional projects|
        projekte|projekterfahrung|eigene projekte|persönliche projekte|ausgewählte projekte|projektübersicht|
        projets|projets personnels|réalisations|projets académiques|
        proyectos|proyectos personales|proyectos destacados""",
    Kind.VOLUNTEER: """volunteer|volunteering|volunteer experience|volunteer work|community|community work|community service|community involvement|
        voluntary work|voluntary experience|civic engagement|volunteer activities|social engagement|activities and volunteering|
        leadership and volunteering|extracurricular activities|extracurricular|extracurriculars|activities|leadership|
        leadership and activities|giving back|outreach|volunteerism|community engagement|
        ehrenamt|ehrenamtliches engagement|ehrenamtliche tätigkeit|ehrenamtliche tätigkeiten|engagement|
        soziales engagement|gesellschaftliches engagement|freiwilligenarbeit|
        bénévolat|engagement associatif|engagements|vie associative|activités bénévoles|expérience bénévole|associations|
        volontariat|activités associatives|activités extra professionnelles|
        voluntariado|experiencia de voluntariado|trabajo voluntario|actividades""",
    Kind.AWARDS: """awards|honors|honours|awards and honors|honors and awards|achievements|accomplishments|awards and achievements|
        scholarships|awards and recognition|recognition|key achievements|prizes|grants|fellowships|distinctions|
        honors and achievements|scholarships and awards|fellowships and awards|awards and scholarships|honours and awards|
        grants and awards|selected achievements|
        auszeichnungen|preise|ehrungen|stipendien|erfolge|auszeichnungen und stipendien|preise und auszeichnungen|
        prix|récompenses|prix et distinctions|bourses|
        premios|reconocimientos|logros|premios y reconocimientos|becas|distinciones""",
    Kind.PUBLICATIONS: """publications|papers|articles|selected publications|publications and presentations|research|talks|
        presentations|patents|conferences|writing|books|speaking|publications and talks|talks and presentations|
        conference talks|peer reviewed publications|journal articles|patents and publications|blog|
        publikationen|veröffentlichungen|vorträge|patente|
        articles et publications|conférences|brevets|
        publicaciones|artículos|conferencias|patentes|ponencias""",
    Kind.INTERESTS: """interests|hobbies|hobbies and interests|interests and hobbies|personal interests|leisure|passions|
        activities and interests|interests and activities|other interests|leisure activities|my interests|
        interessen|hobbys|interessen und hobbys|hobbys und interessen|freizeit|persönliche interessen|private interessen|
        centres d'intérêt|centres d'intérêts|centre d'intérêt|loisirs|intérêts|passions|loisirs et intérêts|
        intereses|aficiones|pasatiempos|intereses personales|hobbies e intereses|aficiones e intereses""",
    Kind.REFERENCES: """references|referees|recommendations|testimonials|professional references|
        referenzen|empfehlungen|références|recommandations|referencias|recomendaciones""",
    Kind.OTHER: """additional information|other|miscellaneous|misc|additional|memberships|professional memberships|affiliations|
        professional affiliations|other information|additional details|availability|declaration|custom|notes|
        professional associations|quote|appendix|nationality|driving licence|
        sonstiges|mitgliedschaften|weitere angaben|weiteres|zusätzliche informationen|führerschein|verfügbarkeit|
        divers|informations complémentaires|autres|permis|permis de conduire|disponibilité|affiliations|
        otros|otros datos|información adicional|datos de interés|afiliaciones|disponibilidad""",
}  # fmt: skip

# One of these in a line that looks like a heading names its kind; the first that fits decides.
_KEYWORDS = (
    (Kind.VOLUNTEER, r"volunt|ehrenamt|bénévol|benevol|freiwillig|community service|extracurricular|associati(?:f|ve)s?"),
    (Kind.CERTIFICATES, r"certif|zertifi|licen[sc]es|weiterbildung|fortbildung"),
    (Kind.PUBLICATIONS, r"publica|veröffentlich|patent|publikation"),
    (Kind.AWARDS, r"award|honou?rs|auszeichn|distinction|premios|scholarship"),
    (Kind.LANGUAGES, r"^(?!.*programming).*\b(?:languages|sprach\w*|langues|idiomas)\b"),
    (Kind.PROJECTS, r"projects?\b|projekte|projets|proyectos"),
    (Kind.WORK, r"experience|employment|erfahrung|expérience|experiencia|werdegang|career|work history|internship"),
    (Kind.EDUCATION, r"education|ausbildung|bildung|studium|formation|educación|formación|academic|studies|qualifications"),
    (Kind.SKILLS, r"skills|kenntnis|compétence|habilidad|competenc|fähigkeit|kompetenz|expertise|technolog|proficienc|conocimiento"),
    (Kind.INTERESTS, r"interests|hobb|interessen|intérêt|intereses|aficiones"),
    (Kind.SUMMARY, r"summary|profile\b|objective|about me|zusammenfassung|à propos|resumen"),
    (Kind.REFERENCES, r"references|referenzen|référence|referencia"),
    (Kind.CONTACT, r"\bcontact\b|kontakt|contacto|coordonnées"),
)  # fmt: skip


def simplify(text: str) -> str:
    """Lower the case, drop accents and punctuation, and write "&" as "and"."""
    flat = unicodedata.normalize("NFKD", text.casefold().replace("&", " and ").replace("ß", "ss").replace("’", "'"))
    kept = "".join(char if char.isalnum() or char == "'" else " " for char in flat if not unicodedata.combining(char))
    return " ".join(kept.split())


# The languages that are handled come last: a word that another has too means what it means in them.
_EXACT = {
    simplify(phrase): kind
    for kind, phrases in (*((Kind(name), phrases) for name, phrases in FOREIGN.items()), *_PHRASES.items())
    for phrase in phrases.replace("\n", "").split("|")
}
_SEARCHED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KEYWORDS)
_LONGEST_HEADING = 6


@lru_cache(maxsize=4096)
def find_exact(text: str) -> Kind | None:
    """Find the kind of a section whose heading is known word by word."""
    plain = simplify(text)
    if plain in _EXACT:
        return _EXACT[plain]
    parts = re.split(r" (?:and|und|et|y) ", plain)
    kinds = [_EXACT.get(part) for part in parts]
    return next((kind for kind in kinds if kind), None) if len(parts) > 1 and all(kinds) else None


@lru_cache(maxsize=4096)
def find_alike(text: str) -> Kind | None:
    """Find the kind of a section whose heading holds a word that says it."""
    if len(text.split()) > _LONGEST_HEADING:
        return None
    return find_exact(text) or next((kind for kind, pattern in _SEARCHED if pattern.search(text)), None)


# Words that name a group of skills and never one.
_GROUPS = frozenset(map(simplify, (
    "tools", "methods", "professional", "other", "others", "technical", "general", "miscellaneous", "frameworks", "platforms",
    "core", "main", "additional", "advanced", "basic", "soft skills", "hard skills", "key skills", "technical skills",
    "other skills", "tools and technologies", "methodologies",
    "werkzeuge", "methoden", "fachlich", "weitere", "sonstige", "allgemein", "technisch", "persönlich",
    "outils", "méthodes", "métier", "autres", "techniques", "divers", "logiciels",
    "herramientas", "métodos", "profesionales", "otras", "otros", "técnicas", "generales",
)))  # fmt: skip
# Words that name a part of an entry.
_PARTS = frozenset(map(simplify, (
    "highlights", "key highlights", "responsibilities", "key responsibilities", "achievements", "key achievements", "courses",
    "coursework", "relevant coursework", "duties", "tasks", "technologies", "technologies used", "tech stack", "accomplishments",
    "aufgaben", "tätigkeiten", "erfolge", "kurse", "schwerpunkt", "schwerpunkte", "missions", "réalisations", "cours",
    "responsabilidades", "logros", "funciones", "cursos",
)))  # fmt: skip


def names_part(text: str) -> bool:
    """Tell whether a text names a part of an entry, where it stands in one."""
    return simplify(text) in _PARTS


def names_group(text: str) -> bool:
    """Tell whether a text is the name of a group and never a skill."""
    return simplify(text) in _GROUPS
