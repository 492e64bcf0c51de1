"""Which language a document is written in."""

import re

_WORDS = {
    "en": "the and of to in for with on at by from as was led team work experience skills university",
    "de": "und der die das von in mit für bei als im zur zum des auf den eine ein sowie berufserfahrung kenntnisse",
    "fr": "et de la le les des du en pour avec dans au aux sur une un par compétences expérience formation",
    "es": "y de la el los las en para con del por un una al experiencia formación habilidades como",
    "it": "e di il la che per con del della dei un una nel esperienza formazione competenze",
    "pt": "e de o a os as em para com do da dos das um uma experiência formação no na",
    "nl": "en de het van een in voor met bij op als te ervaring opleiding vaardigheden",
    "pl": "i w z na do oraz dla od po przy doświadczenie wykształcenie umiejętności",
    "sv": "och i att för med på av som en ett till erfarenhet utbildning",
}  # fmt: skip
_SETS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_FEWEST = 12
HANDLED = ("en", "de", "fr", "es")


def find_document_language(text: str) -> str | None:
    """Tell the language by its commonest words; None where there is too little to tell."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if len(words) < _FEWEST:
        return None
    scores = {code: sum(word in known for word in words) for code, known in _SETS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= 0.02 * len(words) else _by_script(text)


def _by_script(text: str) -> str | None:
    for code, pattern in (
        ("ru", "[а-я]"),
        ("zh", "[一-鿿]"),
        ("ja", "[぀-ヿ]"),
        ("ko", "[가-힣]"),
        ("ar", "[؀-ۿ]"),
        ("el", "[α-ω]"),
    ):
        if len(re.findall(pattern, text)) > 0.3 * len(text):
            return code
    return None
