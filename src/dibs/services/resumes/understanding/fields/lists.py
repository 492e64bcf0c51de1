"""Sections that are lists: skills with their groups, interests."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from dibs.services.resumes.document import Line, Word
from dibs.services.resumes.profile import Field, Interest, Skill
from dibs.services.resumes.understanding.fields.grouping import find_group_rows
from dibs.services.resumes.understanding.fields.making import make_field
from dibs.services.resumes.understanding.normal.levels import LEVEL, is_rating
from dibs.services.resumes.understanding.normal.skills import cut_skills, find_skill
from dibs.services.resumes.understanding.sections.rows import Looks, Piece, Row, join_pieces
from dibs.services.resumes.understanding.sections.wording import find_exact, names_group

_LABELLED = re.compile(r"^([^:()]{2,45}?)\s*:\s*(.*)$")
_MARKS = re.compile(r"\s*[;|•·●◦∙▪‖¦]\s*|(?:^|\s+)#(?=\w)|\s*,\s*(?![^()]*\))|\s+/\s+|\t|\s+[–—]\s+")
_AFTER = re.compile(r"\s*(?:\((?P<in>[^()]*)\)|[-–—:]\s*(?P<out>[\w %./+-]+))$")
_NOISE = re.compile(r"^[\W\d_%]*$|^\d+\s*(?:%|/\s*\d+|years?|yrs?)")
_MOST_WORDS = 6
_TAG_GAP = 0.42
_EVEN = 0.15
_APART = 0.35
_CLOSE = 0.4
_FEW_WORDS = 3
_FEWEST_LINES = 4
_MOST_LINES = 0.75


def read_skills(rows: Sequence[Row], looks: Looks) -> tuple[Skill, ...]:
    """Read skills; a label before a list, or a bold line over one, is the name of a group."""
    groups: list[tuple[Piece | None, list[Piece]]] = []
    for label, pieces in _groups(rows, looks):
        kept = [piece for piece in pieces if _is_skill(piece)]
        if kept or (label and not find_exact(label.text) and not _has_items(pieces)):
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
                Skill(name=_skill_field(piece, pieces))
                for piece in [*([_unrated(label)] if label and not names_group(label.text) else []), *pieces]
            ]
    return tuple(_merged(skills))


def _has_items(pieces: Sequence[Piece]) -> bool:
    """What stands under a name is neither its level nor a sentence about it: the name is a group's."""
    return any(not LEVEL.match(piece.text.strip(" .")) and not _is_told(piece.text) for piece in pieces)


def _is_told(text: str) -> bool:
    words = text.split()
    return bool(_NOISE.match(text)) or sum(word[:1].islower() for word in words) > 0.4 * len(words)


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
    return piece.cut(0, len(head)) if head and LEVEL.match(last) else piece


def _is_rated(text: str) -> bool:
    match = _AFTER.search(text)
    said = (match["in"] or match["out"] or "").strip() if match else ""
    return bool(said) and (bool(LEVEL.match(said)) or bool(_NOISE.match(said)))


def _is_skill(piece: Piece) -> bool:
    text = piece.text.strip(" .")
    if names_group(text):
        return False
    return 0 < len(text.split()) <= _MOST_WORDS and not LEVEL.match(text) and not _NOISE.match(text) and len(text) > 0


def _groups(rows: Sequence[Row], looks: Looks) -> Iterator[tuple[Piece | None, list[Piece]]]:
    label: Piece | None = None
    pieces: list[Piece] = []
    whole = list(_unwrap(rows))
    named = find_group_rows(whole)
    lined = _are_lines(whole)
    for index, (row, following) in enumerate(zip_longest(whole, whole[1:])):
        head, rest = (row, []) if index in named else _find_label(row, looks, len(rows))
        if lined and head is None and _is_line(row):
            rest = [row.strip(" .,:;")]
        if following is not None and following.bullet and not row.bullet and len(rest) == 1 and head is None:
            head, rest = rest[0], []
        if head is not None or (row.gap > row.size and label is not None and not row.bullet):
            if label is not None or pieces:
                yield label, pieces
            label, pieces = head, []
        pieces += rest
    if label is not None or pieces:
        yield label, pieces


def _are_lines(rows: Sequence[Row]) -> bool:
    """Tell whether each skill has a line of its own: most lines are short, and nothing parts their words."""
    short = sum(_is_line(row) for row in rows)
    return short >= _FEWEST_LINES and short >= _MOST_LINES * len(rows)


def _is_line(row: Row) -> bool:
    close = all(after.box.left - before.box.right < _TAG_GAP * row.size for before, after in pairwise(row.words))
    return close and len(row.words) <= _FEW_WORDS and not _MARKS.search(row.text)


