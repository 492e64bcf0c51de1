"""In which language a page is written, told by a few lines of it that were read with another language's data.

Only what one language has and the others have not counts: "de" and "la" are French, Spanish and Portuguese. Marks above
letters are left out, because data for English does not know them.
"""

import re
import unicodedata
from collections import Counter
from typing import Final

_WORDS = {
    "eng": "the and of to for with on at by from as was led team work working experience skills university since our my"
    " their this that which across through into while using new present january february march may june july october"
    " december managed built education references availability summary",
    "deu": "und der die das von mit fur bei als im zur zum des auf den eine einer eines einen sowie uber unter nach bis"
    " wurde seit heute berufserfahrung kenntnisse ausbildung sprachen januar februar marz juni juli oktober dezember",
    "fra": "et le les du pour avec dans au aux sur une par des competences experience formation langues chez depuis"
    " aujourd janvier fevrier avril mai juin juillet aout septembre octobre novembre decembre gestion equipe mise",
    "spa": "y el los las para con del por una como al experiencia formacion habilidades idiomas desde actualidad enero"
    " febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gestion equipo",
    "ita": "di il che per della dei delle nel gli sono esperienza formazione competenze",
    "por": "os em com do da dos das um uma na no nos ao pela experiencia formacao",
    "nld": "het van een voor met bij op te ervaring opleiding vaardigheden",
    "pol": "w z na oraz dla od po przy doswiadczenie wyksztalcenie",
    "swe": "och att med pa av som ett till erfarenhet utbildning",
}
_ENDINGS = {
    "eng": r"\w{3,}(?:ed|ness|ly)",
    "deu": r"\w{3,}(?:ung|ungen|keit|heit|schaft|lich|liche[nrs]?|ische[nrs]?|erin|fuhrung)",
    "fra": r"\w{3,}(?:eurs?|euses?|eaux|ites?|iques?|aires?|elles?)",
    "spa": r"\w{3,}(?:cion|ciones|dad|dades|miento|mientos|ados?|adas?|eria|mente|ando|icos?|icas?|eros?)",
}
_OWN: Final = {
    code: frozenset(words.split()).difference(*(other.split() for name, other in _WORDS.items() if name != code))
    for code, words in _WORDS.items()
}
_ENDING: Final = {code: re.compile(pattern) for code, pattern in _ENDINGS.items()}
_FEWEST = 5
_CLEARLY = 3


def weigh_tongues(text: str) -> Counter[str]:
    """Count the words that only one language has, by the name of its data."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(char))
    told: Counter[str] = Counter()
    for word in re.findall(r"[^\W\d_]+", plain):
        told.update(code for code, words in _OWN.items() if word in words)
        told.update(code for code, ending in _ENDING.items() if ending.fullmatch(word))
    return told


def choose_tongue(told: Counter[str]) -> str | None:
    """Name the language that is clearly ahead; None where none is."""
    (best, most), (_, next_most) = [*told.most_common(2), ("", 0), ("", 0)][:2]
    return best if most >= _FEWEST and most >= _CLEARLY * next_most else None
