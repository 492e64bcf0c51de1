"""Which language a document is written in."""

import re

_WORDS = {
    "en": "the and of to in for with on at by from as was led team work experience education skills university",
    "de": "und der die das von in mit für bei als im zur zum des auf den eine ein sowie berufserfahrung ausbildung kenntnisse",
    "fr": "et de la le les des du en pour avec dans au aux sur une un par compétences expérience formation",
    "es": "y de la el los las en para con del por un una al experiencia formación habilidades como",
    "it": "e di il la che per con del della dei un una nel esperienza formazione competenze",
    "pt": "e de o a os as em para com do da dos das um uma experiência formação no na",
    "nl": "en de het van een in voor met bij op als te ervaring opleiding vaardigheden",
    "pl": "i w z na do oraz dla od po przy się jest jako ze firmy pracy doświadczenie wykształcenie umiejętności",
    "sv": "och i att för med på av som en ett till den är från inom samt erfarenhet utbildning",
    "da": "og i at for med på af som en et til den er fra inden samt ved hos erfaring uddannelse",
    "no": "og i å for med på av som en et til den er fra innen samt ved hos erfaring utdanning",
    "fi": "ja on että sekä oli mukaan kanssa yrityksen asiakkaiden työkokemus koulutus osaaminen",
    "cs": "a v na se pro s z k do jako při ve ze je firmy pracovní zkušenosti vzdělání dovednosti",
    "ro": "și şi în de la pentru cu din pe un o ale este experiență educație competențe",
    "hu": "és a az egy hogy nem is volt valamint mint után tapasztalat tanulmányok készségek",
    "tr": "ve bir için ile olarak bu da de çok daha olan şirketin deneyim eğitim beceriler",
}  # fmt: skip
_SETS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_FEWEST = 12
_FEWEST_SAID, _FEWEST_LONG = 3, 2
HANDLED = ("en", "de", "fr", "es")


_SCRIPTS = {
    "ja": "[\u3041-\u30ff]",
    "zh": "[\u4e00-\u9fff]",
    "ko": "[\uac00-\ud7a3]",
    "uk": "[іїєґІЇЄҐ]",
    "ru": "[\u0400-\u04ff]",
    "el": "[\u0370-\u03ff]",
    "fa": "[پچژگ]",
    "ar": "[\u0600-\u06ff]",
    "he": "[\u0590-\u05ff]",
    "hi": "[\u0900-\u097f]",
    "th": "[\u0e00-\u0e7f]",
}
"""Signs of a script; those that only one of its languages has stand before the whole of it."""
_SPARSE = {"ja": 0.04, "uk": 0.01, "fa": 0.01}
_OWN_SHARE = 0.2
_CLOSE = 0.8


def find_document_language(text: str) -> str | None:
    """Tell the language by its letters, or by its commonest words; None where there is too little to tell."""
    by_script = _find_by_script(text)
    words = re.findall(r"\b[^\W\d_]+\b", text.casefold().replace("\u0307", ""))
    if by_script or len(words) < _FEWEST:
        return by_script
    scores = {code: sum(word in known for word in words) for code, known in _SETS.items()}
    most = max(scores.values())
    if most < 0.02 * len(words):
        return None
    # Neighbours share most of their small words: one that is handled is not given up for a close guess.
    near = [code for code in HANDLED if scores[code] >= _CLOSE * most]
    found = max(near or scores, key=lambda code: scores[code])
    return found if near or _is_convincing(_SETS[found].intersection(words)) else None


def _is_convincing(said: frozenset[str]) -> bool:
    """Tell whether words show that a text is in a language: initials, legal forms and names of towns are no sentences."""
    return len(said) >= _FEWEST_SAID and sum(len(word) > 1 for word in said) >= _FEWEST_LONG


def _find_by_script(text: str) -> str | None:
    letters = sum(char.isalpha() for char in text)
    others = sum(char.isalpha() and char > "\u036f" for char in text)
    if not letters or others < _OWN_SHARE * letters:
        return None
    counts = {code: len(re.findall(pattern, text)) for code, pattern in _SCRIPTS.items()}
    found = (code for code, count in counts.items() if count >= _SPARSE.get(code, 0.5) * others)
    return next(found, None)