def _unwrap(rows: Sequence[Row]) -> Iterator[Row]:
    """Give list items back the words that did not fit on their line."""
    kept: Row | None = None
    edge = max((max(row.line.box.right, row.edge) for row in rows), default=0.0)
    close = _find_leading(rows)
    widest = max((row.words[-1].box.right for row in rows), default=0.0)
    for row in map(_without_levels, _join_rated(rows)):
        if kept is not None and (_is_wrapped(kept, row, edge) or _is_close(kept, row, close, widest)):
            joined = join_pieces([kept, row])
            kept.text, kept.words = joined.text, joined.words
            kept.__dict__.pop("parts", None)
            continue
        if kept is not None:
            yield kept
        kept = Row(row.line, starts=row.starts, column=row.column)
    if kept is not None:
        yield kept


def _join_rated(rows: Sequence[Row]) -> Iterator[Row]:
    """Where skills have their levels beside them, a line without one goes on with the skill above, if that had no room."""
    rated = [_find_level(row) for row in rows]
    kept: Row | None = None
    level: Piece | None = None
    for row, own in zip(rows, rated, strict=True):
        if kept is not None and level is not None and own is None and _is_broken(kept, row, level):
            words = (*kept.words[: -len(level.words)], *row.words, *level.words)
            kept, level = Row(Line(words, kept.line.box, kept.gap, bullet=kept.bullet), column=kept.column), None
            continue
        if kept is not None:
            yield kept
        kept, level = row, own
    if kept is not None:
        yield kept


def _find_level(row: Row) -> Piece | None:
    last = row.parts[-1]
    return last if len(row.parts) > 1 and is_rating(last.text) else None


def _is_broken(kept: Row, row: Row, level: Piece) -> bool:
    """Tell whether a line is close below a skill, set alike, and its first word found no room before the level."""
    name, first = kept.words[-len(level.words) - 1], row.words[0]
    close = not row.bullet and not row.starts and 0 < row.gap < _CLOSE * row.size and row.column == kept.column
    flush = abs(first.box.left - kept.words[0].box.left) < row.size and name.bold == first.bold
    needed = name.box.right + 0.3 * row.size + first.box.right - first.box.left
    return close and flush and needed > level.words[0].box.left - row.size


def _without_levels(row: Row) -> Row:
    """Leave out levels beside a skill: its next word may stand below it."""
    kept = [part for part in row.parts if not is_rating(part.text)]
    if not kept or len(kept) == len(row.parts):
        return row
    line = Line(tuple(word for part in kept for word in part.words), row.line.box, row.gap, bullet=row.bullet)
    bare = Row(line, starts=row.starts, column=row.column)
    bare.edge = row.edge
    return bare


def _find_leading(rows: Sequence[Row]) -> float:
    """Give the white that lines of one skill have between them, where two skills have clearly more."""
    gaps = [row.gap for row in rows[1:]]
    least, most = min(gaps, default=0.0), max(gaps, default=0.0)
    size = rows[0].size if rows else 0.0
    # Boxes end with the letters in them: lines without a "g" seem to stand a fifth of their size farther apart.
    close = [gap for gap in gaps if gap < least + _EVEN * size]
    far = [gap for gap in gaps if gap > most - _EVEN * size]
    parted = len(close) + len(far) == len(gaps) and 0 < least < _CLOSE * size and most - least > _APART * size
    # More lines close together than apart are groups of skills.
    return least + _EVEN * size if parted and len(close) <= len(far) + 1 else 0.0


def _is_close(kept: Row, row: Row, leading: float, edge: float) -> bool:
    """Tell whether a line stands closer to the one above it than skills do, and had no room there."""
    plain = not row.bullet and not row.starts and not _MARKS.search(kept.text) and row.starts_bold == kept.starts_bold
    return plain and 0 < row.gap < leading and not _fits(kept, row.words[0], edge)


def _is_wrapped(kept: Row, row: Row, edge: float) -> bool:
    if row.bullet or row.starts_bold != kept.words[-1].bold or row.starts:
        return False
    listed = bool(_MARKS.search(row.text)) or (len(row.parts) == 1 and 0 < row.gap < _CLOSE * row.size)
    if _is_listed(kept.text) and listed and not _fits(kept, row.words[0], edge):
        return True
    if _goes_on([kept.words[-1]], row.words[0]) and not find_skill(row.text):
        return True
    if (kept.text.rstrip().endswith(",") and "," in row.text) or kept.text.rstrip().endswith(
        (",", "/", "&", " and", "-")
    ):
        return True
    if kept.bullet and row.words[0].box.left > kept.line.box.left + 3 and row.gap < 0.5 * row.size:
        return True
    return bool(row.text[0].islower() and "," in kept.text)


