"""Sections that are lists: skills with their groups, languages, interests."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dibs.services.resumes.document import Word
from dibs.services.resumes.profile import Field, Interest, Skill, Speech
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.skills import cut_skills, find_skill
from dibs.services.resumes.understanding.normal.speech import find_fluency, find_languages
from dibs.services.resumes.understanding.sections.rows import Looks, Piece, Row, join_pieces

_LABELLED = re.compile(r"^([^:()]{2,45}?)\s*:\s*(.*)$")
_MARKS = re.compile(r"\s*[;|•·●◦∙▪‖¦]\s*|\s*,\s*(?![^()]*\))|\s+/\s+|\t|\s+[–—]\s+")
_LEVEL = re.compile(
    r"^\(?(?:expert|advanced|intermediate|beginner|basic|basics|proficient|fluent|master|novice|competent|familiar|experienced|skilled|senior|junior|working knowledge|native|"
    r"experte|fortgeschritten|sehr gut|gut|grundkenntnisse|anfänger|expertin|"
    r"avancé|intermédiaire|débutant|confirmé|courant|notions|maîtrise|bon|"
    r"experto|avanzado|intermedio|básico|principiante|alto|medio)\)?$",
    re.IGNORECASE,
)  # fmt: skip
_AFTER = re.compile(r"\s*(?:\((?P<in>[^()]*)\)|[-–—:]\s*(?P<out>[\w %./+-]+))$")
_NOISE = re.compile(r"^[\W\d_%]*$|^\d+\s*(?:%|/\s*\d+|years?|yrs?)")
_MOST_WORDS = 6
_TAG_GAP = 0.42


def read_skills(rows: Sequence[Row], looks: Looks) -> tuple[Skill, ...]:
    """Read skills; a label before a list, or a bold line over one, is the name of a group."""
    groups: list[tuple[Piece | None, list[Piece]]] = []
    for label, pieces in _groups(rows, looks):
        kept = [piece for piece in pieces if _is_skill(piece)]
        if kept or label:
            groups.append((label, kept))
    skills: list[Skill] = []
    for label, pieces in groups:
        if label is not None and pieces:
            skills.append(
                Skill(
                    name=make_field(_unrated(label), 0.75),
                    keywords=tuple(_skill_field(piece, pieces) for piece in pieces),
                )
            )
        else:
            skills += [
                Skill(name=_skill_field(piece, pieces)) for piece in [*([_unrated(label)] if label else []), *pieces]
            ]
    return tuple(_merged(skills))


def _merged(skills: list[Skill]) -> list[Skill]:
    seen: set[str] = set()
    kept = []
    for skill in skills:
        keywords = tuple(word for word in skill.keywords if not _is_seen(word, seen))
        if skill.name and (keywords or (not skill.keywords and not _is_seen(skill.name, seen))):
            kept.append(Skill(name=skill.name, level=skill.level, keywords=keywords))
    return kept


def _is_seen(field: Field, seen: set[str]) -> bool:
    key = (field.normal or field.value).casefold()
    if key in seen:
        return True
    seen.add(key)
    return False


def _skill_field(piece: Piece, beside: Sequence[Piece]) -> Field:
    piece = _unrated(piece)
    text = piece.text
    known = find_skill(text, [other.text for other in beside])
    base = 0.9 if known else 0.72 if len(text.split()) <= 3 else 0.55  # noqa: PLR2004 - names are short
    return Field(
        text.strip(" .,:;"), base * piece.clarity, piece.boxes, known[0] if known else None, known[1] if known else None
    )


def _unrated(piece: Piece) -> Piece:
    """Leave out how well something is known: "Cloud (Advanced)", "Tools Intermediate"."""
    if _is_rated(piece.text):
        return piece.cut(0, _AFTER.search(piece.text).start())  # type: ignore[union-attr]
    head, _, last = piece.text.rpartition(" ")
    return piece.cut(0, len(head)) if head and _LEVEL.match(last) else piece


def _is_rated(text: str) -> bool:
    match = _AFTER.search(text)
    said = (match["in"] or match["out"] or "").strip() if match else ""
    return bool(said) and (bool(_LEVEL.match(said)) or bool(_NOISE.match(said)))


def _is_skill(piece: Piece) -> bool:
    text = piece.text.strip(" .")
    return 0 < len(text.split()) <= _MOST_WORDS and not _LEVEL.match(text) and not _NOISE.match(text) and len(text) > 0


def _groups(rows: Sequence[Row], looks: Looks) -> Iterator[tuple[Piece | None, list[Piece]]]:
    label: Piece | None = None
    pieces: list[Piece] = []
    for row in _unwrap(rows):
        head, rest = _find_label(row, looks, len(rows))
        if head is not None or (row.gap > row.size and label is not None and not row.bullet):
            if label is not None or pieces:
                yield label, pieces
            label, pieces = head, []
        pieces += rest
    if label is not None or pieces:
        yield label, pieces


def _unwrap(rows: Sequence[Row]) -> Iterator[Row]:
    """Give list items back the words that did not fit on their line."""
    kept: Row | None = None
    for row in rows:
        if kept is not None and _is_wrapped(kept, row):
            joined = join_pieces([kept, row])
            kept.text, kept.words = joined.text, joined.words
            kept.__dict__.pop("parts", None)
            continue
        if kept is not None:
            yield kept
        kept = Row(row.line, starts=row.starts, column=row.column)
    if kept is not None:
        yield kept


def _is_wrapped(kept: Row, row: Row) -> bool:
    if row.bullet or row.starts_bold != kept.words[-1].bold or row.starts:
        return False
    if (
        kept.text.rstrip().endswith(",")
        and "," in row.text
        or kept.text.rstrip().endswith((",", "/", "&", " and", "-"))
    ):
        return True
    if kept.bullet and row.words[0].box.left > kept.line.box.left + 3 and row.gap < 0.5 * row.size:  # noqa: PLR2004 - points
        return True
    return bool(row.text[0].islower() and "," in kept.text)


def _find_label(row: Row, looks: Looks, count: int) -> tuple[Piece | None, list[Piece]]:
    match = _LABELLED.match(row.text)
    if match and not match[1].isdigit():
        label = row.cut(0, match.end(1))
        rest = row.cut(match.start(2), len(row.text))
        if not (rest.text and _LEVEL.match(rest.text)):
            return label, _split(rest) if rest.text else []
    first = row.parts[0]
    listed = len(row.parts) == 2 and "," in row.parts[1].text and "," not in first.text  # noqa: PLR2004 - a name and a list
    if listed or (len(row.parts) > 1 and first.words[0].bold and not row.parts[1].words[0].bold):
        return first, [piece for part in row.parts[1:] for piece in _split(part)]
    bold = [word for word in row.words if word.bold]
    if bold and len(bold) < len(row.words) and row.words[: len(bold)] == tuple(bold):
        at = len(" ".join(word.text for word in bold))
        return row.cut(0, at).strip(":–- "), _split(row.cut(at, len(row.text)).strip(":–- "))
    pieces = [piece for part in _tags(row) for piece in _split(part)]
    if row.is_bold and not looks.is_bold and len(pieces) == 1 and not row.bullet and count > 1:
        return row, []
    return None, pieces


def _tags(row: Row) -> list[Piece]:
    """Cut a row of tags: more white between them than between the words of one."""
    gaps = [after.box.left - before.box.right for before, after in pairwise(row.words)]
    if "," in row.text or not gaps or max(gaps) < _TAG_GAP * row.size or _is_even(gaps, row.size):
        return row.parts
    wide = max(_TAG_GAP * row.size, 1.7 * min(gaps))
    groups: list[list[Word]] = [[row.words[0]]]
    for gap, word in zip(gaps, row.words[1:], strict=True):
        if gap > wide or gap < -row.size or (gap > _TAG_GAP * row.size and min(gaps) > _TAG_GAP * row.size):
            groups.append([])
        groups[-1].append(word)
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _is_even(gaps: Sequence[float], size: float) -> bool:
    """On a page drawn up for a format without positions, all words stand equally far apart."""
    return max(gaps) - min(gaps) < 0.6 and max(gaps) < 0.56 * size  # noqa: PLR2004 - points, sizes


def _split(piece: Piece) -> list[Piece]:
    found, at = [], 0
    for match in _MARKS.finditer(piece.text):
        found.append(piece.cut(at, match.start()))
        at = match.end()
    found.append(piece.cut(at, len(piece.text)))
    cuts = [cut for part in found for cut in _cut_known(part)]
    return [one for one in (part.strip(" .,:;") for part in cuts) if one.text]


def _cut_known(piece: Piece) -> list[Piece]:
    """Cut tags that stand as close as words, by knowing them."""
    words = piece.text.split(" ")
    if len(words) < 2 or find_skill(piece.text) or len(words) != len(piece.words):  # noqa: PLR2004 - nothing to cut
        return [piece]
    starts = cut_skills(words) or [0]
    ends = [*starts[1:], len(words)]
    return [Piece(" ".join(words[i:j]), piece.words[i:j]) for i, j in zip(starts, ends, strict=True)]


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
        seen.setdefault(speech.language and speech.language.normal, speech)
    return tuple(seen.values())


def _language_pieces(part: Piece) -> list[Piece]:
    pieces = _split(part)
    named = [piece for piece in pieces if find_languages(piece.text)]
    return pieces if len(named) > 1 or len(pieces) == 1 else [part]


def read_interests(rows: Sequence[Row], looks: Looks) -> tuple[Interest, ...]:
    return tuple(Interest(name=skill.name, keywords=skill.keywords) for skill in read_skills(rows, looks))
