"""Languages that a person speaks."""

from collections.abc import Sequence

from dibs.services.resumes.profile import Speech
from dibs.services.resumes.understanding.fields.lists import split_list
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.speech import find_fluency, find_languages
from dibs.services.resumes.understanding.sections.rows import Piece, Row


def read_languages(rows: Sequence[Row]) -> tuple[Speech, ...]:
    """Read languages and how well they are spoken, on the same line or on the next."""
    found: list[Speech] = []
    for piece in (piece for row in rows for part in row.parts for piece in _language_pieces(part)):
        named = find_languages(piece.text)
        fluency = find_fluency(piece.text) if len(named) < 2 else None  # noqa: PLR2004 - one language, one level
        spoken = make_field(piece.cut(*fluency), 0.85) if fluency else None
        for language in named:
            name = make_field(piece.cut(language.begin, language.end), 0.93, normal=language.code)
            found.append(Speech(language=name, fluency=spoken))
        bare = next((speech for speech in found if speech.fluency is None), None)
        if spoken and not named and bare:
            found[found.index(bare)] = Speech(language=bare.language, fluency=spoken)
    seen: dict[str | None, Speech] = {}
    for speech in found:
        seen.setdefault(speech.language.normal if speech.language else None, speech)
    return tuple(seen.values())


def _language_pieces(part: Piece) -> list[Piece]:
    pieces = split_list(part)
    named = [piece for piece in pieces if find_languages(piece.text)]
    return pieces if len(named) > 1 or len(pieces) == 1 else [part]
