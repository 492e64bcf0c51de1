"""Languages that a person speaks."""

from collections.abc import Iterator, Sequence

from dibs.services.resumes.document import Line
from dibs.services.resumes.profile import Speech
from dibs.services.resumes.understanding.fields.lists import split_list
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.speech import find_fluency, find_languages
from dibs.services.resumes.understanding.sections.rows import Piece, Row


def read_languages(rows: Sequence[Row]) -> tuple[Speech, ...]:
    """Read languages and how well they are spoken, on the same line or on the next."""
    found: list[Speech] = []
    for piece in (piece for row in _unwrap(rows) for part in row.parts for piece in _language_pieces(part)):
        if paired := _pair(piece):
            found += paired
            continue
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


def _unwrap(rows: Sequence[Row]) -> Iterator[Row]:
    """Give a language its level back that stands in brackets on the next line, or goes on there."""
    last: Row | None = None
    for row in rows:
        if (
            last is not None
            and not row.bullet
            and (row.text.startswith("(") or last.text.count("(") > last.text.count(")"))
        ):
            last = Row(Line((*last.words, *row.words), last.line.box, last.gap, bullet=last.bullet), column=row.column)
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def _pair(piece: Piece) -> list[Speech]:
    """Give languages on one line, each followed by its level: "English Native Zulu Fluent"."""
    named = find_languages(piece.text)
    if len(named) < 2:  # noqa: PLR2004 - one language is no line of several
        return []
    ends = [*(language.begin for language in named[1:]), len(piece.text)]
    levels = [find_fluency(piece.text[one.end : end]) for one, end in zip(named, ends, strict=True)]
    if not all(levels):
        return []
    return [
        Speech(
            language=make_field(piece.cut(one.begin, one.end), 0.93, normal=one.code),
            fluency=make_field(piece.cut(one.end + level[0], one.end + level[1]), 0.85),
        )
        for one, level in zip(named, levels, strict=True)
        if level
    ]


def _language_pieces(part: Piece) -> list[Piece]:
    pieces = split_list(part)
    named = [piece for piece in pieces if find_languages(piece.text)]
    return pieces if len(named) > 1 or len(pieces) == 1 else [part]
