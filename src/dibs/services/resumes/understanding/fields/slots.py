"""Which part of an entry's head is what, decided for all entries of a section together.

One line alone often cannot be told: "Helix" may be an employer or a project. But people write all their entries in one
form. So every part gets a place (its line, its turn in the line), every label a score for every part, and the labels
are dealt to the places so that the sum over all entries is greatest.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from dibs.services.resumes.document import Line
from dibs.services.resumes.understanding.fields.cutting import (
    Judge,
    is_behind_at,
    part_at_stroke,
    split_comma,
    split_row,
)
from dibs.services.resumes.understanding.fields.entries import Entry
from dibs.services.resumes.understanding.fields.wholes import Place, find_whole, join_names
from dibs.services.resumes.understanding.normal.degrees import find_degree, is_subject
from dibs.services.resumes.understanding.normal.organisations import judge_school
from dibs.services.resumes.understanding.normal.places import is_town, judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Piece, Row, join_pieces

_BRACKET = re.compile(r"^(?P<name>[^()]+?)\s+\((?P<place>[^()]+)\)$")
_OPEN_END = re.compile(r"(?:\b(?:of|and|for|de|des|der|du|für|und|et|y|the|in|la|del)|[&,/-])$", re.IGNORECASE)
_MOST_PLACES = 7
_SURE = 0.5
_CLOSE = 0.4
_EMPLOYER = "name"
_NAMES = (_EMPLOYER, "institution")
_PARTED = 0.6
_BEHIND_AT = 0.8
_ALIGNED = 3.0
_INDENT = 25.0
_FEWEST = 4
_MOSTLY = 0.6


class Part(NamedTuple):
    """A part of a head, and its place in it."""

    piece: Piece
    place: Place
    is_behind_at: bool = False


class Form(NamedTuple):
    """Heads whose lines were counted in one way, what stands where in them, and how well that fits."""

    heads: list[list[Part]]
    order: dict[Place, str]
    total: float


class Dealt(NamedTuple):
    """What the parts of one entry are, with a confidence each, and what is left."""

    labels: dict[str, tuple[Piece, float]]
    rest: list[Piece]


def deal(entries: Sequence[Entry], judges: Mapping[str, Judge], *, commas: bool = True) -> list[Dealt]:
    """Give every entry its labels. `judges` say how much a text looks like each label."""
    rows = [row for entry in entries for row in (*entry.head, *entry.body)]
    cuts = [_unwrap([split_row(row) for row in _join_wrapped(entry.head, rows)]) for entry in entries]
    cuts = _open_brackets(cuts)
    whole = find_whole(cuts, lambda piece: split_comma(piece, judges)) if commas else set()
    heads = [_find_parts(lines, judges, whole, commas=commas) for lines in cuts]
    above = [_count_above(entry, lines) for entry, lines in zip(entries, cuts, strict=True)]
    forms = [heads, [_shift(parts, by) for parts, by in zip(heads, above, strict=True)]][: len(set(above))]
    heads, order, _ = max((_find_order(form, judges) for form in forms), key=lambda found: found.total)
    return [_deal_one(parts, order, judges) for parts in heads]


def _count_above(entry: Entry, lines: Sequence[list[Piece]]) -> int:
    """Count the lines that stand over the dates of an entry."""
    rows = {id(word): at for at, row in enumerate(entry.head) for word in row.words}
    dated = next((at for at, row in enumerate(entry.head) if row.spans), 0)
    return sum(max(rows.get(id(word), 0) for word in cuts[0].words) < dated for cuts in lines if cuts)


def _shift(parts: Sequence[Part], by: int) -> list[Part]:
    """Count lines from the dates, not from the top: the employer of several positions stands over the first alone."""
    return [part._replace(place=(part.place[0] - by, part.place[1])) for part in parts]


def _find_order(heads: list[list[Part]], judges: Mapping[str, Judge]) -> Form:
    towns = _find_town_places(heads, judges)
    places = [place for place in _common_places(heads) if place not in towns]
    order, total = _choose_order(heads, places, judges)
    return Form(heads, order | dict.fromkeys(towns, "location"), total)


def _find_town_places(heads: Sequence[list[Part]], judges: Mapping[str, Judge]) -> set[Place]:
    """Find where most entries name a known town: what others name there is one, too."""
    said: dict[Place, list[str]] = {}
    for parts in heads:
        for part in parts:
            said.setdefault(part.place, []).append(part.piece.text)
    return {
        place
        for place, texts in said.items()
        if sum(judge_place(text) >= _SURE for text in texts) >= max(2, _MOSTLY * len(texts))
        and all(judge(text) < _SURE or judge_place(text) >= _SURE for text in texts for judge in judges.values())
    }


def _open_brackets(heads: Sequence[list[list[Piece]]]) -> list[list[list[Piece]]]:
    """Where a place stands in brackets behind a name in some entry, one stands there in the others, too."""
    found = [match for lines in heads for cuts in lines for piece in cuts if (match := _BRACKET.match(piece.text))]
    if not any(judge_place(match["place"]) >= _SURE for match in found):
        return list(heads)
    return [[[part for piece in cuts for part in _open_bracket(piece)] for cuts in lines] for lines in heads]


def _open_bracket(piece: Piece) -> list[Piece]:
    match = _BRACKET.match(piece.text)
    if match is None or not match["place"][:1].isupper():
        return [piece]
    return [piece.cut(*match.span("name")), piece.cut(*match.span("place"))]


def _join_wrapped(head: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """Put a name back together whose last words had no room on its line."""
    edge = max((row.line.box.right for row in rows), default=0.0)
    joined: list[Row] = []
    for row in head:
        last = joined[-1] if joined else None
        if last is not None and (_is_wrapped(last, row, edge) or _is_wrapped_in_cell(last, row, rows)):
            joined[-1] = Row(Line((*last.words, *row.words), last.line.box, last.gap), column=last.column)
        else:
            joined.append(row)
    return joined


def _is_wrapped(last: Row, row: Row, edge: float) -> bool:
    if last.style != row.style or last.column != row.column or last.spans or row.spans or len(last.parts) > 1:
        return False
    if find_degree(last.text) is not None and _names_school(last, row):
        return False
    below = row.gap < _CLOSE * row.size and row.words[0].box.top > last.words[-1].box.top
    first, end = row.words[0].box, last.words[-1].box
    aligned = min(abs(first.left - last.words[0].box.left), abs(row.words[-1].box.right - end.right)) < row.size
    return below and aligned and row.is_bold and end.right + 0.25 * row.size + first.right - first.left > edge


def _names_school(last: Row, row: Row) -> bool:
    """Tell whether a row names a school of its own, and not the rest of one that began behind the degree."""
    begins = is_subject(last.text) or judge_school(row.words[0].text) > 0
    return begins and len(row.words) > 1 and judge_school(row.text) > judge_school(last.text)


def _is_wrapped_in_cell(last: Row, row: Row, rows: Sequence[Row]) -> bool:
    """In a narrow cell the rows below and above it show how much room there was. A title is a line of its own."""
    if any(judge_title(one.text) >= _SURE for one in (last, row)):
        return False
    box = last.line.box
    cell = [other for other in rows if -_ALIGNED < other.line.box.left - box.left < _INDENT]
    flush = [other for other in rows if abs(other.line.box.right - box.right) < _ALIGNED]
    if len(flush) >= _FEWEST and len(flush) > len(cell):
        return _is_wrapped(last, row, box.left + max(other.line.box.right - other.line.box.left for other in flush))
    return len(cell) >= _FEWEST and _is_wrapped(last, row, max(other.parts[0].words[-1].box.right for other in cell))


def _find_parts(
    lines: Sequence[list[Piece]], judges: Mapping[str, Judge], whole: set[Place], *, commas: bool
) -> list[Part]:
    parts: list[Part] = []
    for line, cuts in enumerate(part_at_stroke([cuts for cuts in lines if cuts], judges)):
        found: list[tuple[Piece, bool]] = []
        for turn, part in enumerate(cuts):
            pieces = split_comma(part, judges) if commas else [part]
            pieces = join_names(part, pieces) if (line, turn) in whole else pieces
            found += [(piece, is_behind_at(piece, part)) for piece in pieces]
        parts += [Part(piece, (line, turn), behind) for turn, (piece, behind) in enumerate(found)]
    return parts


def _unwrap(rows: list[list[Piece]]) -> list[list[Piece]]:
    """Join a name that goes on in the next row."""
    joined: list[list[Piece]] = []
    for cuts in rows:
        if cuts and joined and joined[-1] and _OPEN_END.search(joined[-1][-1].text):
            joined[-1][-1] = join_pieces([joined[-1][-1], cuts[0]])
            joined[-1] += cuts[1:]
        else:
            joined.append(list(cuts))
    return joined


def _common_places(heads: Sequence[list[Part]]) -> list[Place]:
    counts: dict[Place, int] = {}
    for parts in heads:
        for part in parts:
            if judge_place(part.piece.text) < 1:
                counts[part.place] = counts.get(part.place, 0) + 1
    return sorted(sorted(counts, key=lambda place: (-counts[place], place))[:_MOST_PLACES])


def _choose_order(
    heads: Sequence[list[Part]], places: list[Place], judges: Mapping[str, Judge]
) -> tuple[dict[Place, str], float]:
    """Deal labels to places so that the sum of all scores is greatest."""
    said = {place: [part for parts in heads for part in parts if part.place == place] for place in places}
    scores = {
        # The earlier of two equal places wins: names come before remarks.
        (label, place): sum(_judge(label, judge, part) for part in said[place]) - 0.02 * sum(place)
        for label, judge in judges.items()
        for place in places
    }
    labels = list(judges)
    options: list[Place | None] = [*places, *([None] * len(labels))]
    best = max(dict.fromkeys(permutations(options, len(labels))), key=lambda chosen: _total(chosen, labels, scores))
    chosen = {place: label for place, label in zip(best, labels, strict=True) if place is not None}
    return chosen, _total(best, labels, scores)


def _judge(label: str, judge: Judge, part: Part) -> float:
    return judge(part.piece.text) + _BEHIND_AT * (part.is_behind_at and label == _EMPLOYER)


def _total(chosen: tuple[Place | None, ...], labels: list[str], scores: Mapping[tuple[str, Place], float]) -> float:
    return sum(scores[label, place] for label, place in zip(labels, chosen, strict=True) if place is not None)


def _deal_one(parts: Sequence[Part], order: Mapping[Place, str], judges: Mapping[str, Judge]) -> Dealt:
    """Follow the order, unless this entry's own words speak clearly against it."""
    labels: dict[str, tuple[Piece, float]] = {}
    rest: list[Piece] = []
    for part in parts:
        label = _settle(part, parts, order, judges, labels)
        if label is None:
            rest.append(part.piece)
        else:
            labels[label] = (part.piece, _trust(judges, label, part, order))
    _fill(labels, rest, judges)
    _part_place(labels, judges)
    return Dealt(labels, rest)


