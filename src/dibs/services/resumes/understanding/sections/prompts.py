"""What templates ask their user to write, printed because nobody wrote it: "[List any awards here]".

People put things in brackets, too. So nearly all words of a bracket have to be those that templates ask with.
"""

import re

from dibs.services.resumes.understanding.sections.wording import simplify

_BRACKETS = re.compile(r"\[[^\[\]]{2,120}\]|<[^<>@]{2,120}>|\{[^{}]{2,120}\}|«[^«»]{2,120}»")
_BETWEEN = re.compile(r"[\W_]*(?:(?:to|at|in|bis|bei|à|chez|a|en)[\W_]*)*", re.IGNORECASE)
_COMMAND = re.compile(
    r"(?:click|tap|klicken|tippen|cliquez|appuyez|haga clic|pulse)\b.{0,40}\b(?:here|hier|ici|aquí|text|texte?|texto)\b.{0,60}",
    re.IGNORECASE,
)
_MOSTLY = 0.75
# ruff: noqa: SIM905 - a list of words reads best as words
_ASKING = frozenset(
    "your you enter insert list describe add type write state include replace briefly short any here this with text name first last full "
    "middle surname company employer organization organisation institution school college university degree major field study "
    "subject title job position role project skill skills award awards date dates from to start end month year years present city "
    "town country street address zip postal code phone telephone number email mail website url link linkedin profile summary "
    "objective description responsibilities achievements achievement accomplishment accomplishments certification certificate issuing "
    "location experience education language languages level hobby interest interests reference references contact details "
    "activities honors honours publication publications volunteer volunteering relevant coursework gpa the a an of or and for in at on "
    "e g etc optional if applicable more one two three 1 2 3 yyyy mm dd xx xxxx hier ihr ihre ihren eingeben einfügen nennen "
    "beschreiben beschreibung firma firmenname unternehmen arbeitgeber berufsbezeichnung stelle titel vorname nachname datum von "
    "bis monat jahr ort stadt straße strasse telefon telefonnummer adresse schule hochschule abschluss fach fähigkeit fähigkeiten "
    "kenntnisse auszeichnung auszeichnungen sprache projekt und oder der die das den ein eine votre vos nom prénom entrez "
    "saisissez indiquez décrivez listez entreprise société employeur poste intitulé du de la le les un une date début fin mois année ville "
    "pays rue adresse téléphone courriel école université diplôme domaine compétence compétences langue projet ici et ou su sus nombre "
    "apellido apellidos escriba introduzca indique describa empresa puesto cargo título fecha inicio mes año ciudad país calle dirección "
    "teléfono correo electrónico escuela universidad titulación competencia competencias idioma proyecto aquí y o del".split()
)


def is_prompt(text: str) -> bool:
    """Tell whether a line is nothing but what a template asks for."""
    if _COMMAND.fullmatch(text.strip(" []<>.")):
        return True
    asked = _BRACKETS.findall(text)
    return bool(asked) and _BETWEEN.fullmatch(_BRACKETS.sub(" ", text)) is not None and all(map(_is_asking, asked))


def _is_asking(bracket: str) -> bool:
    words = simplify(bracket).split()
    return bool(words) and sum(word in _PLAIN for word in words) >= _MOSTLY * len(words)


_PLAIN = frozenset(part for word in _ASKING for part in simplify(word).split())
