"""Which part of an entry's head is what, decided for all entries of a section together.

One line alone often cannot be told: "Helix" may be an employer or a project. But people write all their entries in one
form. So every part gets a place (its line, its turn in the line), every label a score for every part, and the labels
are dealt to the places so that the sum over all entries is greatest.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from dibs.services.resumes.document import Line, Word
from dibs.services.resumes.understanding.fields.entries import Entry
from dibs.services.resumes.understanding.fields.wholes import Place, find_whole, join_names
from dibs.services.resumes.understanding.normal.places import is_town, judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Piece, Row, join_pieces

Judge = Callable[[str], float]
_STRONG = re.compile(r"\s+[|•·●◦∙▪‖¦]\s+|\s+[–—―]\s+|\s+-\s+|\t|\s+@\s+|\s*\|\s*|(?<=\w)\s+::?\s+|\s*[;]\s+")
_AT = re.compile(r"\s+(?:at|bei|chez|beim|@)\s+|\s+(?:en|à)\s+(?=[A-ZÀ-Ý])")
_LEADING = re.compile(r"^(?:at|bei|chez|beim|by|von|@|in|–|with)\s+(?=[A-ZÀ-Ý\d])")
_ICON = re.compile(r"[\u2190-\u2bff\ue000-\uf8ff\U0001f300-\U0001faff]+\s+")
_STOP = re.compile(r"[a-zà-ÿ]{4,}\.$")
_BRACKET = re.compile(r"^(?P<name>[^()]+?)\s+\((?P<place>[^()]+)\)$")
_CAMPUS = re.compile(r"^(?:the )?(?:state )?universit\w+ (?:of|at) [^,|]+? at [A-ZÀ-Ý][\w'’. -]+$", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s+")
_BRANCH = re.compile(
    r"(?:Department|Dept\.?|Faculty|School|College|Institute?|Chair|Division) (?:of|for) |(?:Fakultät|Lehrstuhl|Institut) für "
)
_TRIM = " ,;:|•·–—-()[]/@\u200b"
_REMARK = re.compile(
    r"\(?\b(?:\d+|one|two|three)\+?\s*(?:years?|yrs?|months?|mos?|jahre?n?|monate?n?|ans?|mois|años?|meses)\b\.?\)?(?:\s*(?:and|,|und|et|y)?\s*\d+\s*(?:months?|mos?|monate?n?|mois|meses)\b\)?)?",
    re.IGNORECASE,
)
_URL = re.compile(r"(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|org|net|io|dev|example)\b(?:/\S*)?", re.IGNORECASE)
_OPEN_END = re.compile(r"(?:\b(?:of|and|for|de|des|der|du|für|und|et|y|the|in|la|del)|[&,/-])$", re.IGNORECASE)
_MOST_PLACES = 7
_SURE = 0.5
_SPACE = 0.9
_CLOSE = 0.4
_NAMES = ("name", "institution")
_PARTED = 0.6
_ALIGNED = 3.0
_INDENT = 25.0
_FEWEST = 4
_MOSTLY = 0.6


class Part(NamedTuple):
    """A part of a head, and its place in it."""

    piece: Piece
    place: Place


class Dealt(NamedTuple):
    """What the parts of one entry are, with a confidence each, and what is left."""

    labels: dict[str, tuple[Piece, float]]
    rest: list[Piece]


def deal(entries: Sequence[Entry], judges: Mapping[str, Judge], *, commas: bool = True) -> list[Dealt]:
    """Give every entry its labels. `judges` say how much a text looks like each label."""
    rows = [row for entry in entries for row in (*entry.head, *entry.body)]
    cuts = [_unwrap([split_row(row) for row in _join_wrapped(entry.head, rows)]) for entry in entries]
    cuts = _open_brackets(cuts)
    whole = find_whole(cuts, lambda piece: _split_comma(piece, judges)) if commas else set()
    heads = [_find_parts(lines, judges, whole, commas=commas) for lines in cuts]
    towns = _find_town_places(heads, judges)
    places = [place for place in _common_places(heads) if place not in towns]
    order = _choose_order(heads, places, judges) | dict.fromkeys(towns, "location")
    return [_deal_one(parts, order, judges) for parts in heads]


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
    below = row.gap < _CLOSE * row.size and row.words[0].box.top > last.words[-1].box.top
    first, end = row.words[0].box, last.words[-1].box
    aligned = min(abs(first.left - last.words[0].box.left), abs(row.words[-1].box.right - end.right)) < row.size
    return below and aligned and row.is_bold and end.right + 0.25 * row.size + first.right - first.left > edge


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
    for line, cuts in enumerate(cuts for cuts in lines if cuts):
        found: list[Piece] = []
        for turn, part in enumerate(cuts):
            pieces = _split_comma(part, judges) if commas else [part]
            found += join_names(part, pieces) if (line, turn) in whole else pieces
        parts += [Part(piece, (line, turn)) for turn, piece in enumerate(found)]
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


def split_row(row: Row) -> list[Piece]:
    """Cut a row at wide gaps and at marks; dates and their lengths are left out."""
    blocked = [(span.begin, span.end) for span in row.spans]
    blocked += [match.span() for pattern in (_REMARK, _URL) for match in pattern.finditer(row.text)]
    found, at = [], 0
    for part in row.parts:
        begin = row.text.find(part.text, at)
        at = begin + len(part.text)
        found += _cut_out(row, begin, at, blocked)
    spaced = [part for piece in found for part in _cut_at_space(piece)]
    styled = [part for piece in spaced for part in _cut_at_style(piece)]
    pieces = [_trim(cut) for piece in styled for cut in _cut_at(piece, _STRONG)]
    return [piece for piece in pieces if any(char.isalnum() for char in piece.text)]


def _trim(piece: Piece) -> Piece:
    """Leave out marks around a piece, but not the bracket that closes one inside it."""
    text = piece.text
    if match := _LEADING.match(text) or _ICON.match(text):
        return _trim(piece.cut(match.end(), len(text)))
    if _STOP.search(text):
        return _trim(piece.cut(0, len(text) - 1))
    begin = len(text) - len(text.lstrip(_TRIM))
    end = len(text.rstrip(_TRIM))
    if end < len(text) and text[end] == ")" and "(" in text[begin:end]:
        end += 1
    if text[:1] == "(" and ")" in text[begin:end]:
        begin = 0
    return piece.cut(begin, end)


def _cut_out(row: Row, begin: int, end: int, blocked: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], begin
    for first, last in sorted(blocked):
        if begin <= first < end:
            pieces.append(row.cut(at, first))
            at = max(last, at)
    return [*pieces, row.cut(at, end)]


def _cut_at(piece: Piece, pattern: re.Pattern[str]) -> list[Piece]:
    pieces, at = [], 0
    for match in pattern.finditer(piece.text):
        if piece.text.count("(", 0, match.start()) > piece.text.count(")", 0, match.start()):
            continue
        pieces.append(piece.cut(at, match.start()))
        at = match.end()
    return [*pieces, piece.cut(at, len(piece.text))]


def _cut_at_space(piece: Piece) -> list[Piece]:
    """Cut where more than a space parts two words, though less than a gap."""
    groups: list[list[Word]] = []
    for word in piece.words:
        last = groups[-1][-1] if groups else None
        if last is None or word.box.left - last.box.right > _SPACE * max(last.size, word.size):
            groups.append([])
        groups[-1].append(word)
    if len(groups) == 1 or piece.text != " ".join(word.text for word in piece.words):
        return [piece]
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _cut_at_style(piece: Piece) -> list[Piece]:
    """Cut where the looks change: a bold title, an employer in italics behind it."""
    groups: list[list[Word]] = []
    for word in piece.words:
        if not groups or _looks(groups[-1][-1]) != _looks(word):
            groups.append([])
        groups[-1].append(word)
    if len(groups) == 1 or piece.text != " ".join(word.text for word in piece.words):
        return [piece]
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _looks(word: Word) -> tuple[bool, bool, int]:
    return word.bold, word.italic, word.color


def _split_comma(piece: Piece, judges: Mapping[str, Judge]) -> list[Piece]:
    """Cut at commas and at "at" where both sides are then told better than the whole was."""
    if judge_place(piece.text) >= _SURE or _CAMPUS.match(piece.text):
        return [piece]
    for pattern in (_AT, _COMMA):
        cuts = _cut_at(piece, pattern)
        if len(cuts) > 1:
            return [_trim(cut) for cut in _gather(cuts, judges)]
    return [piece]


def _gather(cuts: list[Piece], judges: Mapping[str, Judge]) -> list[Piece]:
    """Put places back together, and legal forms back to their names."""
    found: list[Piece] = []
    for cut in cuts:
        if found and (
            _is_place_with(found[-1], cut)
            or _is_ending(cut.text)
            or _is_branch(found[-1], cut)
            or _tells_nothing(cut, found[-1], judges)
        ):
            last = found.pop()
            joiner = ", "
            found.append(Piece(last.text + joiner + cut.text, (*last.words, *cut.words)))
        else:
            found.append(cut)
    return found


def _is_place_with(last: Piece, cut: Piece) -> bool:
    return (judge_place(f"{last.text}, {cut.text}") >= _SURE and judge_place(cut.text) >= _SURE) or (
        judge_place(f"{last.text}, {cut.text}") == 1 and len(cut.text) <= 3  # noqa: PLR2004 - a state
    )


def _is_ending(text: str) -> bool:
    return bool(re.fullmatch(r"(?:inc|llc|ltd|llp|corp|gmbh|s\.?a|s\.?l|plc|co|jr|sr)\.?", text.strip(), re.IGNORECASE))


def _is_branch(last: Piece, cut: Piece) -> bool:
    """A department is named behind the house that it belongs to."""
    return bool(_BRANCH.match(cut.text)) and judge_place(last.text) < _SURE


def _tells_nothing(cut: Piece, last: Piece, judges: Mapping[str, Judge]) -> bool:
    """Neither side is anything by itself: the comma belongs to the name."""
    sure = [any(judge(piece.text) >= _SURE for judge in judges.values()) for piece in (last, cut)]
    return not any(sure) and judge_place(cut.text) < _SURE and cut.text[:1].islower()


def _common_places(heads: Sequence[list[Part]]) -> list[Place]:
    counts: dict[Place, int] = {}
    for parts in heads:
        for part in parts:
            if judge_place(part.piece.text) < 1:
                counts[part.place] = counts.get(part.place, 0) + 1
    return sorted(sorted(counts, key=lambda place: (-counts[place], place))[:_MOST_PLACES])


def _choose_order(heads: Sequence[list[Part]], places: list[Place], judges: Mapping[str, Judge]) -> dict[Place, str]:
    """Deal labels to places so that the sum of all scores is greatest."""
    texts = {place: [part.piece.text for parts in heads for part in parts if part.place == place] for place in places}
    scores = {(label, place): _sum(judge, texts[place], place) for label, judge in judges.items() for place in places}
    labels = list(judges)
    options: list[Place | None] = [*places, *([None] * len(labels))]
    best = max(set(permutations(options, len(labels))), key=lambda chosen: _total(chosen, labels, scores))
    return {place: label for place, label in zip(best, labels, strict=True) if place is not None}


def _sum(judge: Judge, texts: list[str], place: Place) -> float:
    # The earlier of two equal places wins: names come before remarks.
    return sum(judge(text) for text in texts) - 0.02 * (place[0] + place[1])


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