def _is_listed(text: str) -> bool:
    return len(_MARKS.findall(text)) > 1 and not _LABELLED.match(text)


def _fits(kept: Row, word: Word, edge: float) -> bool:
    """Tell whether a word would have had room on the line before."""
    last = kept.words[-1].box
    return last.right + 0.3 * word.size + word.box.right - word.box.left <= edge


def _find_label(row: Row, looks: Looks, count: int) -> tuple[Piece | None, list[Piece]]:
    match = _LABELLED.match(row.text)
    if match and not match[1].isdigit():
        label = row.cut(0, match.end(1))
        rest = row.cut(match.start(2), len(row.text))
        if not (rest.text and LEVEL.match(rest.text)):
            return label, split_list(rest) if rest.text else []
    first = row.parts[0]
    listed = len(row.parts) == 2 and "," in row.parts[1].text and "," not in first.text  # noqa: PLR2004 - a name and a list
    if listed or (len(row.parts) > 1 and first.words[0].bold and not row.parts[1].words[0].bold):
        return first, [piece for part in row.parts[1:] for piece in split_list(part)]
    bold = [word for word in row.words if word.bold]
    if bold and len(bold) < len(row.words) and row.words[: len(bold)] == tuple(bold):
        at = len(" ".join(word.text for word in bold))
        return row.cut(0, at).strip(":–- "), split_list(row.cut(at, len(row.text)).strip(":–- "))
    pieces = [piece for part in _tags(row) for piece in split_list(part)]
    if row.is_bold and not looks.is_bold and len(pieces) == 1 and not row.bullet and count > 1:
        return row, []
    return None, pieces


def _tags(row: Row) -> list[Piece]:
    """Cut a row of tags: more white between them than between the words of one."""
    gaps = [after.box.left - before.box.right for before, after in pairwise(row.words)]
    level = [gap for gap in gaps if gap > -row.size]
    if "," in row.text or not level or max(level) < _TAG_GAP * row.size or _is_even(level, row.size):
        return row.parts
    wide = max(_TAG_GAP * row.size, 1.7 * min(level))
    # Gaps of one width are all gaps between tags; of two widths, the narrow ones are inside them.
    single = min(level) > _TAG_GAP * row.size and max(level) <= wide
    groups: list[list[Word]] = [[row.words[0]]]
    for gap, word in zip(gaps, row.words[1:], strict=True):
        apart = not _goes_on(groups[-1], word) if gap < -row.size else gap > wide or single
        if apart and not (word.text[0].islower() and gap < row.size):
            groups.append([])
        groups[-1].append(word)
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _goes_on(words: Sequence[Word], word: Word) -> bool:
    """A tag may go on behind the end of a line."""
    return find_skill(" ".join(one.text for one in (*words, word))) is not None


def _is_even(gaps: Sequence[float], size: float) -> bool:
    """On a page drawn up for a format without positions, all words stand equally far apart."""
    return max(gaps) - min(gaps) < 0.6 and max(gaps) < 0.62 * size  # noqa: PLR2004 - points, sizes


def split_list(piece: Piece) -> list[Piece]:
    found, at = [], 0
    for match in _MARKS.finditer(piece.text):
        found.append(piece.cut(at, match.start()))
        at = match.end()
    found.append(piece.cut(at, len(piece.text)))
    # Marks that part a list part all of it: what stands between two of them is one skill, if it is short.
    parted = len(found) > _FEW_WORDS
    cuts = [cut for part in found for cut in ([part] if parted and len(part.words) <= _FEW_WORDS else _cut_known(part))]
    return [one for one in (part.strip(" .,:;") for part in cuts) if one.text]


def _cut_known(piece: Piece) -> list[Piece]:
    """Cut tags that stand as close as words, by knowing them."""
    words = piece.text.split(" ")
    if len(words) < 2 or find_skill(piece.text) or len(words) != len(piece.words):  # noqa: PLR2004 - nothing to cut
        return [piece]
    starts = cut_skills(words) or [0]
    ends = [*starts[1:], len(words)]
    return [Piece(" ".join(words[i:j]), piece.words[i:j]) for i, j in zip(starts, ends, strict=True)]


def read_interests(rows: Sequence[Row], looks: Looks) -> tuple[Interest, ...]:
    return tuple(Interest(name=skill.name, keywords=skill.keywords) for skill in read_skills(rows, looks))