def _part_place(labels: dict[str, tuple[Piece, float]], judges: Mapping[str, Judge]) -> None:
    """Where no name is left, what stands before a place may be one: "Bluefield Asia, Singapore"."""
    missing = next((label for label in _NAMES if label in judges and label not in labels), None)
    piece, trust = labels.get("location", (None, 0.0))
    if missing is None or piece is None:
        return
    at = piece.text.find(",")
    head = piece.cut(0, max(at, 0))
    if at > 0 and not is_town(head.text) and judges[missing](head.text) > 0:
        labels[missing] = (head, _PARTED)
        labels["location"] = (piece.cut(at + 1, len(piece.text)), trust)


def _settle(
    part: Part,
    parts: Sequence[Part],
    order: Mapping[Place, str],
    judges: Mapping[str, Judge],
    taken: Mapping[str, object],
) -> str | None:
    text = part.piece.text
    if judge_place(text) >= 0.8 and max(judge(text) for judge in judges.values()) < 1:  # noqa: PLR2004 - surely a place
        return "location" if "location" not in taken else None
    own = order.get(part.place)
    if part.is_behind_at and _EMPLOYER in judges and _EMPLOYER not in taken and judges[_EMPLOYER](text) > -_SURE:
        return _EMPLOYER
    if own == "location":
        return own if own not in taken else None
    clear = max(judges, key=lambda label: judges[label](text))
    if judges[clear](text) >= 1 and clear != own and (own is None or judges[own](text) < _SURE):
        rivals = [other for other in parts if other is not part and judges[clear](other.piece.text) >= 1]
        if not rivals and clear not in taken:
            return clear
    return own if own is not None and own not in taken and judges[own](text) > -_SURE else None


def _trust(judges: Mapping[str, Judge], label: str, part: Part, order: Mapping[Place, str]) -> float:
    if label == "location":
        return 0.85
    own, others = (
        judges[label](part.piece.text),
        [judge(part.piece.text) for name, judge in judges.items() if name != label],
    )
    trust = 0.62 + 0.2 * own - 0.15 * max([0.0, *others]) + 0.12 * (order.get(part.place) == label)
    return max(0.3, min(0.97, trust))


def _fill(labels: dict[str, tuple[Piece, float]], rest: list[Piece], judges: Mapping[str, Judge]) -> None:
    """A label that nothing was dealt to takes what is left, if that looks like it."""
    for label, judge in judges.items():
        if label in labels:
            continue
        fitting = [piece for piece in rest if judge(piece.text) > 0 and judge_place(piece.text) < _SURE]
        if fitting:
            best = max(fitting, key=lambda piece: judge(piece.text))
            rest.remove(best)
            labels[label] = (best, 0.45 + 0.25 * judge(best.text))
